// DataCopy and DataCopyPad. The public units (32 B blocks, bytes, elements) become bytes here.
#pragma once
#include "tensor.h"

namespace AscendC {

// Lengths and strides in 32 B blocks (DataCopy), or bytes on the GM side (DataCopyPad). Strides are gaps.
struct DataCopyParams {
    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcStride = 0;
        uint16_t srcGap;
    };
    union {
        uint16_t dstStride = 0;
        uint16_t dstGap;
    };
    DataCopyParams() = default;
    DataCopyParams(uint16_t count, uint16_t length, uint16_t source, uint16_t destination)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination) {}
};

struct DataCopyExtParams {
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t length, uint32_t source, uint32_t destination, uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved) {}
};

struct DataCopyPadParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
    DataCopyPadParams() = default;
    DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

template <typename T>
struct DataCopyPadExtParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

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
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen * 32u;
    call.local_gap = params.srcStride * 32u;
    call.local_gap_dst = params.dstStride * 32u;
    asc_dma(&call);
}

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

template <typename T>
inline void SetAtomicAdd() {
    asc_atomic(1, asc::dtype<T>);
}
template <typename T>
inline void SetAtomicMax() {
    asc_atomic(2, asc::dtype<T>);
}
template <typename T>
inline void SetAtomicMin() {
    asc_atomic(3, asc::dtype<T>);
}
inline void SetAtomicNone() { asc_atomic(0, 255); }

}  // namespace AscendC
