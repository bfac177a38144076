// Cores that take the same time share one trace: their records are kept, sent and replayed once. Internal to rt/.
#pragma once
#include <vector>

#include "../abi/trace.h"

namespace ascendopt::rt {

// Adds the trace of core `index` to the launch's. False, and `records` is left, where an earlier one stands for it.
bool add_trace(LaunchTrace& trace, uint32_t index, std::vector<TraceRecord>& records);

// Adds one record of a core with that trace: what its cores have in common and what each brings to the chip.
void merge(TraceRecord& into, const TraceRecord& from);

// When all cores have ended: joins traces that differ only in where in a granule of global memory their data begin.
void join_traces(LaunchTrace& trace);

}  // namespace ascendopt::rt
