// DataCopy from plain matrices to fractals in L1.
#pragma once
#include "../../../abi/cube.h"
#include "copy.h"

namespace AscendC {

struct Nd2NzParams {
    uint16_t ndNum = 0;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 0;
    uint16_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint16_t dstNzMatrixStride = 0;
    Nd2NzParams() = default;
    constexpr Nd2NzParams(uint16_t matrices, uint16_t n, uint16_t d, uint16_t matrix_stride, uint16_t row,
                          uint16_t c0_stride, uint16_t n_stride, uint16_t nz_matrix_stride)
        : ndNum(matrices),
          nValue(n),
          dValue(d),
          srcNdMatrixStride(matrix_stride),
          srcDValue(row),
          dstNzC0Stride(c0_stride),
          dstNzNStride(n_stride),
          dstNzMatrixStride(nz_matrix_stride) {}
};

namespace asc {
template <typename T>
ASC_INLINE AscNdToNz nd_to_nz(const LocalTensor<T>& dst, const Nd2NzParams& params) {
    AscNdToNz call{};
    call.size = sizeof(T);
    call.dtype = dtype<T>;
    call.matrices = params.ndNum;
    call.rows = params.nValue;
    call.columns = params.dValue;
    call.c0_stride = params.dstNzC0Stride;
    call.row_stride = params.dstNzNStride;
    call.matrix_pitch = params.srcNdMatrixStride * sizeof(T);
    call.row_pitch = params.srcDValue * sizeof(T);
    call.to_matrix_pitch = params.dstNzMatrixStride * sizeof(T);
    call.to = dst.where();
    call.api = "DataCopy";
    return call;
}
}  // namespace asc

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params) {
    AscNdToNz call = asc::nd_to_nz(dst, params);
    call.gm = reinterpret_cast<uintptr_t>(src.GetPhyAddr());
    call.l2_bypass = src.cache() == CacheMode::CACHE_MODE_DISABLE;
    asc_nd_to_nz(&call);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& params) {
    AscNdToNz call = asc::nd_to_nz(dst, params);
    call.from = src.where();
    call.from_local = 1;
    asc_nd_to_nz(&call);
}

}  // namespace AscendC
