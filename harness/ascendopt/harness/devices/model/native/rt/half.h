// binary16 and bfloat16 as 16-bit patterns, with exact conversions to and from binary32.
// Every rounding here is IEEE round-to-nearest, ties to even, unless a Round is given; NaNs stay NaNs (quiet).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ascendopt::rt {

inline uint32_t float_bits(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float bits_float(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Rounding modes by the numbers that AscVector::mode carries (the public RoundMode order).
enum class Round : uint8_t { None = 0, Rint, Floor, Ceil, Round, Trunc, Odd };

inline float f16_to_f32(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    const uint32_t exponent = (half >> 10) & 0x1Fu;
    const uint32_t fraction = half & 0x3FFu;
    if (exponent == 0x1F) return bits_float(sign | 0x7F800000u | (fraction << 13) | (fraction ? 0x400000u : 0u));
    if (exponent != 0) return bits_float(sign | ((exponent + 112u) << 23) | (fraction << 13));
    // Subnormal: fraction * 2^-24 is exact in binary32.
    const float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;
    return bits_float(sign | float_bits(magnitude));
}

// Any mode, bit by bit. Overflow: infinity where the mode rounds away from zero or to nearest, else 65504.
inline uint16_t f32_to_f16(float value, Round mode = Round::Rint) {
    const uint32_t bits = float_bits(value);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu));
    if (magnitude == 0x7F800000u) return static_cast<uint16_t>(sign | 0x7C00u);
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    uint32_t mantissa = magnitude & 0x7FFFFFu;
    int drop = 13;
    uint32_t base = 0;
    if (exponent >= -14) {
        base = static_cast<uint32_t>(exponent + 15) << 10;
    } else {
        if (magnitude >= 0x00800000u) mantissa |= 0x800000u;
        drop = 13 + (-14 - exponent);
        if (drop > 31) drop = 31;
    }
    const uint32_t kept = base + (mantissa >> drop);
    const uint32_t rest = mantissa & ((1u << drop) - 1u);
    const uint32_t tie = 1u << (drop - 1);
    const bool negative = sign != 0;
    bool up = false;
    switch (mode) {
        case Round::None:
        case Round::Rint:
            up = rest > tie || (rest == tie && (kept & 1u));
            break;
        case Round::Round:
            up = rest >= tie;
            break;
        case Round::Floor:
            up = negative && rest != 0;
            break;
        case Round::Ceil:
            up = !negative && rest != 0;
            break;
        case Round::Trunc:
            break;
        case Round::Odd:
            up = rest != 0 && !(kept & 1u);
            break;
    }
    uint32_t result = kept + (up ? 1u : 0u);
    if (exponent >= 16) {
        // Beyond 65536 already: only the direction decides.
        const bool to_infinity = mode == Round::None || mode == Round::Rint || mode == Round::Round ||
                                 (mode == Round::Floor && negative) || (mode == Round::Ceil && !negative);
        result = to_infinity ? 0x7C00u : 0x7BFFu;
    }
    return static_cast<uint16_t>(sign | result);
}

inline float bf16_to_f32(uint16_t half) { return bits_float(static_cast<uint32_t>(half) << 16); }

inline uint16_t f32_to_bf16(float value, Round mode = Round::Rint) {
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
    const uint32_t kept = bits >> 16;
    const uint32_t rest = bits & 0xFFFFu;
    const bool negative = (bits >> 31) != 0;
    bool up = false;
    switch (mode) {
        case Round::None:
        case Round::Rint:
            up = rest > 0x8000u || (rest == 0x8000u && (kept & 1u));
            break;
        case Round::Round:
            up = rest >= 0x8000u;
            break;
        case Round::Floor:
            up = negative && rest != 0;
            break;
        case Round::Ceil:
            up = !negative && rest != 0;
            break;
        case Round::Trunc:
            break;
        case Round::Odd:
            up = rest != 0 && !(kept & 1u);
            break;
    }
    return static_cast<uint16_t>(kept + (up ? 1u : 0u));
}

// Blocks. F16C where the processor has it (chosen at run time), the functions above otherwise; same bits.
void f16_to_f32_block(const uint16_t* source, float* target, size_t count);
void f32_to_f16_block(const float* source, uint16_t* target, size_t count);
void bf16_to_f32_block(const uint16_t* source, float* target, size_t count);
void f32_to_bf16_block(const float* source, uint16_t* target, size_t count);

}  // namespace ascendopt::rt
