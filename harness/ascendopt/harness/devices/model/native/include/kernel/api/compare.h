// Compare to bits, and Select by bits. Bit i of the stream belongs to element i (byte i / 8, bit i % 8).
#pragma once
#include "vector_call.h"

namespace AscendC {

template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    uint32_t count) {
    AscVector call = asc::vector_call(asc::Op::Compare, "Compare", dst.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    call.mode = static_cast<uint8_t>(cmpMode);
    asc::count_form(call, count);
    asc_vector(&call);
}
// The mask argument is ignored by the hardware: every element of every repeat is compared.
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Compare, "Compare", dst.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    call.mode = static_cast<uint8_t>(cmpMode);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Compare, "Compare", dst.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    call.mode = static_cast<uint8_t>(cmpMode);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

// One repeat into the CMPMASK register. These forms do honour the mask.
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask[],
                    const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::CompareRegister, "Compare", src0.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    call.mode = static_cast<uint8_t>(cmpMode);
    asc::mask_form(call, mask, isSetMask, 1);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask,
                    const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::CompareRegister, "Compare", src0.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    call.mode = static_cast<uint8_t>(cmpMode);
    asc::mask_form(call, mask, isSetMask, 1);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

// CompareScalar and its later name Compares.
#define ASC_COMPARE_SCALAR(name)                                                                                 \
    template <typename T, typename U>                                                                            \
    inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                     uint32_t count) {                                                                           \
        AscVector call = asc::vector_call(asc::Op::CompareScalar, #name, dst.where());                           \
        asc::source(call, src0.where());                                                                         \
        asc::scalar(call, src1Scalar);                                                                           \
        call.mode = static_cast<uint8_t>(cmpMode);                                                               \
        asc::count_form(call, count);                                                                            \
        asc_vector(&call);                                                                                       \
    }                                                                                                            \
    template <typename T, typename U, bool isSetMask = true>                                                     \
    inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                     const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {         \
        AscVector call = asc::vector_call(asc::Op::CompareScalar, #name, dst.where());                           \
        asc::source(call, src0.where());                                                                         \
        asc::scalar(call, src1Scalar);                                                                           \
        call.mode = static_cast<uint8_t>(cmpMode);                                                               \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                       \
        asc::strides(call, repeatParams);                                                                        \
        asc_vector(&call);                                                                                       \
    }                                                                                                            \
    template <typename T, typename U, bool isSetMask = true>                                                     \
    inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                     const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {           \
        AscVector call = asc::vector_call(asc::Op::CompareScalar, #name, dst.where());                           \
        asc::source(call, src0.where());                                                                         \
        asc::scalar(call, src1Scalar);                                                                           \
        call.mode = static_cast<uint8_t>(cmpMode);                                                               \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                       \
        asc::strides(call, repeatParams);                                                                        \
        asc_vector(&call);                                                                                       \
    }

ASC_COMPARE_SCALAR(CompareScalar)
ASC_COMPARE_SCALAR(Compares)
#undef ASC_COMPARE_SCALAR

namespace asc {
// src[0] is the bit stream, then src0, then src1 unless it is a scalar.
template <typename T, typename U>
ASC_INLINE AscVector select_call(const LocalTensor<T>& dst, const LocalTensor<U>& bits, const LocalTensor<T>& src0,
                                 SELMODE mode) {
    AscVector call = vector_call(Op::Select, "Select", dst.where());
    source(call, bits.where());
    source(call, src0.where());
    call.option = static_cast<uint8_t>(mode);
    return call;
}
}  // namespace asc

template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint32_t count) {
    AscVector call = asc::select_call(dst, selMask, src0, selMode);
    asc::scalar(call, src1);
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint32_t count) {
    AscVector call = asc::select_call(dst, selMask, src0, selMode);
    asc::source(call, src1.where());
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::select_call(dst, selMask, src0, selMode);
    asc::scalar(call, src1);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::select_call(dst, selMask, src0, selMode);
    asc::scalar(call, src1);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask[], uint8_t repeatTime,
                   const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::select_call(dst, selMask, src0, selMode);
    asc::source(call, src1.where());
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime,
                   const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::select_call(dst, selMask, src0, selMode);
    asc::source(call, src1.where());
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
// Without a mask argument: SetVectorMask filters the writes and, here, CMPMASK chooses.
template <typename T, SELMODE selMode>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::SelectRegister, "Select", dst.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    call.option = static_cast<uint8_t>(selMode);
    asc::mask_form(call, uint64_t{0}, false, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

// CMPMASK holds the scalar (see SetCmpMask): one tensor source, fresh bits of selMask for each repeat.
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::select_call(dst, selMask, src0, SELMODE::VSEL_TENSOR_SCALAR_MODE);
    call.has_scalar = 2;
    asc::mask_form(call, uint64_t{0}, false, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

}  // namespace AscendC
