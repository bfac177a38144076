// Temporary room of quantisation and of reductions by pattern; the figures are those of the open kernel library.
#include "asc_host/quant_sizes.h"

#include <algorithm>

#include "shape_sizes.h"

namespace AscendC {

namespace {

// The largest power of two below n: how many are left after one halving of a reduction by halves.
uint32_t Half(uint32_t n) {
    uint32_t power = 1;
    while (power * 2 < n) power *= 2;
    return n > 1 ? power : 1;
}

// Room for the first halving: of each row over the last axis, of all rows over the first. Rows of one repeat are
// reduced by one instruction.
uint32_t Halving(const ge::Shape& shape, uint32_t size, ReducePattern pattern) {
    const uint32_t first = Dim(shape, 0), last = Dim(shape, 1);
    if (pattern == ReducePattern::RA) return Half(first) * Up(last * size, kBlock);
    return last * size <= kRepeat ? 0 : first * Up(Half(last) * size, kBlock);
}

// A partial extreme for each row: a block of it, or a repeat where rows are longer than one.
uint32_t Extremes(const ge::Shape& shape, uint32_t size, ReducePattern pattern) {
    if (pattern == ReducePattern::RA) return Halving(shape, size, pattern);
    const uint32_t row = Dim(shape, 1) * size;
    return row <= kBlock ? 0 : Dim(shape, 0) * (row < kRepeat ? kBlock : kRepeat);
}

uint32_t SizeOf(ge::DataType type) { return static_cast<uint32_t>(std::max(ge::GetSizeByDataType(type), 1)); }

}  // namespace

void GetAscendQuantMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t& largest, uint32_t& smallest) {
    smallest = 2 * kRepeat;
    largest = Up(std::max(Elements(shape) * 2, smallest), kBlock);
}
void GetAscendQuantTmpBufferFactorSize(uint32_t& factor, uint32_t& extra) {
    factor = 2;
    extra = 0;
}

// A row of scales and one repeat, and the values in float: all rows, or one.
void GetAscendDequantMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t& largest, uint32_t& smallest) {
    const bool matrix = shape.GetDimNum() > 1;
    const uint32_t rows = matrix ? Dim(shape, 0) : 1, length = Dim(shape, matrix ? 1 : 0);
    const uint32_t shared = length * kFloat + kBlock + kRepeat;
    smallest = shared + length * kFloat;
    largest = shared + rows * length * kFloat;
}
void GetAscendDequantTmpBufferFactorSize(const ge::Shape& shape, uint32_t& factor, uint32_t& extra) {
    const bool matrix = shape.GetDimNum() > 1;
    factor = matrix ? 1 : 2;
    extra = (kBlock + kRepeat) / kFloat + (matrix ? Dim(shape, 1) : 0);
}

// To half nothing but the destination is used.
uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose, ge::DataType,
                                      ge::DataType to) {
    if (to == ge::DT_FLOAT16) return 0;
    const uint32_t scales = Elements(scale);
    if (scales <= 1) return Elements(shape) * kFloat;
    return (transpose ? 80 * scales : 2 * scales + 64 * Dim(shape, 0)) * kFloat;
}
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose, ge::DataType from,
                                      ge::DataType to) {
    if (to == ge::DT_FLOAT16) return 0;
    return Elements(scale) <= 1 ? 1024 : GetAscendAntiQuantMaxTmpSize(shape, scale, transpose, from, to);
}
void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose, ge::DataType from,
                                     ge::DataType to, uint32_t& largest, uint32_t& smallest) {
    smallest = GetAscendAntiQuantMinTmpSize(shape, scale, transpose, from, to);
    largest = std::max(smallest, GetAscendAntiQuantMaxTmpSize(shape, scale, transpose, from, to));
}
void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose,
                                           ge::DataType from, ge::DataType to, uint32_t& factor, uint32_t& extra) {
    const bool one = Elements(scale) <= 1;
    factor = to != ge::DT_FLOAT16 && one ? 1 : 0;
    extra = one ? 0 : GetAscendAntiQuantMaxTmpSize(shape, scale, transpose, from, to);
}

#define ASC_HOST_REDUCTION(name, size)                                                                    \
    void Get##name##MaxMinTmpSize(const ge::Shape& shape, ge::DataType type, ReducePattern pattern, bool, \
                                  bool reuse_source, uint32_t& largest, uint32_t& smallest) {             \
        largest = smallest = reuse_source ? 0 : size(shape, SizeOf(type), pattern);                       \
    }
ASC_HOST_REDUCTION(ReduceSum, Halving)
ASC_HOST_REDUCTION(ReduceMean, Halving)
ASC_HOST_REDUCTION(ReduceMax, Extremes)
ASC_HOST_REDUCTION(ReduceMin, Extremes)
ASC_HOST_REDUCTION(ReduceAny, Extremes)
ASC_HOST_REDUCTION(ReduceAll, Extremes)
#undef ASC_HOST_REDUCTION

// The last product of a row is formed in a block, with one repeat of ones.
void GetReduceProdMaxMinTmpSize(const ge::Shape& shape, ge::DataType type, ReducePattern pattern, bool,
                                bool reuse_source, uint32_t& largest, uint32_t& smallest) {
    const bool rows = pattern == ReducePattern::AR;
    largest = rows ? kRepeat : 0;
    if (!reuse_source) {
        largest += rows ? std::max(Half(Dim(shape, 1)) * kFloat, kBlock) + Dim(shape, 0) * kBlock
                        : Halving(shape, SizeOf(type), pattern);
    }
    smallest = largest;
}

}  // namespace AscendC
