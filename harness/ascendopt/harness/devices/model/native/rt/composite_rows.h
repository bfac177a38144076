// Rows of a matrix as the softmax family sees them. Rows start `pitch` elements apart; a value of a row fills one 32 B
// block of its tensor.
#pragma once
#include "composite.h"
#include "ops_math.h"

namespace ascendopt::rt {

// value: 0 = rows; 1 = pitch; 2 = elements that count; the rest by function.
struct Rows {
    const AscComposite& call;
    uint64_t rows, pitch, n;
    Dtype type;

    explicit Rows(const AscComposite& from)
        : call(from),
          rows(from.value[0]),
          pitch(from.value[1]),
          n(from.value[2]),
          type(static_cast<Dtype>(from.in[0].dtype)) {
        check_type(call, call.in[0], kHalfOrFloat);
        check_starts(call);
        if (pitch == 0 || n > pitch || pitch * dtype_bits(type) / 8 % kBlockBytes) {
            fatal("shape", call.api, "%s: rows of %llu elements (%llu count) are not whole 32 B blocks", call.api,
                  static_cast<unsigned long long>(pitch), static_cast<unsigned long long>(n));
        }
    }
    uint64_t elements() const { return rows * pitch; }
    bool half() const { return type == Dtype::F16; }
};

inline uint64_t block_elements(const AscLocal& where) {
    return kBlockBytes * 8 / dtype_bits(static_cast<Dtype>(where.dtype));
}

// One value for each row, in the first element of its block; and back into the whole block.
inline float block_value(const AscLocal& where, uint64_t row) {
    return load_values(where, 1, row * block_elements(where))[0];
}
inline void fill_block(const AscLocal& where, uint64_t row, float value) {
    const std::vector<float> block(block_elements(where), value);
    store_values(where, block.data(), block.size(), row * block.size());
}
// The same as a tensor with 32 B for each row.
inline uint64_t blocks(const AscLocal& where, uint64_t rows) { return rows * block_elements(where); }

inline float exponential_of(float x) { return static_cast<float>(math::exponential(static_cast<double>(x))); }

inline float largest(const std::vector<float>& values, uint64_t n) {
    float best = values[0];
    for (uint64_t i = 1; i < n; ++i) best = best != best || best > values[i] ? best : values[i];
    return best;
}

}  // namespace ascendopt::rt
