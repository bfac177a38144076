// Conversions and elementary functions of the scalar unit.
#pragma once
#include "vector_params.h"

namespace AscendC {

namespace asc {
template <typename T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, half>;

// A value rounded to a whole number. Beyond 2^52 every double is whole already.
template <RoundMode mode>
constexpr double whole(double value) {
    const double magnitude = value < 0 ? -value : value;
    if (!(magnitude < 4503599627370496.0)) return value;
    const double down = static_cast<double>(static_cast<int64_t>(magnitude));
    const double floor = value < 0 && down != magnitude ? -down - 1.0 : (value < 0 ? -down : down);
    const double rest = value - floor;
    if constexpr (mode == RoundMode::CAST_FLOOR) return floor;
    if constexpr (mode == RoundMode::CAST_CEIL) return rest > 0 ? floor + 1.0 : floor;
    if constexpr (mode == RoundMode::CAST_TRUNC) return value < 0 ? -down : down;
    if constexpr (mode == RoundMode::CAST_ROUND) {
        const double away = magnitude - down >= 0.5 ? down + 1.0 : down;
        return value < 0 ? -away : away;
    }
    const bool odd = (static_cast<int64_t>(floor) & 1) != 0;
    return rest > 0.5 || (rest == 0.5 && odd) ? floor + 1.0 : floor;
}
}  // namespace asc

inline float ToFloat(const bfloat16_t& value) { return static_cast<float>(value); }
template <typename T>
inline float ToFloat(const T& value) {
    return static_cast<float>(value);
}
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

// float -> half or int32, rounded as asked. Integers saturate.
template <typename T, typename U, RoundMode roundMode>
inline U ScalarCast(T valueIn) {
    static_assert(std::is_same_v<T, float>, "ScalarCast takes float");
    static_assert(std::is_same_v<U, half> || std::is_same_v<U, int32_t>, "ScalarCast gives half or int32_t");
    if constexpr (std::is_same_v<U, int32_t>) {
        if (!(valueIn == valueIn)) return 0;
        const double value = asc::whole<roundMode>(static_cast<double>(valueIn));
        return value >= 2147483647.0 ? 2147483647 : value <= -2147483648.0 ? -2147483647 - 1 : static_cast<U>(value);
    } else {
        static_assert(roundMode != RoundMode::CAST_NONE, "ScalarCast to half needs a rounding mode");
        return __builtin_bit_cast(half, asc_float_to_half(valueIn, static_cast<uint8_t>(roundMode)));
    }
}
template <typename T, typename U, RoundMode roundMode>
inline U Cast(T valueIn) {
    return ScalarCast<T, U, roundMode>(valueIn);
}
inline bfloat16_t Cast(const float& value) { return bfloat16_t(value); }
inline float Cast(const bfloat16_t& value) { return static_cast<float>(value); }

// Bits of a 64-bit word.
template <int countValue>
inline int64_t GetBitCount(uint64_t valueIn) {
    static_assert(countValue == 0 || countValue == 1, "GetBitCount counts zeros or ones");
    const int64_t ones = __builtin_popcountll(valueIn);
    return countValue ? ones : 64 - ones;
}
template <int countValue>
inline int64_t GetSFFValue(uint64_t valueIn) {
    static_assert(countValue == 0 || countValue == 1, "GetSFFValue looks for a zero or a one");
    const uint64_t bits = countValue ? valueIn : ~valueIn;
    return bits ? __builtin_ctzll(bits) : -1;
}
inline int64_t CountLeadingZero(uint64_t valueIn) { return valueIn ? __builtin_clzll(valueIn) : 64; }
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn) {
    const auto bits = static_cast<uint64_t>(valueIn < 0 ? ~valueIn : valueIn);
    return bits ? __builtin_clzll(bits) - 1 : 63;
}

// Templates, so that an operator's own functions and <cmath> are preferred (see sqrt in system.h).
template <typename T, typename = std::enable_if_t<asc::is_number<T>>>
constexpr T abs(T value) {
    return value < 0 ? static_cast<T>(-value) : value;
}
template <typename T, typename U, typename = std::enable_if_t<asc::is_number<T> && asc::is_number<U>>>
constexpr auto min(T a, U b) {
    return b < a ? static_cast<decltype(a + b)>(b) : static_cast<decltype(a + b)>(a);
}
template <typename T, typename U, typename = std::enable_if_t<asc::is_number<T> && asc::is_number<U>>>
constexpr auto max(T a, U b) {
    return a < b ? static_cast<decltype(a + b)>(b) : static_cast<decltype(a + b)>(a);
}

// The quotient rounded up; the tensor function of this name is in math_functions.h.
inline uint32_t Ceil(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit; }

constexpr int32_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }

}  // namespace AscendC

// Kernels call them unqualified outside of the namespace, too.
using AscendC::max;
using AscendC::min;
