// Comparison into a bit stream, and selection by one.
#include <cstring>

#include "half.h"
#include "ops_types.h"

namespace ascendopt::rt {
namespace {

// The public CMPMODE order. A NaN makes every comparison false except "not equal".
enum class Mode : uint8_t { Lt, Gt, Eq, Le, Ge, Ne };

template <Mode mode, typename T>
inline bool holds(T a, T b) {
    if (mode == Mode::Lt) return a < b;
    if (mode == Mode::Gt) return a > b;
    if (mode == Mode::Eq) return a == b;
    if (mode == Mode::Le) return a <= b;
    if (mode == Mode::Ge) return a >= b;
    return a != b;
}

template <Mode mode, typename T>
void pack(const T* left, const T* right, T scalar, size_t count, uint8_t* bits) {
    size_t at = 0;
    for (; at + 8 <= count; at += 8) {
        uint8_t flags[8];
        if (right) {
            for (int i = 0; i < 8; ++i) flags[i] = holds<mode>(left[at + i], right[at + i]);
        } else {
            for (int i = 0; i < 8; ++i) flags[i] = holds<mode>(left[at + i], scalar);
        }
        uint64_t word;
        std::memcpy(&word, flags, sizeof word);
        // Gathers bit 0 of each byte into one byte, lowest first.
        bits[at / 8] = static_cast<uint8_t>((word * 0x0102040810204080u) >> 56);
    }
    if (at < count) {
        uint8_t byte = 0;
        for (size_t i = at; i < count; ++i) {
            byte = static_cast<uint8_t>(byte | (holds<mode>(left[i], right ? right[i] : scalar) ? 1u << (i - at) : 0u));
        }
        bits[at / 8] = byte;
    }
}

template <typename T>
void pack(uint8_t mode, const T* left, const T* right, T scalar, size_t count, uint8_t* bits) {
    switch (static_cast<Mode>(mode)) {
        case Mode::Lt:
            return pack<Mode::Lt>(left, right, scalar, count, bits);
        case Mode::Gt:
            return pack<Mode::Gt>(left, right, scalar, count, bits);
        case Mode::Eq:
            return pack<Mode::Eq>(left, right, scalar, count, bits);
        case Mode::Le:
            return pack<Mode::Le>(left, right, scalar, count, bits);
        case Mode::Ge:
            return pack<Mode::Ge>(left, right, scalar, count, bits);
        case Mode::Ne:
            return pack<Mode::Ne>(left, right, scalar, count, bits);
    }
}

template <typename U>
void choose(U* dst, const uint8_t* bits, size_t first, const U* yes, const U* no, U scalar, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const size_t at = first + i;
        const U other = no ? no[i] : scalar;
        dst[i] = ((bits[at / 8] >> (at % 8)) & 1) ? yes[i] : other;
    }
}

}  // namespace

void compare_bits(uint8_t mode, Dtype type, const void* left, const void* right, uint64_t scalar, size_t count,
                  uint8_t* bits) {
    if (type == Dtype::I32) {
        pack(mode, static_cast<const int32_t*>(left), static_cast<const int32_t*>(right), static_cast<int32_t>(scalar),
             count, bits);
        return;
    }
    if (type == Dtype::F32) {
        pack(mode, static_cast<const float*>(left), static_cast<const float*>(right),
             bits_float(static_cast<uint32_t>(scalar)), count, bits);
        return;
    }
    constexpr size_t kChunk = 512;
    float a[kChunk], b[kChunk];
    const auto* halves = static_cast<const uint16_t*>(left);
    const auto* others = static_cast<const uint16_t*>(right);
    for (size_t at = 0; at < count; at += kChunk) {
        const size_t n = count - at < kChunk ? count - at : kChunk;
        f16_to_f32_block(halves + at, a, n);
        if (others) f16_to_f32_block(others + at, b, n);
        pack(mode, a, others ? b : nullptr, f16_to_f32(static_cast<uint16_t>(scalar)), n, bits + at / 8);
    }
}

void select_elements(uint32_t size, void* dst, const uint8_t* bits, size_t first_bit, const void* src0,
                     const void* src1, uint64_t scalar, size_t count) {
    if (size == 2) {
        choose(static_cast<uint16_t*>(dst), bits, first_bit, static_cast<const uint16_t*>(src0),
               static_cast<const uint16_t*>(src1), static_cast<uint16_t>(scalar), count);
    } else {
        choose(static_cast<uint32_t*>(dst), bits, first_bit, static_cast<const uint32_t*>(src0),
               static_cast<const uint32_t*>(src1), static_cast<uint32_t>(scalar), count);
    }
}

}  // namespace ascendopt::rt
