// Composite functions over the first n elements. On the chip each is a sequence of instructions that uses scratch
// memory; here each is one operation, so that its time is that of the whole sequence and the scratch is only checked.
#pragma once
#include "vector_call.h"

namespace AscendC {

namespace asc {
template <typename T>
ASC_INLINE AscVector math_call(Op op, const char* api, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               uint32_t count) {
    AscVector call = vector_call(op, api, dst.where());
    source(call, src.where());
    count_form(call, count);
    return call;
}
}  // namespace asc

// The documented forms: with and without scratch, with a count or over the whole source.
#define ASC_MATH(name)                                                                                            \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                            \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {                      \
        AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, calCount);                    \
        call.tmp = sharedTmpBuffer.where();                                                                       \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                            \
                     const LocalTensor<uint8_t>& sharedTmpBuffer) {                                               \
        AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, srcTensor.GetSize());         \
        call.tmp = sharedTmpBuffer.where();                                                                       \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) { \
        const AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, calCount);              \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {                          \
        const AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, srcTensor.GetSize());   \
        asc_vector(&call);                                                                                        \
    }

ASC_MATH(Tanh)
ASC_MATH(Sin)
ASC_MATH(Cos)
ASC_MATH(Tan)
ASC_MATH(Asin)
ASC_MATH(Acos)
ASC_MATH(Atan)
ASC_MATH(Sinh)
ASC_MATH(Cosh)
ASC_MATH(Asinh)
ASC_MATH(Acosh)
ASC_MATH(Atanh)
ASC_MATH(Erf)
ASC_MATH(Erfc)
ASC_MATH(Sign)
ASC_MATH(Trunc)
ASC_MATH(Round)
ASC_MATH(Frac)
ASC_MATH(Log2)
ASC_MATH(Sigmoid)
ASC_MATH(Floor)
ASC_MATH(Ceil)
#undef ASC_MATH

// Functions without scratch forms.
#define ASC_MATH_PLAIN(name)                                                                                      \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) { \
        const AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, calCount);              \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor) {                          \
        const AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, srcTensor.GetSize());   \
        asc_vector(&call);                                                                                        \
    }

ASC_MATH_PLAIN(Log)
ASC_MATH_PLAIN(Log10)
#undef ASC_MATH_PLAIN

// The high-precision Exp. The level must be given, which keeps it apart from the basic Exp.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Exp, "Exp", dstLocal, srcLocal, calCount);
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}

template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t calCount) {
    const AscVector call = asc::math_call(asc::Op::Exp, "Exp", dstLocal, srcLocal, calCount);
    asc_vector(&call);
}

// Two tensors, or a tensor and a scalar on either side. `option` 1: the scalar is the left operand.
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src0Tensor, calCount);
    asc::source(call, src1Tensor.where());
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                  uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src0Tensor, calCount);
    asc::source(call, src1Tensor.where());
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src0Tensor, src0Tensor.GetSize());
    asc::source(call, src1Tensor.where());
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src0Tensor, calCount);
    asc::scalar(call, src1Scalar);
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                  uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src0Tensor, calCount);
    asc::scalar(call, src1Scalar);
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src0Tensor, src0Tensor.GetSize());
    asc::scalar(call, src1Scalar);
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src1Tensor, calCount);
    asc::scalar(call, src0Scalar);
    call.option = 1;
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                  uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Power, "Power", dstTensor, src1Tensor, calCount);
    asc::scalar(call, src0Scalar);
    call.option = 1;
    asc_vector(&call);
}

template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Fmod, "Fmod", dstTensor, src0Tensor, calCount);
    asc::source(call, src1Tensor.where());
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                 const uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Fmod, "Fmod", dstTensor, src0Tensor, calCount);
    asc::source(call, src1Tensor.where());
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Xor, "Xor", dstTensor, src0Tensor, calCount);
    asc::source(call, src1Tensor.where());
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const LocalTensor<T>& src1Tensor,
                const uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::Xor, "Xor", dstTensor, src0Tensor, calCount);
    asc::source(call, src1Tensor.where());
    asc_vector(&call);
}

// Activations.
template <typename T, bool highPrecision = false, bool highPerformance = false>
inline void Gelu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize) {
    const AscVector call = asc::math_call(asc::Op::Gelu, "Gelu", dstLocal, srcLocal, dataSize);
    asc_vector(&call);
}
template <typename T, bool highPrecision = false, bool highPerformance = false>
inline void Gelu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize) {
    AscVector call = asc::math_call(asc::Op::Gelu, "Gelu", dstLocal, srcLocal, dataSize);
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}
template <typename T, bool highPrecision = false, bool highPerformance = false>
inline void FasterGelu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize) {
    const AscVector call = asc::math_call(asc::Op::FasterGelu, "FasterGelu", dstLocal, srcLocal, dataSize);
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize) {
    const AscVector call = asc::math_call(asc::Op::Silu, "Silu", dstLocal, srcLocal, dataSize);
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                  const T scalarValue) {
    AscVector call = asc::math_call(asc::Op::Swish, "Swish", dstLocal, srcLocal, dataSize);
    asc::scalar(call, scalarValue);
    asc_vector(&call);
}
// dst = src0 * swish(src1, beta).
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, LocalTensor<T>& srcTensor0, LocalTensor<T>& srcTensor1,
                   const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::SwiGlu, "SwiGLU", dstTensor, srcTensor0, calCount);
    asc::source(call, srcTensor1.where());
    asc::scalar(call, scalarValue);
    call.tmp = sharedTmpBuffer.where();
    asc_vector(&call);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, LocalTensor<T>& srcTensor0, LocalTensor<T>& srcTensor1,
                   const float& scalarValue, const uint32_t calCount) {
    AscVector call = asc::math_call(asc::Op::SwiGlu, "SwiGLU", dstTensor, srcTensor0, calCount);
    asc::source(call, srcTensor1.where());
    asc::scalar(call, scalarValue);
    asc_vector(&call);
}

}  // namespace AscendC
