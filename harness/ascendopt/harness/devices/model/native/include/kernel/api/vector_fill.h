// Filling and moving inside local memory: Duplicate, Copy, Brcb, Broadcast, CreateVecIndex, ArithProgression.
#pragma once
#include "vector_call.h"

namespace AscendC {

template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count) {
    AscVector call = asc::vector_call(asc::Op::Duplicate, "Duplicate", dst.where());
    asc::scalar(call, scalarValue);
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
                      const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
    AscVector call = asc::vector_call(asc::Op::Duplicate, "Duplicate", dst.where());
    asc::scalar(call, scalarValue);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    call.dst_block = dstBlockStride;
    call.dst_repeat = dstRepeatStride;
    asc_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
                      const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
    AscVector call = asc::vector_call(asc::Op::Duplicate, "Duplicate", dst.where());
    asc::scalar(call, scalarValue);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    call.dst_block = dstBlockStride;
    call.dst_repeat = dstRepeatStride;
    asc_vector(&call);
}

namespace asc {
ASC_INLINE void strides(AscVector& call, const CopyRepeatParams& params) {
    call.dst_block = params.dstStride;
    call.src_block[0] = params.srcStride;
    call.dst_repeat = params.dstRepeatSize;
    call.src_repeat[0] = params.srcRepeatSize;
}
}  // namespace asc

template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeatTime,
                 const CopyRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Copy, "Copy", dst.where());
    asc::source(call, src.where());
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime,
                 const CopyRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Copy, "Copy", dst.where());
    asc::source(call, src.where());
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

// Eight elements of src a repeat; each fills one 32 B block of dst.
template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeatTime,
                 const BrcbRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Brcb, "Brcb", dst.where());
    asc::source(call, src.where());
    call.repeat = repeatTime;
    call.dst_block = repeatParams.dstBlkStride;
    call.dst_repeat = repeatParams.dstRepStride;
    asc_vector(&call);
}

namespace asc {
// Rank 1 or 2: count = rows of dst, mask[0] = columns of dst, mask[1] = {source rows, source columns}.
template <int32_t dim>
ASC_INLINE void broadcast_shapes(AscVector& call, const uint32_t* dst, const uint32_t* src) {
    static_assert(dim == 1 || dim == 2, "Broadcast on this chip takes one or two dimensions");
    call.count = dim == 2 ? dst[0] : 1;
    call.mask[0] = dst[dim - 1];
    call.mask[1] = (static_cast<uint64_t>(dim == 2 ? src[0] : 1) << 32) | src[dim - 1];
}
}  // namespace asc

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer) {
    AscVector call = asc::vector_call(asc::Op::BroadCast, "Broadcast", dstLocal.where());
    asc::source(call, srcLocal.where());
    call.option = axis;
    call.tmp = sharedTmpBuffer.where();
    asc::broadcast_shapes<dim>(call, dstShape, srcShape);
    asc_vector(&call);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim]) {
    AscVector call = asc::vector_call(asc::Op::BroadCast, "Broadcast", dstLocal.where());
    asc::source(call, srcLocal.where());
    call.option = axis;
    asc::broadcast_shapes<dim>(call, dstShape, srcShape);
    asc_vector(&call);
}
// The spelling of earlier releases.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer) {
    AscVector call = asc::vector_call(asc::Op::BroadCast, "BroadCast", dstLocal.where());
    asc::source(call, srcLocal.where());
    call.option = axis;
    call.tmp = sharedTmpBuffer.where();
    asc::broadcast_shapes<dim>(call, dstShape, srcShape);
    asc_vector(&call);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim]) {
    AscVector call = asc::vector_call(asc::Op::BroadCast, "BroadCast", dstLocal.where());
    asc::source(call, srcLocal.where());
    call.option = axis;
    asc::broadcast_shapes<dim>(call, dstShape, srcShape);
    asc_vector(&call);
}

template <typename T>
inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count) {
    AscVector call = asc::vector_call(asc::Op::CreateVecIndex, "CreateVecIndex", dst.where());
    asc::scalar(call, firstValue);
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], uint8_t repeatTime,
                           uint16_t dstBlkStride, uint8_t dstRepStride) {
    AscVector call = asc::vector_call(asc::Op::CreateVecIndex, "CreateVecIndex", dst.where());
    asc::scalar(call, firstValue);
    asc::mask_form(call, mask, true, repeatTime);
    call.dst_block = dstBlkStride;
    call.dst_repeat = dstRepStride;
    asc_vector(&call);
}
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, uint8_t repeatTime,
                           uint16_t dstBlkStride, uint8_t dstRepStride) {
    AscVector call = asc::vector_call(asc::Op::CreateVecIndex, "CreateVecIndex", dst.where());
    asc::scalar(call, firstValue);
    asc::mask_form(call, mask, true, repeatTime);
    call.dst_block = dstBlkStride;
    call.dst_repeat = dstRepStride;
    asc_vector(&call);
}

// dst[i] = firstValue + i * diffValue; earlier name first.
#define ASC_PROGRESSION(name)                                                                                      \
    template <typename T>                                                                                          \
    inline void name(const LocalTensor<T>& dstLocal, const T firstValue, const T diffValue, const int32_t count) { \
        AscVector call = asc::vector_call(asc::Op::ArithProgression, #name, dstLocal.where());                     \
        asc::scalar(call, firstValue);                                                                             \
        call.mask[0] = asc::bits(diffValue);                                                                       \
        asc::count_form(call, count);                                                                              \
        asc_vector(&call);                                                                                         \
    }
ASC_PROGRESSION(ArithProgression)
ASC_PROGRESSION(Arange)
#undef ASC_PROGRESSION

}  // namespace AscendC
