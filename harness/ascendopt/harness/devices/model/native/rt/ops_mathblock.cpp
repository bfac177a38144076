// Functions of one or two float operands over arrays. Exp, Ln, Sqrt, Rsqrt and Reciprocal are single instructions;
// the rest stand for sequences of them.
#include <cstring>

#include "half.h"
#include "ops_math.h"
#include "ops_types.h"

namespace ascendopt::rt {
namespace {

constexpr size_t kChunk = 512;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;

// e^x for a block, branch-free so that the compiler vectorises it. binary64 inside: within 0.51 ulp after rounding.
void exp_block(float* values, size_t count) {
    constexpr double kShift = 6755399441055744.0;
    for (size_t i = 0; i < count; ++i) {
        double x = values[i];
        // Beyond these e^x is 0 or infinity in binary32. A NaN passes both comparisons unchanged.
        x = x > 89.0 ? 89.0 : x;
        x = x < -104.0 ? -104.0 : x;
        const double shifted = x * 1.44269504088896340736 + kShift;
        const double n = shifted - kShift;
        const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
        double sum = 1.0 / 362880;
        sum = sum * r + 1.0 / 40320;
        sum = sum * r + 1.0 / 5040;
        sum = sum * r + 1.0 / 720;
        sum = sum * r + 1.0 / 120;
        sum = sum * r + 1.0 / 24;
        sum = sum * r + 1.0 / 6;
        sum = sum * r + 0.5;
        sum = sum * r + 1.0;
        sum = sum * r + 1.0;
        // The low bits of `shifted` hold n: move them into the exponent.
        uint64_t bits;
        std::memcpy(&bits, &shifted, sizeof bits);
        const uint64_t scale_bits = (bits + 1023) << 52;
        double scale;
        std::memcpy(&scale, &scale_bits, sizeof scale);
        values[i] = static_cast<float>(sum * scale);
    }
}

// Whole numbers in binary32 (|x| < 2^23; larger values are whole already).
inline float floor_of(float x) {
    const float magnitude = bits_float(float_bits(x) & 0x7FFFFFFFu);
    if (!(magnitude < 8388608.0f)) return x;
    const float whole = static_cast<float>(static_cast<int32_t>(x));
    const float down = whole > x ? whole - 1.0f : whole;
    return bits_float(float_bits(down) | (float_bits(x) & 0x80000000u));
}
inline float ceil_of(float x) { return -floor_of(-x); }
inline float trunc_of(float x) { return (float_bits(x) >> 31) ? ceil_of(x) : floor_of(x); }
// To nearest, ties to even.
inline float round_of(float x) {
    const float magnitude = bits_float(float_bits(x) & 0x7FFFFFFFu);
    if (!(magnitude < 8388608.0f)) return x;
    const float whole = (magnitude + 8388608.0f) - 8388608.0f;
    return bits_float(float_bits(whole) | (float_bits(x) & 0x80000000u));
}

__attribute__((noinline)) float one(Op op, float x) {
    using namespace math;
    switch (op) {
        case Op::Ln:
        case Op::Log:
            return static_cast<float>(logarithm(x));
        case Op::Log2:
            return static_cast<float>(logarithm(x) / kLn2);
        case Op::Log10:
            return static_cast<float>(logarithm(x) / kLn10);
        case Op::Tanh:
            return static_cast<float>(hyperbolic_tangent(x));
        case Op::Sigmoid:
            return static_cast<float>(1.0 / (1.0 + exponential(-static_cast<double>(x))));
        case Op::Erf:
            return static_cast<float>(error_function(x));
        case Op::Erfc:
            return static_cast<float>(error_complement(x));
        // x / (1 + e^(-1.59576912 (x + 0.044715 x^3))): the documented approximation, not x * Phi(x).
        case Op::Gelu: {
            const double v = x;
            return static_cast<float>(v / (1.0 + exponential(-1.5957691216057308 * (v + 0.044715 * v * v * v))));
        }
        case Op::FasterGelu:
            return static_cast<float>(x / (1.0 + exponential(-1.702 * x)));
        // x (sgn(x) (a (min(|x / sqrt 2|, b) - b)^2 + 1/2) + 1/2), a second degree approximation of erf.
        case Op::FasterGeluV2: {
            const double v = x, magnitude = (v < 0 ? -v : v) * 0.70710678118654752440;
            const double gap = (magnitude < 1.769 ? magnitude : 1.769) - 1.769;
            const double half = -0.1444 * gap * gap + 0.5;
            return static_cast<float>(v * ((v < 0 ? -half : half) + 0.5));
        }
        case Op::Silu:
            return static_cast<float>(x / (1.0 + exponential(-static_cast<double>(x))));
        case Op::Sin:
            return static_cast<float>(sine(x));
        case Op::Cos:
            return static_cast<float>(cosine(x));
        case Op::Tan:
            return static_cast<float>(tangent(x));
        case Op::Asin:
            return static_cast<float>(arc_sine(x));
        case Op::Acos:
            return static_cast<float>(arc_cosine(x));
        case Op::Atan:
            return static_cast<float>(arc_tangent(x));
        case Op::Sinh:
            return static_cast<float>(hyperbolic_sine(x));
        case Op::Cosh:
            return static_cast<float>(hyperbolic_cosine(x));
        case Op::Asinh:
            return static_cast<float>(inverse_hyperbolic_sine(x));
        case Op::Acosh:
            return static_cast<float>(inverse_hyperbolic_cosine(x));
        case Op::Atanh:
            return static_cast<float>(inverse_hyperbolic_tangent(x));
        case Op::Floor:
            return floor_of(x);
        case Op::Ceil:
            return ceil_of(x);
        case Op::Trunc:
            return trunc_of(x);
        case Op::Round:
            return round_of(x);
        case Op::Frac:
            return x - trunc_of(x);
        case Op::Lgamma:
            return static_cast<float>(math::log_gamma(x));
        case Op::Digamma:
            return static_cast<float>(math::digamma(x));
        case Op::Sign:
            return x > 0 ? 1.0f : (x < 0 ? -1.0f : x);
        default:
            return x;
    }
}

__attribute__((noinline)) void one_block(Op op, float* values, size_t count) {
    if (op == Op::Exp) return exp_block(values, count);
    if (op == Op::Sqrt) {
        for (size_t i = 0; i < count; ++i) values[i] = __builtin_sqrtf(values[i]);
    } else if (op == Op::Rsqrt) {
        for (size_t i = 0; i < count; ++i) {
            values[i] = static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(values[i])));
        }
    } else if (op == Op::Reciprocal) {
        for (size_t i = 0; i < count; ++i) values[i] = 1.0f / values[i];
    } else {
        for (size_t i = 0; i < count; ++i) values[i] = one(op, values[i]);
    }
}

void limit_half(uint16_t* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint16_t magnitude = values[i] & 0x7FFFu;
        if (magnitude == 0x7C00u) values[i] = static_cast<uint16_t>((values[i] & 0x8000u) | 0x7BFFu);
        if (magnitude > 0x7C00u) values[i] = 0;
    }
}

// Not a template, so that forty functions cost one compilation.
__attribute__((noinline)) void one_operand(Op op, Dtype type, const ElementArgs& args) {
    const size_t size = dtype_bits(type) / 8;
    const auto* src = static_cast<const uint8_t*>(args.src[0]);
    auto* dst = static_cast<uint8_t*>(args.dst);
    float values[kChunk];
    for (size_t at = 0; at < args.count; at += kChunk) {
        const size_t n = args.count - at < kChunk ? args.count - at : kChunk;
        load_floats(src + at * size, type, n, values);
        one_block(op, values, n);
        store_floats(values, type, n, dst + at * size);
        if (type == Dtype::F16 && !args.infinities) limit_half(reinterpret_cast<uint16_t*>(dst + at * size), n);
    }
}

float two(Op op, float a, float b, float scalar) {
    switch (op) {
        case Op::Power:
            return static_cast<float>(math::power(a, b));
        case Op::Fmod:
            return static_cast<float>(math::remainder_truncated(a, b));
        case Op::Swish:
            return static_cast<float>(a / (1.0 + math::exponential(-static_cast<double>(scalar) * a)));
        case Op::SwiGlu:
            return static_cast<float>(a * (b / (1.0 + math::exponential(-static_cast<double>(scalar) * b))));
        case Op::GeGlu:
            return static_cast<float>(a * static_cast<double>(one(Op::Gelu, b)));
        case Op::ReGlu:
            return a * (b <= 0.0f ? 0.0f : b);
        default:
            return a;
    }
}

// Second operand: a tensor, else the scalar; `option` 1 swaps them (the scalar is the left operand of Power).
__attribute__((noinline)) void two_operands(Op op, Dtype type, const ElementArgs& args) {
    const size_t size = dtype_bits(type) / 8;
    const auto* left = static_cast<const uint8_t*>(args.src[0]);
    const auto* right = static_cast<const uint8_t*>(args.src[1]);
    auto* dst = static_cast<uint8_t*>(args.dst);
    const float scalar = scalar_float(args.scalar, args.scalar_type);
    float a[kChunk], b[kChunk];
    for (size_t at = 0; at < args.count; at += kChunk) {
        const size_t n = args.count - at < kChunk ? args.count - at : kChunk;
        load_floats(left + at * size, type, n, a);
        if (right) load_floats(right + at * size, type, n, b);
        for (size_t i = 0; i < n; ++i) {
            const float other = right ? b[i] : scalar;
            a[i] = args.option ? two(op, other, a[i], scalar) : two(op, a[i], other, scalar);
        }
        store_floats(a, type, n, dst + at * size);
    }
}

// Integer power wraps; a negative exponent gives the truncated quotient.
void integer_power(const ElementArgs& args) {
    auto* dst = static_cast<int32_t*>(args.dst);
    const auto* left = static_cast<const int32_t*>(args.src[0]);
    const auto* right = static_cast<const int32_t*>(args.src[1]);
    const auto scalar = static_cast<int32_t>(scalar_integer(args.scalar, args.scalar_type));
    for (size_t i = 0; i < args.count; ++i) {
        const int32_t other = right ? right[i] : scalar;
        const int32_t base = args.option ? other : left[i];
        int32_t exponent = args.option ? left[i] : other;
        if (exponent < 0) {
            dst[i] = base == 1 ? 1 : (base == -1 ? ((exponent & 1) ? -1 : 1) : 0);
            continue;
        }
        uint32_t product = 1, square = static_cast<uint32_t>(base);
        for (; exponent; exponent >>= 1) {
            if (exponent & 1) product *= square;
            square *= square;
        }
        dst[i] = static_cast<int32_t>(product);
    }
}

template <Op op, Dtype type>
void one_kernel(const ElementArgs& args) {
    one_operand(op, type, args);
}

template <Op op, Dtype type>
void two_kernel(const ElementArgs& args) {
    two_operands(op, type, args);
}

template <Op op>
ElementKernel pick(Dtype type) {
    if (type == Dtype::F16) return one_kernel<op, Dtype::F16>;
    return type == Dtype::F32 ? one_kernel<op, Dtype::F32> : nullptr;
}

template <Op op>
ElementKernel pick_two(Dtype type) {
    if (type == Dtype::F16) return two_kernel<op, Dtype::F16>;
    return type == Dtype::F32 ? two_kernel<op, Dtype::F32> : nullptr;
}

}  // namespace

ElementKernel math_kernel(Op op, Dtype type) {
    switch (op) {
        case Op::Exp:
            return pick<Op::Exp>(type);
        case Op::Ln:
            return pick<Op::Ln>(type);
        case Op::Sqrt:
            return pick<Op::Sqrt>(type);
        case Op::Rsqrt:
            return pick<Op::Rsqrt>(type);
        case Op::Reciprocal:
            return pick<Op::Reciprocal>(type);
        case Op::Log:
            return pick<Op::Log>(type);
        case Op::Log2:
            return pick<Op::Log2>(type);
        case Op::Log10:
            return pick<Op::Log10>(type);
        case Op::Tanh:
            return pick<Op::Tanh>(type);
        case Op::Sigmoid:
            return pick<Op::Sigmoid>(type);
        case Op::Erf:
            return pick<Op::Erf>(type);
        case Op::Erfc:
            return pick<Op::Erfc>(type);
        case Op::Gelu:
            return pick<Op::Gelu>(type);
        case Op::FasterGelu:
            return pick<Op::FasterGelu>(type);
        case Op::FasterGeluV2:
            return pick<Op::FasterGeluV2>(type);
        case Op::Silu:
            return pick<Op::Silu>(type);
        case Op::Sin:
            return pick<Op::Sin>(type);
        case Op::Cos:
            return pick<Op::Cos>(type);
        case Op::Tan:
            return pick<Op::Tan>(type);
        case Op::Asin:
            return pick<Op::Asin>(type);
        case Op::Acos:
            return pick<Op::Acos>(type);
        case Op::Atan:
            return pick<Op::Atan>(type);
        case Op::Sinh:
            return pick<Op::Sinh>(type);
        case Op::Cosh:
            return pick<Op::Cosh>(type);
        case Op::Asinh:
            return pick<Op::Asinh>(type);
        case Op::Acosh:
            return pick<Op::Acosh>(type);
        case Op::Atanh:
            return pick<Op::Atanh>(type);
        case Op::Floor:
            return pick<Op::Floor>(type);
        case Op::Ceil:
            return pick<Op::Ceil>(type);
        case Op::Trunc:
            return pick<Op::Trunc>(type);
        case Op::Round:
            return pick<Op::Round>(type);
        case Op::Frac:
            return pick<Op::Frac>(type);
        case Op::Sign:
            return pick<Op::Sign>(type);
        case Op::Lgamma:
            return pick<Op::Lgamma>(type);
        case Op::Digamma:
            return pick<Op::Digamma>(type);
        case Op::Power:
            return type == Dtype::I32 ? integer_power : pick_two<Op::Power>(type);
        case Op::Fmod:
            return pick_two<Op::Fmod>(type);
        case Op::Swish:
            return pick_two<Op::Swish>(type);
        case Op::SwiGlu:
            return pick_two<Op::SwiGlu>(type);
        case Op::GeGlu:
            return pick_two<Op::GeGlu>(type);
        case Op::ReGlu:
            return type == Dtype::BF16 ? two_kernel<Op::ReGlu, Dtype::BF16> : pick_two<Op::ReGlu>(type);
        default:
            return nullptr;
    }
}

}  // namespace ascendopt::rt
