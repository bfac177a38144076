// Composite functions of two operands over the first n elements (see math_functions.h): Power, Fmod, Xor and the gated
// activations.
#pragma once
#include "math_functions.h"

namespace AscendC {

namespace asc {
template <typename T>
ASC_INLINE AscVector math_pair(Op op, const char* api, const LocalTensor<T>& dst, const LocalTensor<T>& left,
                               const LocalTensor<T>& right, uint32_t count) {
    AscVector call = math_call(op, api, dst, left, count);
    source(call, right.where());
    return call;
}
// `option` 1: the scalar is the left operand.
template <typename T>
ASC_INLINE AscVector power_call(const LocalTensor<T>& dst, const LocalTensor<T>& tensor, const T& value, bool left,
                                uint32_t count) {
    AscVector call = math_call(Op::Power, "Power", dst, tensor, count);
    scalar(call, value);
    call.option = left ? 1 : 0;
    return call;
}
}  // namespace asc

// Scratch and count may both be left out.
#define ASC_MATH_PAIR(name, operation)                                                                                 \
    template <typename T, bool isReuseSource = false>                                                                  \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                                \
                     const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,                    \
                     const uint32_t calCount) {                                                                        \
        AscVector call = asc::math_pair(asc::Op::operation, #name, dstTensor, src0Tensor, src1Tensor, calCount);       \
        call.tmp = sharedTmpBuffer.where();                                                                            \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                                \
                     const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer) {                  \
        AscVector call =                                                                                               \
            asc::math_pair(asc::Op::operation, #name, dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());        \
        call.tmp = sharedTmpBuffer.where();                                                                            \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                                \
                     const LocalTensor<T>& src1Tensor, const uint32_t calCount) {                                      \
        const AscVector call = asc::math_pair(asc::Op::operation, #name, dstTensor, src0Tensor, src1Tensor, calCount); \
        asc_vector(&call);                                                                                             \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,                                \
                     const LocalTensor<T>& src1Tensor) {                                                               \
        const AscVector call =                                                                                         \
            asc::math_pair(asc::Op::operation, #name, dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());        \
        asc_vector(&call);                                                                                             \
    }
ASC_MATH_PAIR(Power, Power)
ASC_MATH_PAIR(Fmod, Fmod)
ASC_MATH_PAIR(Xor, Xor)
ASC_MATH_PAIR(GeGLU, GeGlu)
ASC_MATH_PAIR(ReGlu, ReGlu)
#undef ASC_MATH_PAIR

// Power with a scalar on either side.
#define ASC_POWER(parameters, tensor, value, left)                                                                \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void Power(const LocalTensor<T>& dstTensor, parameters, const LocalTensor<uint8_t>& sharedTmpBuffer,   \
                      uint32_t calCount) {                                                                        \
        AscVector call = asc::power_call(dstTensor, tensor, value, left, calCount);                               \
        call.tmp = sharedTmpBuffer.where();                                                                       \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void Power(const LocalTensor<T>& dstTensor, parameters, const LocalTensor<uint8_t>& sharedTmpBuffer) { \
        AscVector call = asc::power_call(dstTensor, tensor, value, left, tensor.GetSize());                       \
        call.tmp = sharedTmpBuffer.where();                                                                       \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void Power(const LocalTensor<T>& dstTensor, parameters, uint32_t calCount) {                           \
        const AscVector call = asc::power_call(dstTensor, tensor, value, left, calCount);                         \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void Power(const LocalTensor<T>& dstTensor, parameters) {                                              \
        const AscVector call = asc::power_call(dstTensor, tensor, value, left, tensor.GetSize());                 \
        asc_vector(&call);                                                                                        \
    }
#define ASC_COMMA ,
ASC_POWER(const LocalTensor<T>& src0Tensor ASC_COMMA const T& src1Scalar, src0Tensor, src1Scalar, false)
ASC_POWER(const T& src0Scalar ASC_COMMA const LocalTensor<T>& src1Tensor, src1Tensor, src0Scalar, true)
#undef ASC_COMMA
#undef ASC_POWER

// dst = src0 * swish(src1, beta).
#define ASC_SWIGLU(parameters, scratch, count)                                                                        \
    template <typename T, bool isReuseSource = false>                                                                 \
    inline void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1, \
                       const float& scalarValue parameters) {                                                         \
        AscVector call = asc::math_pair(asc::Op::SwiGlu, "SwiGLU", dstTensor, srcTensor0, srcTensor1, count);         \
        asc::scalar(call, scalarValue);                                                                               \
        scratch;                                                                                                      \
        asc_vector(&call);                                                                                            \
    }
#define ASC_PARAMETERS(...) , __VA_ARGS__
ASC_SWIGLU(ASC_PARAMETERS(const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount),
           call.tmp = sharedTmpBuffer.where(), calCount)
ASC_SWIGLU(ASC_PARAMETERS(const LocalTensor<uint8_t>& sharedTmpBuffer), call.tmp = sharedTmpBuffer.where(),
           srcTensor0.GetSize())
ASC_SWIGLU(ASC_PARAMETERS(const uint32_t calCount), (void)0, calCount)
ASC_SWIGLU(, (void)0, srcTensor0.GetSize())
#undef ASC_PARAMETERS
#undef ASC_SWIGLU

// dst = src * scalar + dst, with scratch.
template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor, const U scalarValue,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
    AscVector call = asc::vector_call(asc::Op::Axpy, "Axpy", dstTensor.where());
    asc::source(call, srcTensor.where());
    asc::scalar(call, scalarValue);
    asc::count_form(call, calCount);
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}

}  // namespace AscendC
