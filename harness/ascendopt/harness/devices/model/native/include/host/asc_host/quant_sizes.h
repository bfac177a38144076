// Temporary room of quantisation, in bytes, and of reductions by pattern.
#pragma once
#include "tmp_sizes.h"

namespace AscendC {

using TensorDataType = ge::DataType;

#ifndef ASC_PROGRAM  // a program has it from the kernel's headers
enum class ReducePattern : uint8_t { AR, RA };
#endif

void GetAscendQuantMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest);
void GetAscendQuantTmpBufferFactorSize(uint32_t& factor, uint32_t& extra);
// One row, or rows of a matrix.
void GetAscendDequantMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest);
void GetAscendDequantTmpBufferFactorSize(const ge::Shape& shape, uint32_t& factor, uint32_t& extra);
// Weights [K, N], or [N, K] transposed; a scale of one element is for all.
uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose, ge::DataType from,
                                      ge::DataType to);
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose, ge::DataType from,
                                      ge::DataType to);
void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose, ge::DataType from,
                                     ge::DataType to, uint32_t& largest, uint32_t& smallest);
void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape& shape, const ge::Shape& scale, bool transpose,
                                           ge::DataType from, ge::DataType to, uint32_t& factor, uint32_t& extra);

// Matrices, whose rows are made up to whole blocks.
#define ASC_HOST_REDUCTION(name)                                                                                       \
    void Get##name##MaxMinTmpSize(const ge::Shape& shape, ge::DataType type, ReducePattern pattern, bool inner_padded, \
                                  bool reuse_source, uint32_t& largest, uint32_t& smallest);
#define ASC_HOST_REDUCTIONS(F) \
    F(ReduceSum) F(ReduceMean) F(ReduceMax) F(ReduceMin) F(ReduceProd) F(ReduceAny) F(ReduceAll)
ASC_HOST_REDUCTIONS(ASC_HOST_REDUCTION)
#undef ASC_HOST_REDUCTION

}  // namespace AscendC
