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

// int8 weights back to half or bfloat16: scale * (src + offset). A row of scales serves `group` rows of src.
struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};

namespace asc {
template <bool isTranspose, typename D, typename S>
ASC_INLINE AscComposite weights_call(const LocalTensor<D>& dst, const LocalTensor<S>& src, uint32_t rows) {
    static_assert(!isTranspose, "AscendAntiQuant is modelled without transposition");
    static_assert(std::is_same_v<S, int8_t>, "AscendAntiQuant is modelled for int8_t");
    AscComposite call = composite(Composite::AntiQuant, "AscendAntiQuant", dst, src);
    call.value[0] = src.GetSize();
    call.value[1] = rows ? src.GetSize() / rows : 1;
    return call;
}
// Scales of `height` rows (1 if not said); without a tensor of offsets, `offset` counts.
template <typename D>
ASC_INLINE void weight_scales(AscComposite& call, const LocalTensor<D>& scale, const LocalTensor<D>* offset,
                              uint32_t rows, const AntiQuantShapeInfo& shape) {
    input(call, scale.where());
    if (offset) input(call, offset->where());
    const uint32_t height = shape.scaleHeight ? shape.scaleHeight : 1;
    call.value[4] = rows / height;
}
}  // namespace asc

#define ASC_ANTI_QUANT(scratch, with_scratch)                                                                        \
    template <typename InputDataType, typename OutputDataType, bool isTranspose>                                     \
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,       \
                                const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale, \
                                scratch const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}) {                \
        AscComposite call = asc::weights_call<isTranspose>(dst, src, k);                                             \
        asc::weight_scales(call, scale, &offset, k, shapeInfo);                                                      \
        with_scratch;                                                                                                \
        asc_composite(&call);                                                                                        \
    }                                                                                                                \
    template <typename InputDataType, typename OutputDataType, bool isTranspose>                                     \
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,       \
                                const OutputDataType offset, const OutputDataType scale, scratch const uint32_t k,   \
                                const AntiQuantShapeInfo& = {}) {                                                    \
        AscComposite call = asc::weights_call<isTranspose>(dst, src, k);                                             \
        call.value[2] = asc::bits(static_cast<float>(scale));                                                        \
        call.value[3] = asc::bits(static_cast<float>(offset));                                                       \
        with_scratch;                                                                                                \
        asc_composite(&call);                                                                                        \
    }
#define ASC_SCRATCH const LocalTensor<uint8_t>&sharedTmpBuffer,
ASC_ANTI_QUANT(ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_ANTI_QUANT(, (void)0)
#undef ASC_SCRATCH
#undef ASC_ANTI_QUANT

}  // namespace AscendC
