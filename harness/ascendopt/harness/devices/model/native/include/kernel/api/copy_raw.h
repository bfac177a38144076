// Copies by plain pointers: functions that operators call although the documentation does not list them. A pointer is
// what GetPhyAddr gave.
#pragma once
#include "copy.h"
#include "vector_call.h"

namespace AscendC {

namespace asc {

template <typename T>
ASC_INLINE AscDma raw(AscDmaKind kind, const T* local, const T* global, const char* api) {
    AscDma call{};
    call.kind = kind;
    call.dtype = dtype<T>;
    call.size = sizeof(T);
    call.rows = 1;
    call.gm = reinterpret_cast<uintptr_t>(global);
    asc_local_find(local, &call.local);
    call.api = api;
    return call;
}
template <typename T>
ASC_INLINE AscDma raw_local(const T* to, const T* from, const char* api) {
    AscDma call{};
    call.kind = kAscLocalToLocal;
    call.dtype = dtype<T>;
    call.size = sizeof(T);
    asc_local_find(from, &call.local);
    asc_local_find(to, &call.local_dst);
    call.api = api;
    return call;
}
// Rows of bytes, gaps in bytes on the global side and in blocks on the local side.
ASC_INLINE void rows(AscDma& call, uint32_t count, uint32_t bytes, uint64_t gm_gap, uint32_t local_gap) {
    call.pad = 1;
    call.rows = count;
    call.row_bytes = bytes;
    call.gm_gap = gm_gap;
    call.local_gap = local_gap * ONE_BLK_SIZE;
}

}  // namespace asc

template <typename T>
inline void DataCopyGM2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& params) {
    AscDma call = asc::raw<T>(kAscGmToLocal, dst, src, "DataCopyGM2UBImpl");
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen * 32u;
    call.gm_gap = params.srcStride * 32u;
    call.local_gap = params.dstStride * 32u;
    asc_dma(&call);
}
template <typename T>
inline void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& params) {
    AscDma call = asc::raw<T>(kAscLocalToGm, src, dst, "DataCopyUB2GMImpl");
    call.rows = params.blockCount;
    call.row_bytes = params.blockLen * 32u;
    call.gm_gap = params.dstStride * 32u;
    call.local_gap = params.srcStride * 32u;
    asc_dma(&call);
}
template <typename T, typename Params, typename Pad>
inline void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const Params& params, const Pad& pad) {
    AscDma call = asc::raw<T>(kAscGmToLocal, dst, src, "DataCopyPadGm2UBImpl");
    asc::rows(call, params.blockCount, params.blockLen, params.srcStride, params.dstStride);
    asc::fill(call, pad);
    asc_dma(&call);
}
template <typename T, typename Params>
inline void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const Params& params) {
    AscDma call = asc::raw<T>(kAscLocalToGm, src, dst, "DataCopyPadUB2GMImpl");
    asc::rows(call, params.blockCount, params.blockLen, params.dstStride, params.srcStride);
    asc_dma(&call);
}

template <typename T>
inline void DuplicateImpl(__ubuf__ T* dst, const T& value, const int32_t& count) {
    AscLocal where{};
    asc_local_find(dst, &where);
    where.dtype = asc::dtype<T>;
    AscVector call = asc::vector_call(asc::Op::Duplicate, "DuplicateImpl", where);
    asc::scalar(call, value);
    call.form = kAscCount;
    call.count = static_cast<uint32_t>(count);
    asc_vector(&call);
}

}  // namespace AscendC

// The instructions themselves. Lengths in bytes; gaps: bytes on the global side, 32 B blocks on the local side.
#define ASC_ALIGNED_COPIES(bits)                                                                                     \
    template <typename T>                                                                                            \
    inline void copy_gm_to_ubuf_align_b##bits(T* dst, T* src, uint8_t, uint16_t count, uint32_t bytes, uint8_t left, \
                                              uint8_t right, uint32_t src_gap, uint32_t dst_gap) {                   \
        AscDma call = AscendC::asc::raw<T>(kAscGmToLocal, dst, src, "copy_gm_to_ubuf_align_b" #bits);                \
        AscendC::asc::rows(call, count, bytes, src_gap, dst_gap);                                                    \
        call.left = left;                                                                                            \
        call.right = right;                                                                                          \
        asc_dma(&call);                                                                                              \
    }                                                                                                                \
    template <typename T>                                                                                            \
    inline void copy_ubuf_to_gm_align_b##bits(T* dst, T* src, uint8_t, uint16_t count, uint32_t bytes, uint8_t,      \
                                              uint8_t, uint32_t src_gap, uint32_t dst_gap) {                         \
        AscDma call = AscendC::asc::raw<T>(kAscLocalToGm, src, dst, "copy_ubuf_to_gm_align_b" #bits);                \
        AscendC::asc::rows(call, count, bytes, dst_gap, src_gap);                                                    \
        asc_dma(&call);                                                                                              \
    }
ASC_ALIGNED_COPIES(8)
ASC_ALIGNED_COPIES(16)
ASC_ALIGNED_COPIES(32)
#undef ASC_ALIGNED_COPIES

// Lengths and gaps in 32 B blocks.
template <typename T>
inline void copy_gm_to_ubuf(T* dst, T* src, uint8_t, uint16_t count, uint16_t blocks, uint16_t src_gap,
                            uint16_t dst_gap) {
    AscDma call = AscendC::asc::raw<T>(kAscGmToLocal, dst, src, "copy_gm_to_ubuf");
    AscendC::asc::rows(call, count, blocks * 32u, src_gap * 32u, dst_gap);
    asc_dma(&call);
}
template <typename T>
inline void copy_ubuf_to_gm(T* dst, T* src, uint8_t, uint16_t count, uint16_t blocks, uint16_t src_gap,
                            uint16_t dst_gap) {
    AscDma call = AscendC::asc::raw<T>(kAscLocalToGm, src, dst, "copy_ubuf_to_gm");
    AscendC::asc::rows(call, count, blocks * 32u, dst_gap * 32u, src_gap);
    asc_dma(&call);
}
template <typename T>
inline void copy_ubuf_to_ubuf(T* dst, T* src, uint8_t, uint16_t count, uint16_t blocks, uint16_t src_gap,
                              uint16_t dst_gap) {
    AscDma call = AscendC::asc::raw_local<T>(dst, src, "copy_ubuf_to_ubuf");
    call.rows = count;
    call.row_bytes = blocks * 32u;
    call.local_gap = src_gap * 32u;
    call.local_gap_dst = dst_gap * 32u;
    asc_dma(&call);
}
