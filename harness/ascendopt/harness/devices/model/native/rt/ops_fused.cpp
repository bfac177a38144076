// Operations that do two steps in one instruction: products with sums, sums with Relu and conversion.
#include <cstring>

#include "half.h"
#include "ops_types.h"

namespace ascendopt::rt {
namespace {

constexpr size_t kChunk = 512;

void limit_half(uint16_t* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint16_t magnitude = values[i] & 0x7FFFu;
        if (magnitude == 0x7C00u) values[i] = static_cast<uint16_t>((values[i] & 0x8000u) | 0x7BFFu);
        if (magnitude > 0x7C00u) values[i] = 0;
    }
}

// Rounds binary32 values to half precision in place: the result of one documented step.
void round_half(float* values, size_t count) {
    uint16_t halves[kChunk];
    f32_to_f16_block(values, halves, count);
    f16_to_f32_block(halves, values, count);
}

inline float relu(float a) { return a <= 0.0f ? 0.0f : a; }

// Three operands, rounded to the destination type after the product and after the sum.
enum class Fused { MulAddDst, FusedMulAdd, FusedMulAddRelu, Axpy };

template <Fused kind, typename D, typename S>
void three_operands(const ElementArgs& args) {
    constexpr Dtype dst_type = sizeof(D) == 2 ? Dtype::F16 : Dtype::F32;
    constexpr Dtype src_type = sizeof(S) == 2 ? Dtype::F16 : Dtype::F32;
    constexpr bool half_dst = dst_type == Dtype::F16;
    auto* dst = static_cast<D*>(args.dst);
    const auto* left = static_cast<const S*>(args.src[0]);
    const auto* right = static_cast<const S*>(args.src[1]);
    const float scalar = kind == Fused::Axpy ? scalar_float(args.scalar, args.scalar_type) : 0.0f;
    float a[kChunk], b[kChunk], d[kChunk], product[kChunk];
    for (size_t at = 0; at < args.count; at += kChunk) {
        const size_t n = args.count - at < kChunk ? args.count - at : kChunk;
        load_floats(left + at, src_type, n, a);
        load_floats(dst + at, dst_type, n, d);
        if (right) load_floats(right + at, src_type, n, b);
        for (size_t i = 0; i < n; ++i) {
            const float factor = kind == Fused::Axpy ? scalar : (kind == Fused::MulAddDst ? b[i] : d[i]);
            product[i] = a[i] * factor;
        }
        if (half_dst) round_half(product, n);
        for (size_t i = 0; i < n; ++i) {
            const bool adds_source = kind == Fused::FusedMulAdd || kind == Fused::FusedMulAddRelu;
            float value = product[i] + (adds_source ? b[i] : d[i]);
            if (kind == Fused::FusedMulAddRelu) value = relu(value);
            product[i] = value;
        }
        store_floats(product, dst_type, n, dst + at);
        if constexpr (half_dst) {
            if (!args.infinities) limit_half(dst + at, n);
        }
    }
}

template <Fused kind>
ElementKernel fused_by_type(Dtype dst, Dtype src) {
    if (dst == Dtype::F16 && src == Dtype::F16) return three_operands<kind, uint16_t, uint16_t>;
    if (dst == Dtype::F32 && src == Dtype::F32) return three_operands<kind, float, float>;
    if (dst == Dtype::F32 && src == Dtype::F16 && (kind == Fused::MulAddDst || kind == Fused::Axpy)) {
        return three_operands<kind, float, uint16_t>;
    }
    return nullptr;
}

// Both sources in `Src`, the result rounded there, then converted as Cast with CAST_NONE does.
template <typename S>
void then_cast(Op first, Dtype src, Dtype dst, const ElementArgs& args) {
    const ElementKernel step = element_kernel(first, src, src);
    const ElementKernel cast = cast_kernel(dst, src);
    S middle[kChunk];
    ElementArgs part = args;
    const auto* left = static_cast<const S*>(args.src[0]);
    const auto* right = static_cast<const S*>(args.src[1]);
    const size_t size = dtype_bits(dst) / 8;
    for (size_t at = 0; at < args.count; at += kChunk) {
        part.count = args.count - at < kChunk ? args.count - at : kChunk;
        part.dst = middle;
        part.src[0] = left + at;
        part.src[1] = right + at;
        step(part);
        part.dst = static_cast<uint8_t*>(args.dst) + at * size;
        part.src[0] = middle;
        part.mode = static_cast<uint8_t>(Round::None);
        cast(part);
    }
}

template <Op first, Dtype src, Dtype dst>
void two_steps(const ElementArgs& args) {
    if constexpr (src == Dtype::F32) {
        then_cast<float>(first, src, dst, args);
    } else {
        then_cast<uint16_t>(first, src, dst, args);
    }
}

// int16 -> int8 exists in these instructions though Cast has no such pair.
template <Op first>
void short_to_byte(const ElementArgs& args) {
    const ElementKernel step = element_kernel(first, Dtype::I16, Dtype::I16);
    int16_t middle[kChunk];
    ElementArgs part = args;
    auto* dst = static_cast<int8_t*>(args.dst);
    for (size_t at = 0; at < args.count; at += kChunk) {
        part.count = args.count - at < kChunk ? args.count - at : kChunk;
        part.dst = middle;
        part.src[0] = static_cast<const int16_t*>(args.src[0]) + at;
        part.src[1] = static_cast<const int16_t*>(args.src[1]) + at;
        step(part);
        for (size_t i = 0; i < part.count; ++i) {
            dst[at + i] = static_cast<int8_t>(middle[i] < -128 ? -128 : (middle[i] > 127 ? 127 : middle[i]));
        }
    }
}

template <Op first>
ElementKernel relu_cast(Dtype dst, Dtype src) {
    if (dst == Dtype::I8 && src == Dtype::F16) return two_steps<first, Dtype::F16, Dtype::I8>;
    if (dst == Dtype::F16 && src == Dtype::F32) return two_steps<first, Dtype::F32, Dtype::F16>;
    return dst == Dtype::I8 && src == Dtype::I16 ? short_to_byte<first> : nullptr;
}

// int32 sum, scaled to half, Relu.
void add_dequantise_relu(const ElementArgs& args) {
    auto* dst = static_cast<uint16_t*>(args.dst);
    const auto* left = static_cast<const int32_t*>(args.src[0]);
    const auto* right = static_cast<const int32_t*>(args.src[1]);
    for (size_t i = 0; i < args.count; ++i) {
        const auto sum = static_cast<int32_t>(static_cast<uint32_t>(left[i]) + static_cast<uint32_t>(right[i]));
        const double scaled = static_cast<double>(sum) * static_cast<double>(args.deq_scale);
        dst[i] = f32_to_f16(relu(static_cast<float>(scaled)));
    }
    if (!args.infinities) limit_half(dst, args.count);
}

}  // namespace

ElementKernel fused_kernel(Op op, Dtype dst, Dtype src) {
    switch (op) {
        case Op::Axpy:
            return fused_by_type<Fused::Axpy>(dst, src);
        case Op::MulAddDst:
            return fused_by_type<Fused::MulAddDst>(dst, src);
        case Op::FusedMulAdd:
            return fused_by_type<Fused::FusedMulAdd>(dst, src);
        case Op::FusedMulAddRelu:
            return fused_by_type<Fused::FusedMulAddRelu>(dst, src);
        case Op::AddReluCast:
            return relu_cast<Op::AddRelu>(dst, src);
        case Op::SubReluCast:
            return relu_cast<Op::SubRelu>(dst, src);
        case Op::MulCast:
            if (src != Dtype::F16) return nullptr;
            if (dst == Dtype::I8) return two_steps<Op::Mul, Dtype::F16, Dtype::I8>;
            return dst == Dtype::U8 ? two_steps<Op::Mul, Dtype::F16, Dtype::U8> : nullptr;
        case Op::AddDeqRelu:
            return dst == Dtype::F16 && src == Dtype::I32 ? add_dequantise_relu : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace ascendopt::rt
