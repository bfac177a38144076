// Element by element with two tensor sources: dst = src0 op src1.
#pragma once
#include "vector_call.h"

// The three documented forms of one operation. Operators pass these functions as template arguments, so parameter
// types must stay exactly as documented.
#define ASC_BINARY(name)                                                                                               \
    template <typename T>                                                                                              \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                \
                     const int32_t& count) {                                                                           \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                          \
        asc::source(call, src0.where());                                                                               \
        asc::source(call, src1.where());                                                                               \
        asc::count_form(call, count);                                                                                  \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                \
                     uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {              \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                          \
        asc::source(call, src0.where());                                                                               \
        asc::source(call, src1.where());                                                                               \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                             \
        asc::strides(call, repeatParams);                                                                              \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask, \
                     const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                               \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                          \
        asc::source(call, src0.where());                                                                               \
        asc::source(call, src1.where());                                                                               \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                             \
        asc::strides(call, repeatParams);                                                                              \
        asc_vector(&call);                                                                                             \
    }

namespace AscendC {

ASC_BINARY(Add)
ASC_BINARY(Sub)
ASC_BINARY(Mul)
ASC_BINARY(Div)
ASC_BINARY(Max)
ASC_BINARY(Min)
ASC_BINARY(And)
ASC_BINARY(Or)
ASC_BINARY(AddRelu)
ASC_BINARY(SubRelu)
ASC_BINARY(FusedMulAdd)
ASC_BINARY(FusedMulAddRelu)

#undef ASC_BINARY

// dst = src0 * src1 + dst; the sources may be half with a float dst.
template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const int32_t& count) {
    AscVector call = asc::vector_call(asc::Op::MulAddDst, "MulAddDst", dst.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::MulAddDst, "MulAddDst", dst.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask,
                      const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::MulAddDst, "MulAddDst", dst.where());
    asc::source(call, src0.where());
    asc::source(call, src1.where());
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

}  // namespace AscendC
