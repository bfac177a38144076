// Which cores are walked together, and on which physical cores the blocks run.
#pragma once
#include "program.h"

namespace ascendopt::sim {

// Fills in tracks, units and groups. `cores`: physical cores that the launch can use.
void place(const LaunchTrace& trace, uint32_t cores, Launch& launch);

}  // namespace ascendopt::sim
