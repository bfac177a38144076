// Element by element with one tensor source and a scalar: dst = src op scalar.
#pragma once
#include "vector_call.h"

// The three documented forms of one operation; parameter types as documented (see vector_binary.h).
#define ASC_SCALAR(name)                                                                                          \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,                  \
                     const int32_t& count) {                                                                      \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                     \
        asc::source(call, src.where());                                                                           \
        asc::scalar(call, scalarValue);                                                                           \
        asc::count_form(call, count);                                                                             \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[], \
                     const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {                           \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                     \
        asc::source(call, src.where());                                                                           \
        asc::scalar(call, scalarValue);                                                                           \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                        \
        asc::strides(call, repeatParams);                                                                         \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isSetMask = true>                                                                  \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,   \
                     const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {                           \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                     \
        asc::source(call, src.where());                                                                           \
        asc::scalar(call, scalarValue);                                                                           \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                        \
        asc::strides(call, repeatParams);                                                                         \
        asc_vector(&call);                                                                                        \
    }

namespace AscendC {

ASC_SCALAR(Adds)
ASC_SCALAR(Muls)
ASC_SCALAR(Maxs)
ASC_SCALAR(Mins)
ASC_SCALAR(LeakyRelu)
ASC_SCALAR(ShiftLeft)

#undef ASC_SCALAR

// `roundEn` rounds the bits that are shifted out: it adds half of the last kept bit first.
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                       const int32_t& count) {
    AscVector call = asc::vector_call(asc::Op::ShiftRight, "ShiftRight", dst.where());
    asc::source(call, src.where());
    asc::scalar(call, scalarValue);
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn = false) {
    AscVector call = asc::vector_call(asc::Op::ShiftRight, "ShiftRight", dst.where());
    asc::source(call, src.where());
    asc::scalar(call, scalarValue);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    call.option = roundEn ? 1 : 0;
    asc_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn = false) {
    AscVector call = asc::vector_call(asc::Op::ShiftRight, "ShiftRight", dst.where());
    asc::source(call, src.where());
    asc::scalar(call, scalarValue);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    call.option = roundEn ? 1 : 0;
    asc_vector(&call);
}

// dst = src * scalar + dst; a half source may go with a float dst.
template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count) {
    AscVector call = asc::vector_call(asc::Op::Axpy, "Axpy", dst.where());
    asc::source(call, src.where());
    asc::scalar(call, scalarValue);
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Axpy, "Axpy", dst.where());
    asc::source(call, src.where());
    asc::scalar(call, scalarValue);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Axpy, "Axpy", dst.where());
    asc::source(call, src.where());
    asc::scalar(call, scalarValue);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

}  // namespace AscendC
