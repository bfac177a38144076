// Batches of products: where the matrices of each layout lie (IterateBatch in the public documentation).
//
//     BSNGD  [B, S, N, G, D]   a matrix is S x D; the next one, along G and N, begins D elements on
//     SBNGD  [S, B, N, G, D]   the same, along G, N and B
//     BNGS1S2, NORMAL          matrices one after another
#pragma once
#include "../../../abi/matmul.h"
#include "../kernel_tiling/kernel_tiling.h"
#include "matmul_config.h"

namespace AscendC::asc {

struct BatchAxes {
    uint32_t b, s, n, g, d;
};

ASC_INLINE uint32_t axis(int32_t length) { return length > 0 ? static_cast<uint32_t>(length) : 1; }
ASC_INLINE BatchAxes a_axes(const TCubeTiling& of) {
    return {axis(of.ALayoutInfoB), axis(of.ALayoutInfoS), axis(of.ALayoutInfoN), axis(of.ALayoutInfoG),
            axis(of.ALayoutInfoD)};
}
ASC_INLINE BatchAxes b_axes(const TCubeTiling& of) {
    return {axis(of.BLayoutInfoB), axis(of.BLayoutInfoS), axis(of.BLayoutInfoN), axis(of.BLayoutInfoG),
            axis(of.BLayoutInfoD)};
}
ASC_INLINE BatchAxes c_axes(const TCubeTiling& of) {
    return {axis(of.CLayoutInfoB), axis(of.CLayoutInfoS1), axis(of.CLayoutInfoN), axis(of.CLayoutInfoG),
            axis(of.CLayoutInfoS2)};
}

// `elements` of one matrix, `stride` of the call (0: none) for matrices that lie one after another.
ASC_INLINE void lay_out(AscMatmulSide& side, LayoutMode layout, BatchAxes axes, uint64_t elements, uint64_t stride) {
    side.mod = 1;
    side.divisor = 1;
    if (layout == LayoutMode::BSNGD) {
        side.group = axes.n * axes.g;
        side.near = axes.d;
        side.pitch = uint64_t{side.group} * axes.d;
        side.far = side.pitch * axes.s;
    } else if (layout == LayoutMode::SBNGD) {
        side.group = axes.b * axes.n * axes.g;
        side.near = axes.d;
        side.pitch = uint64_t{side.group} * axes.d;
    } else {
        side.group = ~0u;
        side.near = layout == LayoutMode::BNGS1S2 ? uint64_t{axes.s} * axes.d : elements;
    }
    if (stride != 0) side.near = stride;
}

// The operand whose axis has length 1 where the other's has more is used again along it. Only one axis may be so.
ASC_INLINE bool reuse(AscMatmulSide& side, BatchAxes own, BatchAxes other) {
    if (own.g == 1 && other.g != 1) {
        side.divisor = other.g;
        return own.n == other.n && own.b == other.b;
    }
    if (own.n == 1 && other.n != 1) {
        side.mod = other.g;
        side.divisor = other.g * other.n;
        return own.g == other.g && own.b == other.b;
    }
    if (own.b == 1 && other.b != 1) {
        side.mod = other.g * other.n;
        side.divisor = other.g * other.n * other.b;
        return own.g == other.g;
    }
    return true;
}

template <LayoutMode A, LayoutMode B, LayoutMode C>
ASC_INLINE AscMatmulBatch batch_of(const AscMatmul& object, const TCubeTiling& tiling, uint32_t a_count,
                                   uint32_t b_count, uint64_t a_stride, uint64_t b_stride, uint64_t c_stride) {
    static_assert(A == B, "IterateBatch takes operands of one layout");
    static_assert(A != LayoutMode::NONE, "IterateBatch needs the LayoutMode of its operands in MatmulType");
    const uint64_t m = object.single_m, n = object.single_n, k = object.single_k;
    const BatchAxes a = a_axes(tiling), b = b_axes(tiling), c = c_axes(tiling);
    AscMatmulBatch out{};
    out.calls = 1;
    out.products = a_count > b_count ? a_count : b_count;
    out.bias_row = n;
    lay_out(out.a, A, a, m * k, a_stride);
    lay_out(out.b, B, b, k * n, b_stride);
    lay_out(out.c, C == LayoutMode::NONE ? LayoutMode::NORMAL : C, c, m * n, c_stride);
    out.a.count = a_count;
    out.b.count = b_count;
    if (a_count == 0 || b_count == 0 || out.products % a_count || out.products % b_count) {
        out.unsupported = "one number of matrices is no multiple of the other";
        return out;
    }
    if (A == LayoutMode::NORMAL) {
        out.a.divisor = out.products / a_count;
        out.b.divisor = out.products / b_count;
    } else {
        if (!reuse(out.a, a, b) || !reuse(out.b, b, a)) {
            out.unsupported = "operands may differ in one axis of the batch, where one has length 1";
        }
        const uint32_t longest = a.g > b.g ? a.g : b.g;
        if (c.g == 1 && longest != 1) out.c.divisor = longest;
    }
    out.c.count = out.products / out.c.divisor;
    return out;
}

}  // namespace AscendC::asc
