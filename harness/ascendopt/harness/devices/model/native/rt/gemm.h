// Products of matrices on plain arrays: c[m][n] += a[m][k] * b[k][n], accumulated in the order of k.
#pragma once
#include <cstdint>

namespace ascendopt::rt {

void multiply(const float* a, const float* b, float* c, uint32_t m, uint32_t n, uint32_t k);
void multiply(const int32_t* a, const int32_t* b, int32_t* c, uint32_t m, uint32_t n, uint32_t k);

}  // namespace ascendopt::rt
