// Arithmetic, logic and fills over contiguous arrays. Half values are computed in binary32 and rounded once a step;
// 24 bits of significand make that exact for + - * / (24 >= 2 * 11 + 2). Integers wrap.
#include <cstring>
#include <type_traits>

#include "half.h"
#include "ops_types.h"

namespace ascendopt::rt {
namespace {

constexpr size_t kChunk = 512;

void saturate_half(uint16_t* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint16_t magnitude = values[i] & 0x7FFFu;
        if (magnitude == 0x7C00u) values[i] = static_cast<uint16_t>((values[i] & 0x8000u) | 0x7BFFu);
        if (magnitude > 0x7C00u) values[i] = 0;
    }
}

template <typename T>
using Unsigned = std::make_unsigned_t<T>;
// Arithmetic that wraps; int16 must not promote into signed overflow.
template <typename T>
using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

struct AddOp {
    static float run(float a, float b) { return a + b; }
    template <typename T>
    static T integer(T a, T b) {
        return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    }
};
struct SubOp {
    static float run(float a, float b) { return a - b; }
    template <typename T>
    static T integer(T a, T b) {
        return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
    }
};
struct MulOp {
    static float run(float a, float b) { return a * b; }
    template <typename T>
    static T integer(T a, T b) {
        return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    }
};
struct DivOp {
    static float run(float a, float b) { return a / b; }
};
// NaN in either operand gives NaN, and +0 is greater than -0 (boundary tables of the documentation).
struct MaxOp {
    static float run(float a, float b) {
        const float larger = a > b ? a : b;
        const float tie = bits_float(float_bits(a) & float_bits(b));
        const float ordered = a == b ? tie : larger;
        return a != a ? a : (b != b ? b : ordered);
    }
    template <typename T>
    static T integer(T a, T b) {
        return a > b ? a : b;
    }
};
struct MinOp {
    static float run(float a, float b) {
        const float smaller = a < b ? a : b;
        const float tie = bits_float(float_bits(a) | float_bits(b));
        const float ordered = a == b ? tie : smaller;
        return a != a ? a : (b != b ? b : ordered);
    }
    template <typename T>
    static T integer(T a, T b) {
        return a < b ? a : b;
    }
};
inline float relu(float a) { return a <= 0.0f ? 0.0f : a; }
template <typename T>
T relu(T a) {
    return a < 0 ? T{0} : a;
}
// By comparison and selection, so a NaN stays.
struct ClampMinOp {
    static float run(float a, float limit) { return a < limit ? limit : a; }
};
struct ClampMaxOp {
    static float run(float a, float limit) { return a > limit ? limit : a; }
};
struct AndOp {
    template <typename T>
    static T integer(T a, T b) {
        return static_cast<T>(a & b);
    }
};
struct OrOp {
    template <typename T>
    static T integer(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct XorOp {
    template <typename T>
    static T integer(T a, T b) {
        return static_cast<T>(a ^ b);
    }
};

// Half: binary32 in blocks. `Post` is a second step (Relu) that sees the rounded first step.
template <typename F, bool with_relu>
void half_binary(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* left = static_cast<const uint16_t*>(args.src[0]);
    const auto* right = static_cast<const uint16_t*>(args.src[1]);
    const float scalar = right ? 0.0f : scalar_float(args.scalar, args.scalar_type);
    float a[kChunk], b[kChunk];
    for (size_t at = 0; at < args.count; at += kChunk) {
        const size_t n = args.count - at < kChunk ? args.count - at : kChunk;
        f16_to_f32_block(left + at, a, n);
        if (right) {
            f16_to_f32_block(right + at, b, n);
            for (size_t i = 0; i < n; ++i) a[i] = F::run(a[i], b[i]);
        } else {
            for (size_t i = 0; i < n; ++i) a[i] = F::run(a[i], scalar);
        }
        if constexpr (with_relu) {
            for (size_t i = 0; i < n; ++i) a[i] = relu(a[i]);
        }
        f32_to_f16_block(a, dst + at, n);
        if (!args.infinities) saturate_half(dst + at, n);
    }
}

template <typename F, bool with_relu>
void float_binary(const ElementArgs& args) {
    auto* dst = static_cast<float*>(args.dst);
    const auto* left = static_cast<const float*>(args.src[0]);
    const auto* right = static_cast<const float*>(args.src[1]);
    if (right) {
        for (size_t i = 0; i < args.count; ++i) {
            const float value = F::run(left[i], right[i]);
            dst[i] = with_relu ? relu(value) : value;
        }
    } else {
        const float scalar = scalar_float(args.scalar, args.scalar_type);
        for (size_t i = 0; i < args.count; ++i) {
            const float value = F::run(left[i], scalar);
            dst[i] = with_relu ? relu(value) : value;
        }
    }
}

template <typename T, typename F, bool with_relu>
void integer_binary(const ElementArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* left = static_cast<const T*>(args.src[0]);
    const auto* right = static_cast<const T*>(args.src[1]);
    const T scalar = right ? T{0} : static_cast<T>(scalar_integer(args.scalar, args.scalar_type));
    for (size_t i = 0; i < args.count; ++i) {
        const T value = F::integer(left[i], right ? right[i] : scalar);
        dst[i] = with_relu ? relu(value) : value;
    }
}

template <typename F, bool with_relu = false>
ElementKernel arithmetic(Dtype type) {
    switch (type) {
        case Dtype::F16:
            return half_binary<F, with_relu>;
        case Dtype::F32:
            return float_binary<F, with_relu>;
        case Dtype::I16:
            return integer_binary<int16_t, F, with_relu>;
        case Dtype::I32:
            return integer_binary<int32_t, F, with_relu>;
        default:
            return nullptr;
    }
}

template <typename F>
ElementKernel logic(Dtype type) {
    switch (dtype_bits(type)) {
        case 16:
            return integer_binary<uint16_t, F, false>;
        case 32:
            return integer_binary<uint32_t, F, false>;
        default:
            return nullptr;
    }
}

struct LeakyReluOp {
    static float run(float a, float slope) { return a < 0.0f ? a * slope : a; }
};

template <typename U, U magnitude>
void clear_sign(const ElementArgs& args) {
    auto* dst = static_cast<U*>(args.dst);
    const auto* src = static_cast<const U*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) dst[i] = static_cast<U>(src[i] & magnitude);
}

template <typename T>
void relu_integer(const ElementArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* src = static_cast<const T*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) dst[i] = relu(src[i]);
}

struct ReluOp {
    static float run(float a, float) { return relu(a); }
};

void complement(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* src = static_cast<const uint16_t*>(args.src[0]);
    for (size_t i = 0; i < args.count; ++i) dst[i] = static_cast<uint16_t>(~src[i]);
}

template <typename T>
void shift_left(const ElementArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* src = static_cast<const T*>(args.src[0]);
    const int64_t by = scalar_integer(args.scalar, args.scalar_type);
    const bool all = by < 0 || by >= static_cast<int64_t>(8 * sizeof(T));
    for (size_t i = 0; i < args.count; ++i) {
        dst[i] = all ? T{0} : static_cast<T>(static_cast<Wide<T>>(src[i]) << by);
    }
}

// Arithmetic for signed types. option 1 adds half of the last kept bit first, in a wider type.
template <typename T>
void shift_right(const ElementArgs& args) {
    auto* dst = static_cast<T*>(args.dst);
    const auto* src = static_cast<const T*>(args.src[0]);
    int64_t by = scalar_integer(args.scalar, args.scalar_type);
    if (by < 0 || by > static_cast<int64_t>(8 * sizeof(T))) by = 8 * sizeof(T);
    const int64_t round = args.option && by > 0 ? int64_t{1} << (by - 1) : 0;
    for (size_t i = 0; i < args.count; ++i) dst[i] = static_cast<T>((static_cast<int64_t>(src[i]) + round) >> by);
}

ElementKernel shift(bool left, Dtype type) {
    switch (type) {
        case Dtype::I16:
            return left ? shift_left<int16_t> : shift_right<int16_t>;
        case Dtype::U16:
            return left ? shift_left<uint16_t> : shift_right<uint16_t>;
        case Dtype::I32:
            return left ? shift_left<int32_t> : shift_right<int32_t>;
        case Dtype::U32:
            return left ? shift_left<uint32_t> : shift_right<uint32_t>;
        default:
            return nullptr;
    }
}

template <typename U>
void duplicate(const ElementArgs& args) {
    auto* dst = static_cast<U*>(args.dst);
    const U value = static_cast<U>(args.scalar);
    for (size_t i = 0; i < args.count; ++i) dst[i] = value;
}

template <size_t size>
void copy(const ElementArgs& args) {
    std::memmove(args.dst, args.src[0], args.count * size);
}

ElementKernel by_width(uint32_t bits, ElementKernel one, ElementKernel two, ElementKernel four, ElementKernel eight) {
    switch (bits) {
        case 8:
            return one;
        case 16:
            return two;
        case 32:
            return four;
        case 64:
            return eight;
        default:
            return nullptr;
    }
}

ElementKernel relu_kernel(Dtype type) {
    if (type == Dtype::I32) return relu_integer<int32_t>;
    if (type == Dtype::F16) return half_binary<ReluOp, false>;
    return type == Dtype::F32 ? float_binary<ReluOp, false> : nullptr;
}

ElementKernel abs_kernel(Dtype type) {
    if (type == Dtype::F16) return clear_sign<uint16_t, 0x7FFF>;
    return type == Dtype::F32 ? clear_sign<uint32_t, 0x7FFFFFFF> : nullptr;
}

ElementKernel float_only(Dtype type, ElementKernel half, ElementKernel single) {
    if (type == Dtype::F16) return half;
    return type == Dtype::F32 ? single : nullptr;
}

}  // namespace

void load_floats(const void* source, Dtype type, size_t count, float* target) {
    if (type == Dtype::F16) {
        f16_to_f32_block(static_cast<const uint16_t*>(source), target, count);
    } else if (type == Dtype::BF16) {
        bf16_to_f32_block(static_cast<const uint16_t*>(source), target, count);
    } else {
        std::memcpy(target, source, count * sizeof(float));
    }
}

void store_floats(const float* source, Dtype type, size_t count, void* target) {
    if (type == Dtype::F16) {
        f32_to_f16_block(source, static_cast<uint16_t*>(target), count);
    } else if (type == Dtype::BF16) {
        f32_to_bf16_block(source, static_cast<uint16_t*>(target), count);
    } else {
        std::memcpy(target, source, count * sizeof(float));
    }
}

ElementKernel element_kernel(Op op, Dtype dst, Dtype src) {
    const uint32_t bits = dtype_bits(dst);
    if (op == Op::Cast) return cast_kernel(dst, src);
    if (const ElementKernel fused = fused_kernel(op, dst, src)) return fused;
    if (dst != src) return nullptr;
    switch (op) {
        case Op::Add:
        case Op::Adds:
            return arithmetic<AddOp>(src);
        case Op::Sub:
            return arithmetic<SubOp>(src);
        case Op::Mul:
        case Op::Muls:
            return arithmetic<MulOp>(src);
        case Op::Div:
            return float_only(src, half_binary<DivOp, false>, float_binary<DivOp, false>);
        case Op::Max:
        case Op::Maxs:
            return arithmetic<MaxOp>(src);
        case Op::ClampMin:
            return float_only(src, half_binary<ClampMinOp, false>, float_binary<ClampMinOp, false>);
        case Op::ClampMax:
            return float_only(src, half_binary<ClampMaxOp, false>, float_binary<ClampMaxOp, false>);
        case Op::Min:
        case Op::Mins:
            return arithmetic<MinOp>(src);
        case Op::AddRelu:
            return arithmetic<AddOp, true>(src);
        case Op::SubRelu:
            return arithmetic<SubOp, true>(src);
        case Op::And:
            return logic<AndOp>(src);
        case Op::Or:
            return logic<OrOp>(src);
        case Op::Xor:
            return logic<XorOp>(src);
        case Op::Not:
            return bits == 16 ? complement : nullptr;
        case Op::Abs:
            return abs_kernel(src);
        case Op::Relu:
            return relu_kernel(src);
        case Op::LeakyRelu:
            return float_only(src, half_binary<LeakyReluOp, false>, float_binary<LeakyReluOp, false>);
        case Op::ShiftLeft:
            return shift(true, src);
        case Op::ShiftRight:
            return shift(false, src);
        case Op::Duplicate:
            return by_width(bits, duplicate<uint8_t>, duplicate<uint16_t>, duplicate<uint32_t>, duplicate<uint64_t>);
        case Op::Copy:
            return by_width(bits, copy<1>, copy<2>, copy<4>, copy<8>);
        default:
            return math_kernel(op, src);
    }
}

}  // namespace ascendopt::rt
