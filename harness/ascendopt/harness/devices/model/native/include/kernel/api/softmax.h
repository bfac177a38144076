// The softmax family, over rows in ND format.
#pragma once
#include "transpose.h"

namespace AscendC {

// Of the library's own functions: operators bring the name into a namespace and never use it.
struct ReduceLastND;

struct SoftMaxShapeInfo {
    uint32_t srcM{0};
    uint32_t srcK{0};
    uint32_t oriSrcM{0};
    uint32_t oriSrcK{0};
};
enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

namespace asc {
// Rows, their pitch and their length: from the shape information, or from the tiling where there is none.
template <typename Tiling>
ASC_INLINE void softmax_rows(AscComposite& call, const Tiling& tiling, const SoftMaxShapeInfo& shape) {
    const bool given = shape.srcK != 0;
    call.value[0] = given ? (shape.oriSrcM ? shape.oriSrcM : shape.srcM) : tiling.srcM;
    call.value[1] = given ? shape.srcK : tiling.srcK;
    call.value[2] = given && shape.oriSrcK ? shape.oriSrcK : call.value[1];
}
template <bool isDataFormatNZ, const SoftmaxConfig& config>
ASC_INLINE void softmax_supported() {
    static_assert(!isDataFormatNZ, "the softmax family is modelled for ND format only");
    static_assert(config.mode == SoftmaxMode::SOFTMAX_NORMAL, "SOFTMAX_OUTPUT_WITHOUT_BRC is not modelled");
}
ASC_INLINE void output(AscComposite& call, const AscLocal& where) { call.out[call.outputs++] = where; }
ASC_INLINE void input(AscComposite& call, const AscLocal& where) { call.in[call.inputs++] = where; }
}  // namespace asc

// `Tiling` stands for SoftMaxTiling: the struct is generated with each operator's tiling data. T is the type of the
// data and U that of sum and max (float with half data).
#define ASC_SOFTMAX_BODY(name, kind, first, second)                                           \
    asc::softmax_supported<isDataFormatNZ, config>();                                         \
    AscComposite call = asc::composite(asc::Composite::SoftMax, #name, dstTensor, srcTensor); \
    first(call, sumTensor.where());                                                           \
    second(call, maxTensor.where());                                                          \
    asc::softmax_rows(call, tiling, softmaxShapeInfo);                                        \
    call.value[3] = kind;

#define ASC_SOFTMAX(name, kind, side)                                                                         \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U, typename Tiling>     \
    inline void name(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,                        \
                     const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor, const Tiling& tiling,  \
                     const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                         \
        ASC_SOFTMAX_BODY(name, kind, side, side)                                                              \
        asc_composite(&call);                                                                                 \
    }                                                                                                         \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, \
              const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U, typename Tiling>     \
    inline void name(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,                        \
                     const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,                        \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const Tiling& tiling,                       \
                     const SoftMaxShapeInfo& softmaxShapeInfo = {}) {                                         \
        ASC_SOFTMAX_BODY(name, kind, side, side)                                                              \
        call.tmp = sharedTmpBuffer.where();                                                                   \
        asc_composite(&call);                                                                                 \
    }
ASC_SOFTMAX(SoftMax, 0, asc::output)
ASC_SOFTMAX(SimpleSoftMax, 1, asc::input)
#undef ASC_SOFTMAX
#undef ASC_SOFTMAX_BODY

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename Tiling>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const Tiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<false, config>();
    AscComposite call = asc::composite(asc::Composite::SoftMax, "SoftMax", dstTensor, srcTensor);
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename Tiling>
inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const Tiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<false, config>();
    AscComposite call = asc::composite(asc::Composite::SoftMax, "SoftMax", dstTensor, srcTensor);
    call.tmp = sharedTmpBuffer.where();
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false, typename Tiling>
inline void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                       const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer, const Tiling& tiling,
                       const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<isDataFormatNZ, SOFTMAX_DEFAULT_CFG>();
    AscComposite call = asc::composite(asc::Composite::SoftMax, "LogSoftMax", dst, src);
    asc::output(call, sum.where());
    asc::output(call, max.where());
    call.tmp = sharedTmpBuffer.where();
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[3] = 2;
    asc_composite(&call);
}

namespace asc {
template <typename D, typename U>
ASC_INLINE AscComposite flash_call(const char* api, const LocalTensor<D>& dst, const LocalTensor<U>& sum,
                                   const LocalTensor<U>& max, const LocalTensor<D>& src, const LocalTensor<D>& exp_max,
                                   const LocalTensor<U>& in_sum, const LocalTensor<U>& in_max) {
    AscComposite call = composite(Composite::SoftmaxFlash, api, dst, src);
    output(call, sum.where());
    output(call, max.where());
    output(call, exp_max.where());
    input(call, in_sum.where());
    input(call, in_max.where());
    return call;
}
}  // namespace asc

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename D, typename U, typename Tiling>
inline void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
                         const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                         const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inSumTensor,
                         const LocalTensor<U>& inMaxTensor, const Tiling& tiling, bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    AscComposite call = asc::flash_call("SoftmaxFlash", dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor,
                                        inSumTensor, inMaxTensor);
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[4] = isUpdate;
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename D, typename U, typename Tiling>
inline void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
                         const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                         const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inSumTensor,
                         const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const Tiling& tiling, bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    AscComposite call = asc::flash_call("SoftmaxFlash", dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor,
                                        inSumTensor, inMaxTensor);
    call.tmp = sharedTmpBuffer.where();
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[4] = isUpdate;
    asc_composite(&call);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U,
          typename Tiling>
inline void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& expSumTensor,
                           const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                           const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inExpSumTensor,
                           const LocalTensor<U>& inMaxTensor, const Tiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<isDataFormatNZ, config>();
    AscComposite call = asc::flash_call("SoftmaxFlashV2", dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
                                        inExpSumTensor, inMaxTensor);
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[3] = 1;
    call.value[4] = isUpdate;
    asc_composite(&call);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U,
          typename Tiling>
inline void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& expSumTensor,
                           const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                           const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inExpSumTensor,
                           const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const Tiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<isDataFormatNZ, config>();
    AscComposite call = asc::flash_call("SoftmaxFlashV2", dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
                                        inExpSumTensor, inMaxTensor);
    call.tmp = sharedTmpBuffer.where();
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[3] = 1;
    call.value[4] = isUpdate;
    asc_composite(&call);
}

// The third form shifts scores by means of parts of a row; the rows are those of the parameters.
struct SoftMaxParams {
    uint32_t srcM;
    uint32_t srcK;
    uint32_t oriSrcM;
    uint32_t oriSrcK;
    uint32_t loopCnt;
    uint32_t splitMeanCnt;
    float alpha;
};
#define ASC_SOFTMAX_FLASH_V3(scratch, with_scratch)                                                                  \
    template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,  \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename Tiling>       \
    inline void SoftmaxFlashV3(                                                                                      \
        const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor, const LocalTensor<U>& expSumTensor,       \
        const LocalTensor<U>& maxTensor, const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,        \
        const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor, const LocalTensor<U>& inMaxTensor, \
        scratch const Tiling&, const SoftMaxParams& params) {                                                        \
        asc::softmax_supported<isDataFormatNZ, config>();                                                            \
        AscComposite call = asc::composite(asc::Composite::SoftmaxFlash, "SoftmaxFlashV3", dstTensor, srcTensor);    \
        asc::output(call, meanTensor.where());                                                                       \
        asc::output(call, expSumTensor.where());                                                                     \
        asc::output(call, maxTensor.where());                                                                        \
        call.out[4] = expMaxTensor.where();                                                                          \
        call.outputs = isUpdate ? 5 : 4;                                                                             \
        asc::input(call, inMeanTensor.where());                                                                      \
        asc::input(call, inExpSumTensor.where());                                                                    \
        asc::input(call, inMaxTensor.where());                                                                       \
        call.value[0] = params.oriSrcM;                                                                              \
        call.value[1] = params.srcK;                                                                                 \
        call.value[2] = params.oriSrcK;                                                                              \
        call.value[3] = 2;                                                                                           \
        call.value[4] = isUpdate;                                                                                    \
        call.value[5] = params.loopCnt;                                                                              \
        call.value[6] = asc::bits(params.alpha);                                                                     \
        call.value[7] = params.splitMeanCnt;                                                                         \
        with_scratch;                                                                                                \
        asc_composite(&call);                                                                                        \
    }
#define ASC_SCRATCH const LocalTensor<uint8_t>&sharedTmpBuffer,
ASC_SOFTMAX_FLASH_V3(ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_SOFTMAX_FLASH_V3(, (void)0)
#undef ASC_SCRATCH
#undef ASC_SOFTMAX_FLASH_V3

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false, typename Tiling>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor, const Tiling& tiling, bool isFront = false,
                        const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<isDataFormatNZ, SOFTMAX_DEFAULT_CFG>();
    AscComposite call = asc::composite(asc::Composite::SoftmaxGrad, "SoftmaxGrad", dstTensor, gradTensor);
    asc::input(call, srcTensor.where());
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[3] = isFront;
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false, typename Tiling>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const Tiling& tiling, bool isFront = false, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<isDataFormatNZ, SOFTMAX_DEFAULT_CFG>();
    AscComposite call = asc::composite(asc::Composite::SoftmaxGrad, "SoftmaxGrad", dstTensor, gradTensor);
    asc::input(call, srcTensor.where());
    call.tmp = sharedTmpBuffer.where();
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[3] = isFront;
    asc_composite(&call);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false, typename Tiling>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor, const Tiling& tiling,
                             const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<isDataFormatNZ, SOFTMAX_DEFAULT_CFG>();
    AscComposite call = asc::composite(asc::Composite::SoftmaxGrad, "SoftmaxGradFront", dstTensor, gradTensor);
    asc::input(call, srcTensor.where());
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[3] = 1;
    asc_composite(&call);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false, typename Tiling>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                             const Tiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}) {
    asc::softmax_supported<isDataFormatNZ, SOFTMAX_DEFAULT_CFG>();
    AscComposite call = asc::composite(asc::Composite::SoftmaxGrad, "SoftmaxGradFront", dstTensor, gradTensor);
    asc::input(call, srcTensor.where());
    call.tmp = sharedTmpBuffer.where();
    asc::softmax_rows(call, tiling, softmaxShapeInfo);
    call.value[3] = 1;
    asc_composite(&call);
}

// Rows whose maximum has the bits `from` are filled with `to`; says whether there was one.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor, const uint32_t from,
                             const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo) {
    asc::softmax_supported<isDataFormatNZ, SOFTMAX_DEFAULT_CFG>();
    static_assert(stepSizeMode == 0, "AdjustSoftMaxRes is modelled for 32 B a row only");
    AscComposite call = asc::composite(asc::Composite::AdjustSoftMaxRes, "AdjustSoftMaxRes", softMaxRes, softMaxRes);
    asc::input(call, maxTensor.where());
    asc::softmax_rows(call, softmaxShapeInfo, softmaxShapeInfo);
    bool found = false;
    call.value[3] = from;
    call.value[4] = asc::bits(static_cast<float>(to));
    call.value[5] = reinterpret_cast<uintptr_t>(&found);
    asc_composite(&call);
    return found;
}

}  // namespace AscendC
