// Quantisation to int8 and back.
#pragma once
#include "softmax.h"

namespace AscendC {

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
};

namespace asc {
// A single row of whole groups is read as many rows.
template <typename D, DeQuantMode mode>
ASC_INLINE void dequant_rows(AscComposite& call, DequantParams shape) {
    constexpr uint32_t unit = ONE_BLK_SIZE / sizeof(D);
    if (mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && shape.m == 1 && shape.calCount != 0 &&
        shape.calCount % unit == 0 && shape.n % shape.calCount == 0) {
        shape = {shape.n / shape.calCount, shape.calCount, shape.calCount};
    }
    call.value[0] = shape.m;
    call.value[1] = shape.n;
    call.value[2] = shape.calCount;
}
template <typename D, DeQuantMode mode, typename S>
ASC_INLINE AscComposite dequant_call(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src,
                                     const LocalTensor<S>& scale, const DequantParams& shape) {
    AscComposite call = composite(Composite::Dequant, "AscendDequant", dst, src);
    input(call, scale.where());
    dequant_rows<D, mode>(call, shape);
    return call;
}
template <typename D, DeQuantMode mode, typename S>
ASC_INLINE AscComposite dequant_call(const LocalTensor<D>& dst, const LocalTensor<int32_t>& src, const S& scale,
                                     const DequantParams& shape) {
    AscComposite call = composite(Composite::Dequant, "AscendDequant", dst, src);
    dequant_rows<D, mode>(call, shape);
    call.value[3] = bits(static_cast<float>(scale));
    return call;
}
}  // namespace asc

// deqScale: a tensor or a number.
#define ASC_DEQUANT(scale_type)                                                                          \
    template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>   \
    inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor, \
                              scale_type deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,          \
                              DequantParams params) {                                                    \
        AscComposite call = asc::dequant_call<dstT, mode>(dstTensor, srcTensor, deqScale, params);       \
        call.tmp = sharedTmpBuffer.where();                                                              \
        asc_composite(&call);                                                                            \
    }                                                                                                    \
    template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>   \
    inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor, \
                              scale_type deqScale, DequantParams params) {                               \
        const AscComposite call = asc::dequant_call<dstT, mode>(dstTensor, srcTensor, deqScale, params); \
        asc_composite(&call);                                                                            \
    }
ASC_DEQUANT(const LocalTensor<scaleT>&)
ASC_DEQUANT(const scaleT)
#undef ASC_DEQUANT

// The older forms: one row.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const uint32_t calCount) {
    AscComposite call =
        asc::dequant_call<dstT, mode>(dstTensor, srcTensor, deqScale, DequantParams{1, srcTensor.GetSize(), calCount});
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<scaleT>& deqScale, const uint32_t calCount) {
    const AscComposite call =
        asc::dequant_call<dstT, mode>(dstTensor, srcTensor, deqScale, DequantParams{1, srcTensor.GetSize(), calCount});
    asc_composite(&call);
}

struct AscendQuantConfig {
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

namespace asc {
template <typename T>
ASC_INLINE AscComposite quant_call(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, float scale, float offset,
                                   uint32_t count) {
    AscComposite call = composite(Composite::Quant, "AscendQuant", dst, src);
    call.value[0] = count;
    call.value[2] = bits(scale);
    call.value[3] = bits(offset);
    return call;
}
}  // namespace asc

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset,
                        const uint32_t calCount) {
    AscComposite call = asc::quant_call(dstTensor, srcTensor, scale, offset, calCount);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                        const float offset, const uint32_t calCount) {
    const AscComposite call = asc::quant_call(dstTensor, srcTensor, scale, offset, calCount);
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                        const float offset) {
    const AscComposite call = asc::quant_call(dstTensor, srcTensor, scale, offset, srcTensor.GetSize());
    asc_composite(&call);
}
// A scale for each column.
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor, const T offset,
                        const uint32_t scaleCount, const uint32_t calCount) {
    AscComposite call = asc::quant_call(dstTensor, srcTensor, 0.0f, static_cast<float>(offset), calCount);
    asc::input(call, scaleTensor.where());
    call.value[1] = scaleCount;
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                        const LocalTensor<T>& offsetTensor, const uint32_t scaleCount, const uint32_t offsetCount,
                        const uint32_t calCount) {
    AscComposite call = asc::quant_call(dstTensor, srcTensor, 0.0f, 0.0f, calCount);
    asc::input(call, scaleTensor.where());
    asc::input(call, offsetTensor.where());
    call.value[1] = scaleCount < offsetCount ? scaleCount : offsetCount;
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}

}  // namespace AscendC
