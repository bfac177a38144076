// Two steps in one instruction: a sum or product, then Relu, a scale or a conversion.
#pragma once
#include "vector_call.h"

namespace AscendC {

namespace asc {
template <typename T, typename U>
ASC_INLINE AscVector fused_call(Op op, const char* api, const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                                const LocalTensor<U>& src1) {
    AscVector call = vector_call(op, api, dst.where());
    source(call, src0.where());
    source(call, src1.where());
    return call;
}
}  // namespace asc

// `parameters`: the template parameters before isSetMask; D and S: the element types.
#define ASC_FUSED(name, operation, parameters, more, D, S, count_type)                                             \
    parameters inline void name(const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1, \
                                count_type count) {                                                                \
        AscVector call = asc::fused_call(asc::Op::operation, #name, dst, src0, src1);                              \
        asc::count_form(call, count);                                                                              \
        asc_vector(&call);                                                                                         \
    }                                                                                                              \
    more inline void name(const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1,       \
                          uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {     \
        AscVector call = asc::fused_call(asc::Op::operation, #name, dst, src0, src1);                              \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                         \
        asc::strides(call, repeatParams);                                                                          \
        asc_vector(&call);                                                                                         \
    }                                                                                                              \
    more inline void name(const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1,       \
                          uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {       \
        AscVector call = asc::fused_call(asc::Op::operation, #name, dst, src0, src1);                              \
        asc::mask_form(call, mask, isSetMask, repeatTime);                                                         \
        asc::strides(call, repeatParams);                                                                          \
        asc_vector(&call);                                                                                         \
    }
#define ASC_TEMPLATE(...) template <__VA_ARGS__>

// Relu(src0 * dst + src1); FusedMulAddRelu is the earlier name.
ASC_FUSED(MulAddRelu, FusedMulAddRelu, ASC_TEMPLATE(typename T), ASC_TEMPLATE(typename T, bool isSetMask = true), T, T,
          const int32_t&)
ASC_FUSED(AddReluCast, AddReluCast, ASC_TEMPLATE(typename T, typename U),
          ASC_TEMPLATE(typename T, typename U, bool isSetMask = true), T, U, const uint32_t)
ASC_FUSED(SubReluCast, SubReluCast, ASC_TEMPLATE(typename T, typename U),
          ASC_TEMPLATE(typename T, typename U, bool isSetMask = true), T, U, const uint32_t)
ASC_FUSED(MulCast, MulCast, ASC_TEMPLATE(typename T, typename U),
          ASC_TEMPLATE(typename T, typename U, bool isSetMask = true), T, U, uint32_t)
// Relu of the sum times the scale that SetDeqScale left.
ASC_FUSED(AddDeqRelu, AddDeqRelu, , ASC_TEMPLATE(bool isSetMask = true), half, int32_t, const int32_t&)
#undef ASC_TEMPLATE
#undef ASC_FUSED

}  // namespace AscendC
