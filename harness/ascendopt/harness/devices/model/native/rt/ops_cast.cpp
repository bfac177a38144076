// Conversions between element types. Integers saturate, NaN becomes 0, and every rounding mode is exact.
#include <cstring>
#include <limits>

#include "half.h"
#include "ops_types.h"

namespace ascendopt::rt {
namespace {

constexpr size_t kChunk = 512;
constexpr double kInteger = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds a double to the nearest even integer

// Rounds to an integer value. Beyond 2^51 every binary32 value is an integer already.
inline double round_integral(double value, Round mode) {
    const double magnitude = value < 0 ? -value : value;
    if (!(magnitude < 2251799813685248.0)) return value;
    const double nearest = (value + kInteger) - kInteger;
    switch (mode) {
        case Round::Floor:
            return nearest > value ? nearest - 1.0 : nearest;
        case Round::Ceil:
            return nearest < value ? nearest + 1.0 : nearest;
        case Round::Trunc: {
            const double down = (magnitude + kInteger) - kInteger;
            const double whole = down > magnitude ? down - 1.0 : down;
            return value < 0 ? -whole : whole;
        }
        case Round::Round: {  // ties away from zero
            const double down = (magnitude + kInteger) - kInteger;
            const double whole = down > magnitude ? down - 1.0 : down;
            const double away = magnitude - whole >= 0.5 ? whole + 1.0 : whole;
            return value < 0 ? -away : away;
        }
        default:
            return nearest;
    }
}

template <typename T>
T saturate(double value) {
    constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<T>::max());  // 2^63 for int64: one too many
    if (value != value) return 0;
    if (value <= low) return std::numeric_limits<T>::min();
    if (value >= high) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

template <typename T, Dtype type>
void float_to_integer(const ElementArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* src = static_cast<const uint8_t*>(args.src[0]);
    const auto mode = static_cast<Round>(args.mode);
    float values[kChunk];
    for (size_t at = 0; at < args.count; at += kChunk) {
        const size_t n = args.count - at < kChunk ? args.count - at : kChunk;
        load_floats(src + at * (dtype_bits(type) / 8), type, n, values);
        for (size_t i = 0; i < n; ++i) dst[at + i] = saturate<T>(round_integral(values[i], mode));
    }
}

inline uint16_t limit_half(uint16_t half, const ElementArgs& args) {
    if (args.infinities) return half;
    const uint16_t magnitude = half & 0x7FFFu;
    if (magnitude > 0x7C00u) return 0;
    return magnitude == 0x7C00u ? static_cast<uint16_t>((half & 0x8000u) | 0x7BFFu) : half;
}

inline bool nearest_even(uint8_t mode) {
    return mode == static_cast<uint8_t>(Round::None) || mode == static_cast<uint8_t>(Round::Rint);
}

void float_to_half(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src = static_cast<const float*>(args.src[0]);
    if (nearest_even(args.mode) && args.infinities) return f32_to_f16_block(src, dst, args.count);
    for (size_t i = 0; i < args.count; ++i) {
        dst[i] = limit_half(f32_to_f16(src[i], static_cast<Round>(args.mode)), args);
    }
}

void float_to_bfloat(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src = static_cast<const float*>(args.src[0]);
    if (nearest_even(args.mode)) return f32_to_bf16_block(src, dst, args.count);
    for (size_t i = 0; i < args.count; ++i) dst[i] = f32_to_bf16(src[i], static_cast<Round>(args.mode));
}

void half_to_float(const ElementArgs& args) {
    f16_to_f32_block(static_cast<const uint16_t*>(args.src[0]), static_cast<float*>(args.dst), args.count);
}

void bfloat_to_float(const ElementArgs& args) {
    bf16_to_f32_block(static_cast<const uint16_t*>(args.src[0]), static_cast<float*>(args.dst), args.count);
}

// Rounds to an integral value; -0 becomes +0 (boundary table of the documentation).
void float_to_float(const ElementArgs& args) {
    auto* dst = static_cast<float*>(args.dst);
    const auto* src = static_cast<const float*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) {
        dst[i] = static_cast<float>(round_integral(src[i], static_cast<Round>(args.mode))) + 0.0f;
    }
}

template <typename T>
void integer_to_half(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src = static_cast<const T*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) {
        dst[i] = f32_to_f16(static_cast<float>(src[i]), static_cast<Round>(args.mode));
    }
}

// The rounding mode is ignored: the value is multiplied by the SetDeqScale factor, then rounded to half.
void int32_to_half(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src = static_cast<const int32_t*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) {
        const double scaled = static_cast<double>(src[i]) * static_cast<double>(args.deq_scale);
        dst[i] = limit_half(f32_to_f16(static_cast<float>(scaled)), args);
    }
}

// An integer of up to 64 bits in binary32, by mode, without the host's rounding.
float integer_to_float(int64_t value, Round mode) {
    const bool negative = value < 0;
    const uint64_t magnitude = negative ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
    if (magnitude < (uint64_t{1} << 24)) return static_cast<float>(value);
    const int drop = 63 - __builtin_clzll(magnitude) - 23;
    const uint64_t rest = magnitude & ((uint64_t{1} << drop) - 1);
    const uint64_t tie = uint64_t{1} << (drop - 1);
    uint64_t kept = magnitude >> drop;
    bool up = false;
    switch (mode) {
        case Round::Floor:
            up = negative && rest != 0;
            break;
        case Round::Ceil:
            up = !negative && rest != 0;
            break;
        case Round::Trunc:
            break;
        case Round::Round:
            up = rest >= tie;
            break;
        default:
            up = rest > tie || (rest == tie && (kept & 1));
            break;
    }
    kept += up ? 1 : 0;
    const uint32_t exponent = static_cast<uint32_t>(127 + 23 + drop) << 23;
    // kept has 24 bits with the leading one; a carry out of it moves the exponent up by itself.
    const uint32_t pattern = exponent + static_cast<uint32_t>(kept - (uint64_t{1} << 23));
    return bits_float(pattern | (negative ? 0x80000000u : 0u));
}

template <typename T>
void integer_to_float(const ElementArgs& args) {
    auto* dst = static_cast<float*>(args.dst);
    const auto* src = static_cast<const T*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) dst[i] = integer_to_float(src[i], static_cast<Round>(args.mode));
}

template <typename D, typename S>
void integer_to_integer(const ElementArgs& args) {
    auto* dst = static_cast<D*>(args.dst);
    const auto* src = static_cast<const S*>(args.src[0]);
    constexpr int64_t low = std::numeric_limits<D>::min();
    constexpr int64_t high = std::numeric_limits<D>::max();
    for (size_t i = 0; i < args.count; ++i) {
        const int64_t value = src[i];
        dst[i] = static_cast<D>(value < low ? low : (value > high ? high : value));
    }
}

// Two elements a byte, the first in the low nibble.
void int4_to_half(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src = static_cast<const uint8_t*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) {
        const int nibble = (src[i / 2] >> (4 * (i % 2))) & 15;
        dst[i] = f32_to_f16(static_cast<float>(nibble >= 8 ? nibble - 16 : nibble));
    }
}

void half_to_int4(const ElementArgs& args) {
    auto* dst = static_cast<uint8_t*>(args.dst);
    const auto* src = static_cast<const uint16_t*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) {
        double value = round_integral(f16_to_f32(src[i]), static_cast<Round>(args.mode));
        if (value != value) value = 0;
        const int whole = value < -8 ? -8 : (value > 7 ? 7 : static_cast<int>(value));
        const int shift = 4 * static_cast<int>(i % 2);
        dst[i / 2] = static_cast<uint8_t>((dst[i / 2] & ~(15 << shift)) | ((whole & 15) << shift));
    }
}

struct CastRow {
    Dtype src;
    Dtype dst;
    uint8_t modes;  // bit m: RoundMode m is legal; 0x80: the mode is ignored
    ElementKernel kernel;
};

constexpr uint8_t kNone = 1;
constexpr uint8_t kRounding = 0x3E;  // RINT FLOOR CEIL ROUND TRUNC
constexpr uint8_t kOdd = 0x40;

// Pairs and modes of A2 and A3, from the page of Cast.
const CastRow kCasts[] = {
    {Dtype::I4, Dtype::F16, kNone, int4_to_half},
    {Dtype::I8, Dtype::F16, kNone, integer_to_half<int8_t>},
    {Dtype::U8, Dtype::F16, kNone, integer_to_half<uint8_t>},
    {Dtype::I16, Dtype::F16, kNone | kRounding, integer_to_half<int16_t>},
    {Dtype::I16, Dtype::F32, kNone, integer_to_float<int16_t>},
    {Dtype::F16, Dtype::I4, kNone | kRounding, half_to_int4},
    {Dtype::F16, Dtype::I8, kNone | kRounding, float_to_integer<int8_t, Dtype::F16>},
    {Dtype::F16, Dtype::U8, kNone | kRounding, float_to_integer<uint8_t, Dtype::F16>},
    {Dtype::F16, Dtype::I16, kRounding, float_to_integer<int16_t, Dtype::F16>},
    {Dtype::F16, Dtype::I32, kRounding, float_to_integer<int32_t, Dtype::F16>},
    {Dtype::F16, Dtype::F32, kNone, half_to_float},
    {Dtype::BF16, Dtype::I32, kRounding, float_to_integer<int32_t, Dtype::BF16>},
    {Dtype::BF16, Dtype::F32, kNone, bfloat_to_float},
    {Dtype::I32, Dtype::I16, kNone, integer_to_integer<int16_t, int32_t>},
    {Dtype::I32, Dtype::F16, 0x80, int32_to_half},
    {Dtype::I32, Dtype::F32, kNone | kRounding, integer_to_float<int32_t>},
    {Dtype::I32, Dtype::I64, kNone, integer_to_integer<int64_t, int32_t>},
    {Dtype::F32, Dtype::I16, kRounding, float_to_integer<int16_t, Dtype::F32>},
    {Dtype::F32, Dtype::F16, kNone | kRounding | kOdd, float_to_half},
    {Dtype::F32, Dtype::BF16, kRounding, float_to_bfloat},
    {Dtype::F32, Dtype::I32, kRounding, float_to_integer<int32_t, Dtype::F32>},
    {Dtype::F32, Dtype::F32, kRounding, float_to_float},
    {Dtype::F32, Dtype::I64, kRounding, float_to_integer<int64_t, Dtype::F32>},
    {Dtype::I64, Dtype::I32, kNone, integer_to_integer<int32_t, int64_t>},
    {Dtype::I64, Dtype::F32, kRounding, integer_to_float<int64_t>},
};

const CastRow* find(Dtype dst, Dtype src) {
    for (const CastRow& row : kCasts) {
        if (row.dst == dst && row.src == src) return &row;
    }
    return nullptr;
}

}  // namespace

ElementKernel cast_kernel(Dtype dst, Dtype src) {
    const CastRow* row = find(dst, src);
    return row ? row->kernel : nullptr;
}

bool legal_cast(Dtype dst, Dtype src, uint8_t mode) {
    const CastRow* row = find(dst, src);
    return row && ((row->modes & 0x80) != 0 || (mode < 7 && (row->modes & (1u << mode)) != 0));
}

}  // namespace ascendopt::rt
