// Numbers of host code that are given when its object is loaded, so that a tiling search compiles it once. The harness
// writes `ASCENDOPT_SLOT(type, index)` where a number stands in the author's code; nobody else uses it.
#pragma once
#include <cstdint>

extern "C" int64_t ascendopt_slots[];

#define ASCENDOPT_SLOT(type, index) (static_cast<type>(ascendopt_slots[index]))
