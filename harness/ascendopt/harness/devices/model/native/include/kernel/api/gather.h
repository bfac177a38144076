// Gather by byte offsets, by blocks, and by mask.
#pragma once
#include "transpose.h"

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

// Blocks gathered by byte offsets, weighted by src1 and summed over hRepeat steps, vRepeat times.
namespace asc {
template <typename T>
ASC_INLINE AscComposite interpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                      const LocalTensor<uint32_t>& offsets, const LocalTensor<T>& src1, uint64_t low,
                                      uint64_t high, uint8_t across, bool by_block, uint16_t dst_block,
                                      uint16_t row_elements, uint8_t down) {
    AscComposite call = composite(Composite::BilinearInterpolation, "BilinearInterpolation", dst, src0);
    call.inputs = 3;
    call.in[1] = offsets.where();
    call.in[2] = src1.where();
    const uint64_t values[] = {across, by_block, dst_block, row_elements, down, low, high};
    for (int i = 0; i < 7; ++i) call.value[i] = values[i];
    return call;
}
}  // namespace asc

template <typename T>
inline void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1, uint64_t mask[],
                                  uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                                  uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer) {
    AscComposite call = asc::interpolation(dst, src0, src0Offset, src1, mask[0], mask[1], hRepeat, repeatMode,
                                           dstBlkStride, vROffset, vRepeat);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T>
inline void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1, uint64_t mask,
                                  uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,
                                  uint8_t vRepeat, const LocalTensor<uint8_t>& sharedTmpBuffer) {
    const uint64_t low = mask >= 64 ? ~uint64_t{0} : (uint64_t{1} << mask) - 1;
    const uint64_t high = mask >= 128 ? ~uint64_t{0} : mask > 64 ? (uint64_t{1} << (mask - 64)) - 1 : 0;
    AscComposite call = asc::interpolation(dst, src0, src0Offset, src1, low, high, hRepeat, repeatMode, dstBlkStride,
                                           vROffset, vRepeat);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}

}  // namespace AscendC
