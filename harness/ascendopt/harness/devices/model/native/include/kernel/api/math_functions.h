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

// Of the library's own Tanh, by which operators write theirs: where it is flat, and the factor in its exponent.
constexpr float FP32_MIN_V2 = -8.8f;
constexpr float FP32_MAX_V2 = 8.8f;
constexpr float DOUBLE_X = 2.0f;

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

// Functions with a count only.
#define ASC_MATH_COUNT(name)                                                                                      \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                            \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {                      \
        AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, calCount);                    \
        call.tmp = sharedTmpBuffer.where();                                                                       \
        asc_vector(&call);                                                                                        \
    }                                                                                                             \
    template <typename T, bool isReuseSource = false>                                                             \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t calCount) { \
        const AscVector call = asc::math_call(asc::Op::name, #name, dstTensor, srcTensor, calCount);              \
        asc_vector(&call);                                                                                        \
    }

ASC_MATH_COUNT(Lgamma)
ASC_MATH_COUNT(Digamma)
#undef ASC_MATH_COUNT

// Values beyond the scalar become the scalar.
#define ASC_CLAMP(name, operation)                                                                           \
    template <typename T, bool isReuseSource = false>                                                        \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                       \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount) { \
        AscVector call = asc::math_call(asc::Op::operation, #name, dstTensor, srcTensor, calCount);          \
        asc::scalar(call, scalar);                                                                           \
        call.tmp = sharedTmpBuffer.where();                                                                  \
        asc_vector(&call);                                                                                   \
    }                                                                                                        \
    template <typename T, bool isReuseSource = false>                                                        \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,       \
                     const uint32_t calCount) {                                                              \
        AscVector call = asc::math_call(asc::Op::operation, #name, dstTensor, srcTensor, calCount);          \
        asc::scalar(call, scalar);                                                                           \
        asc_vector(&call);                                                                                   \
    }
ASC_CLAMP(ClampMax, ClampMax)
ASC_CLAMP(ClampMin, ClampMin)
#undef ASC_CLAMP

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

}  // namespace AscendC
