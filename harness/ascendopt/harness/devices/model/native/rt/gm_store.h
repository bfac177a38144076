// Stores to global memory under the core's atomic mode.
#pragma once
#include <cstdint>

namespace ascendopt::rt {

void gm_store(uint8_t dtype, uint8_t* to, const uint8_t* from, uint64_t bytes, const char* api);

}  // namespace ascendopt::rt
