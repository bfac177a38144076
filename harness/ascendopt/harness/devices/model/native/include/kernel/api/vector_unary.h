// Element by element with one tensor source: dst = op(src).
#pragma once
#include "vector_call.h"

// The three documented forms of one operation; parameter types as documented (see vector_binary.h).
#define ASC_UNARY(name)                                                                                               \
    template <typename T>                                                                                             \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {                    \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                         \
        asc::source(call, src.where());                                                                               \
        asc::count_form(call, count);                                                                                 \
        asc_vector(&call);                                                                                            \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime, \
                     const UnaryRepeatParams& repeatParams) {                                                         \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                         \
        asc::source(call, src.where());                                                                               \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                            \
        asc::strides(call, repeatParams);                                                                             \
        asc_vector(&call);                                                                                            \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,   \
                     const UnaryRepeatParams& repeatParams) {                                                         \
        AscVector call = asc::vector_call(asc::Op::name, #name, dst.where());                                         \
        asc::source(call, src.where());                                                                               \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                            \
        asc::strides(call, repeatParams);                                                                             \
        asc_vector(&call);                                                                                            \
    }

namespace AscendC {

ASC_UNARY(Abs)
ASC_UNARY(Relu)
ASC_UNARY(Not)
ASC_UNARY(Exp)
ASC_UNARY(Ln)
ASC_UNARY(Sqrt)
ASC_UNARY(Rsqrt)
ASC_UNARY(Reciprocal)

#undef ASC_UNARY

}  // namespace AscendC
