// Activation functions of one operand over the first n elements (see math_functions.h).
#pragma once
#include "math_functions.h"

namespace AscendC {

#define ASC_GELU(name)                                                                                          \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                             \
    inline void name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                            \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize) {                    \
        AscVector call = asc::math_call(asc::Op::name, #name, dstLocal, srcLocal, dataSize);                    \
        call.tmp = sharedTmpBuffer.where();                                                                     \
        asc_vector(&call);                                                                                      \
    }                                                                                                           \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                             \
    inline void name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize) { \
        const AscVector call = asc::math_call(asc::Op::name, #name, dstLocal, srcLocal, dataSize);              \
        asc_vector(&call);                                                                                      \
    }
ASC_GELU(Gelu)
ASC_GELU(FasterGelu)
ASC_GELU(FasterGeluV2)
#undef ASC_GELU

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

}  // namespace AscendC
