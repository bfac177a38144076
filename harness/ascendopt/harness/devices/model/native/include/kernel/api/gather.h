// Gather by byte offsets, by blocks, and by mask.
#pragma once
#include "vector_call.h"

namespace AscendC {

template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr, const uint32_t count) {
    AscVector call = asc::vector_call(asc::Op::Gather, "Gather", dst.where());
    asc::source(call, src.where());
    asc::source(call, srcOffset.where());
    asc::scalar(call, srcBaseAddr);
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr, const uint64_t mask[], const uint8_t repeatTime,
                   const uint16_t dstRepStride) {
    AscVector call = asc::vector_call(asc::Op::Gather, "Gather", dst.where());
    asc::source(call, src.where());
    asc::source(call, srcOffset.where());
    asc::scalar(call, srcBaseAddr);
    asc::mask_form(call, mask, true, repeatTime);
    call.dst_block = 1;
    call.dst_repeat = dstRepStride;
    asc_vector(&call);
}
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr, const uint64_t mask, const uint8_t repeatTime,
                   const uint16_t dstRepStride) {
    AscVector call = asc::vector_call(asc::Op::Gather, "Gather", dst.where());
    asc::source(call, src.where());
    asc::source(call, srcOffset.where());
    asc::scalar(call, srcBaseAddr);
    asc::mask_form(call, mask, true, repeatTime);
    call.dst_block = 1;
    call.dst_repeat = dstRepStride;
    asc_vector(&call);
}

// Eight 32 B blocks a repeat, each from src + its offset.
template <typename T>
inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offset,
                    const uint8_t repeatTime, const GatherRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Gatherb, "Gatherb", dst.where());
    asc::source(call, src.where());
    asc::source(call, offset.where());
    call.repeat = repeatTime;
    call.dst_block = repeatParams.dstBlkStride;
    call.dst_repeat = repeatParams.dstRepStride;
    asc_vector(&call);
}

namespace asc {
// mode = 1: counter mode, `mask` elements a repeat. The count of kept elements comes back through `scalar`.
template <typename T>
ASC_INLINE AscVector gather_mask(const LocalTensor<T>& dst, const LocalTensor<T>& src, bool reduce_mode, uint32_t mask,
                                 const GatherMaskParams& params, uint64_t& kept) {
    AscVector call = vector_call(Op::GatherMask, "GatherMask", dst.where());
    source(call, src.where());
    call.mode = reduce_mode ? 1 : 0;
    call.count = mask;
    call.repeat = params.repeatTimes;
    call.src_block[0] = params.src0BlockStride;
    call.src_repeat[0] = params.src0RepeatStride;
    call.src_repeat[1] = params.src1RepeatStride;
    call.scalar = reinterpret_cast<uintptr_t>(&kept);
    return call;
}
}  // namespace asc

template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt) {
    AscVector call = asc::gather_mask(dst, src0, reduceMode, mask, gatherMaskParams, rsvdCnt);
    asc::source(call, src1Pattern.where());
    asc_vector(&call);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt) {
    AscVector call = asc::gather_mask(dst, src0, reduceMode, mask, gatherMaskParams, rsvdCnt);
    call.option = src1Pattern;
    asc_vector(&call);
}

}  // namespace AscendC
