// Rows of c stay in registers or in the first cache level while k runs, so that the compiler can vectorise over n.
#include <algorithm>

#include "gemm.h"

namespace ascendopt::rt {

namespace {

constexpr uint32_t kColumns = 256;

template <typename T>
void product(const T* a, const T* b, T* c, uint32_t m, uint32_t n, uint32_t k) {
    for (uint32_t first = 0; first < n; first += kColumns) {
        const uint32_t width = std::min(kColumns, n - first);
        for (uint32_t row = 0; row < m; ++row) {
            T* out = c + uint64_t{row} * n + first;
            for (uint32_t step = 0; step < k; ++step) {
                const T factor = a[uint64_t{row} * k + step];
                const T* line = b + uint64_t{step} * n + first;
                for (uint32_t column = 0; column < width; ++column) out[column] += factor * line[column];
            }
        }
    }
}

}  // namespace

void multiply(const float* a, const float* b, float* c, uint32_t m, uint32_t n, uint32_t k) {
    product(a, b, c, m, n, k);
}

void multiply(const int32_t* a, const int32_t* b, int32_t* c, uint32_t m, uint32_t n, uint32_t k) {
    // Sums of int8 products wrap only beyond 2^16 terms; unsigned arithmetic keeps that defined.
    product(reinterpret_cast<const uint32_t*>(a), reinterpret_cast<const uint32_t*>(b), reinterpret_cast<uint32_t*>(c),
            m, n, k);
}

}  // namespace ascendopt::rt
