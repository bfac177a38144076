// The kernel object that was loaded. Internal to rt/.
#pragma once
#include "state.h"

namespace ascendopt::rt {

// Fills in where the object's code lies.
void find_object(Launch& launch);
// The cores that a kernel without a stated type runs on: those that have the instructions it calls.
Task assumed_task(const Launch& launch);

}  // namespace ascendopt::rt
