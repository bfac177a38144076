// DataCopy and DataCopyPad. The public units (32 B blocks, bytes, elements) become bytes here.
#pragma once
#include "copy_params.h"
#include "tensor.h"

namespace AscendC {

// The values that DataCopyPad pads rows with when `isPad` is false.
template <typename T, TPosition pos = TPosition::MAX>
inline void SetPadValue(T paddingValue) {
    asc_pad_value(asc::bits(paddingValue));
}

namespace asc {

template <typename T>
ASC_INLINE AscDma dma(AscDmaKind kind, const AscLocal& local, const GlobalTensor<T>& global) {
    AscDma call{};
    call.kind = kind;
    call.dtype = dtype<T>;
    call.size = sizeof(T);
    call.rows = 1;
    call.gm = reinterpret_cast<uintptr_t>(global.GetPhyAddr());
    call.l2_bypass = global.cache() == CacheMode::CACHE_MODE_DISABLE;
    call.local = local;
    call.api = "DataCopy";
    return call;
}
// The unit of lengths and of the destination's gaps: wider in the bias table and in the fixpipe buffer.
ASC_INLINE uint32_t block_bytes(int32_t position) {
    return position == static_cast<int32_t>(TPosition::C2)          ? 64
           : position == static_cast<int32_t>(TPosition::C2PIPE2GM) ? 128
                                                                    : 32;
}
template <typename T>
ASC_INLINE AscDma dma(const LocalTensor<T>& to, const LocalTensor<T>& from) {
    AscDma call{};
    call.kind = kAscLocalToLocal;
    call.dtype = dtype<T>;
    call.size = sizeof(T);
    call.rows = 1;
    call.local = from.where();
    call.local_dst = to.where();
    call.api = "DataCopy";
    return call;
}

}  // namespace asc

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count) {
    AscDma call = asc::dma(kAscGmToLocal, dst.where(), src);
    call.row_bytes = asc::to_bytes<T>(count);
    asc_dma(&call);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
    AscDma call = asc::dma(kAscLocalToGm, src.where(), dst);
    call.row_bytes = asc::to_bytes<T>(count);
    asc_dma(&call);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
    AscDma call = asc::dma(dst, src);
    call.row_bytes = asc::to_bytes<T>(count);
    asc_dma(&call);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params) {
    AscDma call = asc::dma(kAscGmToLocal, dst.where(), src);
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen * 32u;
    call.gm_gap = params.srcStride * 32u;
    call.local_gap = params.dstStride * 32u;
    asc_dma(&call);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params) {
    AscDma call = asc::dma(kAscLocalToGm, src.where(), dst);
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen * 32u;
    call.gm_gap = params.dstStride * 32u;
    call.local_gap = params.srcStride * 32u;
    asc_dma(&call);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params) {
    AscDma call = asc::dma(dst, src);
    const uint32_t unit = asc::block_bytes(dst.GetPosition());
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen * unit;
    call.local_gap = params.srcStride * 32u;
    call.local_gap_dst = params.dstStride * unit;
    asc_dma(&call);
}

#if __NPU_ARCH__ == 1001 || __NPU_ARCH__ == 2002
// Between L0C and UB. There a block is a fractal of 16 x 16 elements, or a row of one (BLOCK_MODE_VECTOR); gaps in UB
// are in 32 B. Scaling and rectifying on the way are not modelled.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params,
                     const DataCopyEnhancedParams& enhanced) {
    constexpr uint32_t kRow = 16 * sizeof(T);
    const bool matrix = enhanced.blockMode == BlockMode::BLOCK_MODE_MATRIX;
    if ((!matrix && enhanced.blockMode != BlockMode::BLOCK_MODE_VECTOR) || enhanced.isRelu ||
        enhanced.deqScale != DeqScale::DEQ_NONE) {
        asc_assert(
            "DataCopy between L0C and UB moves fractals or their rows as they are: other modes are not modelled");
    }
    const uint32_t unit = matrix ? 16 * kRow : kRow;
    const bool from_l0c = src.GetPosition() == static_cast<int32_t>(TPosition::CO1);
    AscDma call = asc::dma(dst, src);
    call.fractals = 1;
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen * unit;
    call.local_gap = params.srcStride * (from_l0c ? unit : 32u);
    call.local_gap_dst = params.dstStride * (from_l0c ? 32u : unit);
    asc_dma(&call);
}
#endif

namespace asc {

template <typename T, typename Params>
ASC_INLINE AscDma pad_in(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Params& params) {
    AscDma call = dma(kAscGmToLocal, dst.where(), src);
    call.pad = 1;
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen;
    call.gm_gap = params.srcStride;
    call.local_gap = params.dstStride * 32u;
    call.api = "DataCopyPad";
    return call;
}
template <typename T, typename Params>
ASC_INLINE AscDma pad_out(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Params& params) {
    AscDma call = dma(kAscLocalToGm, src.where(), dst);
    call.pad = 1;
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen;
    call.gm_gap = params.dstStride;
    call.local_gap = params.srcStride * 32u;
    call.api = "DataCopyPad";
    return call;
}
template <typename Pad>
ASC_INLINE void fill(AscDma& call, const Pad& pad) {
    call.is_pad = pad.isPad;
    call.left = pad.leftPadding;
    call.right = pad.rightPadding;
    call.pad_value = bits(pad.paddingValue);
}

}  // namespace asc

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                        const DataCopyPadParams& pad) {
    AscDma call = asc::pad_in(dst, src, params);
    asc::fill(call, pad);
    asc_dma(&call);
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                        const DataCopyPadExtParams<T>& pad) {
    AscDma call = asc::pad_in(dst, src, params);
    asc::fill(call, pad);
    asc_dma(&call);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params) {
    AscDma call = asc::pad_out(dst, src, params);
    asc_dma(&call);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params) {
    AscDma call = asc::pad_out(dst, src, params);
    asc_dma(&call);
}

}  // namespace AscendC
