// Normalisations in ND format. `Tiling` stands for the documented tiling struct of each function, which is generated
// with the operator's tiling data.
#pragma once
#include "softmax.h"

namespace AscendC {

namespace asc {
// Rows, their pitch, their length and epsilon.
ASC_INLINE void matrix(AscComposite& call, uint32_t rows, uint32_t pitch, uint32_t n, float epsilon) {
    call.value[0] = rows;
    call.value[1] = pitch;
    call.value[2] = n;
    call.value[3] = bits(epsilon);
}
template <typename Tiling>
ASC_INLINE void matrix_of(AscComposite& call, const Tiling& tiling, float epsilon) {
    matrix(call, tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength, epsilon);
}
// Flags of a normalisation, as rt/composite_norm.cpp reads them.
constexpr uint64_t kNormRstd = 1, kNormNoGamma = 2, kNormNoBeta = 4, kNormOnlyOutput = 8, kNormTwoSources = 16;

template <typename T, typename M, typename U>
ASC_INLINE AscComposite norm_call(const char* api, const LocalTensor<T>& dst, const LocalTensor<M>& mean,
                                  const LocalTensor<M>& spread, const LocalTensor<T>& x, const LocalTensor<U>& gamma,
                                  const LocalTensor<U>& beta) {
    AscComposite call = composite(Composite::LayerNorm, api, dst, x);
    output(call, mean.where());
    output(call, spread.where());
    input(call, gamma.where());
    input(call, beta.where());
    return call;
}
}  // namespace asc

template <typename T, bool isReuseSource = false, typename Tiling>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      Tiling& tiling) {
    AscComposite call = asc::norm_call("LayerNorm", output, outputMean, outputVariance, inputX, gamma, beta);
    asc::matrix_of(call, tiling, static_cast<float>(epsilon));
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, typename Tiling>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const T epsilon, Tiling& tiling) {
    AscComposite call = asc::norm_call("LayerNorm", output, outputMean, outputVariance, inputX, gamma, beta);
    asc::matrix_of(call, tiling, static_cast<float>(epsilon));
    asc_composite(&call);
}

struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

namespace asc {
constexpr uint64_t norm_flags(const LayerNormConfig& config) {
    return (config.isOutputRstd ? kNormRstd : 0) | (config.isNoGamma ? kNormNoGamma : 0) |
           (config.isNoBeta ? kNormNoBeta : 0) | (config.isOnlyOutput ? kNormOnlyOutput : 0);
}
}  // namespace asc

template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM,
          typename Tiling>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta, const float epsilon, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const LayerNormPara& para, const Tiling&) {
    AscComposite call = asc::norm_call("LayerNorm", output, outputMean, outputRstd, inputX, gamma, beta);
    asc::matrix(call, para.aLength, para.rLengthWithPadding, para.rLength, epsilon);
    call.value[4] = asc::norm_flags(config);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM,
          typename Tiling>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta, const float epsilon, const LayerNormPara& para, const Tiling&) {
    AscComposite call = asc::norm_call("LayerNorm", output, outputMean, outputRstd, inputX, gamma, beta);
    asc::matrix(call, para.aLength, para.rLengthWithPadding, para.rLength, epsilon);
    call.value[4] = asc::norm_flags(config);
    asc_composite(&call);
}

// LayerNorm of alpha * src + gx. The documentation calls the third tensor rstd; the open kernel library and the golden
// of the public example leave the variance there.
#define ASC_DEEP_NORM(scratch, with_scratch)                                                                           \
    template <typename T, bool isReuseSrc = false, bool isBasicBlock = false, typename Tiling>                         \
    inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,                              \
                         const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,                              \
                         const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,                               \
                         const LocalTensor<T>& gammaLocal, scratch const T alpha, const T epsilon, Tiling& tiling) {   \
        AscComposite call = asc::norm_call("DeepNorm", dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal, gammaLocal); \
        asc::input(call, betaLocal.where());                                                                           \
        asc::matrix_of(call, tiling, static_cast<float>(epsilon));                                                     \
        call.value[4] = asc::kNormTwoSources;                                                                          \
        call.value[5] = asc::bits(static_cast<float>(alpha));                                                          \
        with_scratch;                                                                                                  \
        asc_composite(&call);                                                                                          \
    }
#define ASC_SCRATCH const LocalTensor<uint8_t>&sharedTmpBuffer,
ASC_DEEP_NORM(ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_DEEP_NORM(, (void)0)
#undef ASC_SCRATCH
#undef ASC_DEEP_NORM

template <typename T, bool isBasicBlock = false, typename Tiling>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, const Tiling& tiling) {
    AscComposite call = asc::composite(asc::Composite::RmsNorm, "RmsNorm", dstLocal, srcLocal);
    asc::input(call, gammaLocal.where());
    asc::matrix_of(call, tiling, static_cast<float>(epsilon));
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isBasicBlock = false, typename Tiling>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
                    const T epsilon, const Tiling& tiling) {
    AscComposite call = asc::composite(asc::Composite::RmsNorm, "RmsNorm", dstLocal, srcLocal);
    asc::input(call, gammaLocal.where());
    asc::matrix_of(call, tiling, static_cast<float>(epsilon));
    asc_composite(&call);
}

// Over the first axis.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename Tiling>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      Tiling& tiling) {
    AscComposite call = asc::norm_call("BatchNorm", output, outputMean, outputVariance, inputX, gamm, beta);
    call.op = static_cast<uint16_t>(asc::Composite::BatchNorm);
    asc::matrix(call, tiling.originalBLength, tiling.meanVarSize, tiling.meanVarSize, static_cast<float>(epsilon));
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename Tiling>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
                      const LocalTensor<T>& beta, const T epsilon, Tiling& tiling) {
    AscComposite call = asc::norm_call("BatchNorm", output, outputMean, outputVariance, inputX, gamm, beta);
    call.op = static_cast<uint16_t>(asc::Composite::BatchNorm);
    asc::matrix(call, tiling.originalBLength, tiling.meanVarSize, tiling.meanVarSize, static_cast<float>(epsilon));
    asc_composite(&call);
}

struct LayerNormGradShapeInfo {};

namespace asc {
template <typename T, typename Tiling>
ASC_INLINE AscComposite norm_grad_call(const LocalTensor<T>& dx, const LocalTensor<T>& for_gamma,
                                       const LocalTensor<T>& dy, const LocalTensor<T>& x,
                                       const LocalTensor<T>& variance, const LocalTensor<T>& mean,
                                       const LocalTensor<T>& gamma, T epsilon, const Tiling& tiling) {
    AscComposite call = composite(Composite::LayerNormGrad, "LayerNormGrad", dx, dy);
    output(call, for_gamma.where());
    input(call, x.where());
    input(call, variance.where());
    input(call, mean.where());
    input(call, gamma.where());
    matrix_of(call, tiling, static_cast<float>(epsilon));
    return call;
}
}  // namespace asc

template <typename T, bool isReuseSource = false, typename Tiling>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, LocalTensor<uint8_t>& sharedTmpBuffer, T epsilon,
                          Tiling& tiling, const LayerNormGradShapeInfo& = {}) {
    AscComposite call = asc::norm_grad_call(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean,
                                            inputGamma, epsilon, tiling);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, typename Tiling>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, T epsilon, Tiling& tiling,
                          const LayerNormGradShapeInfo& = {}) {
    const AscComposite call = asc::norm_grad_call(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean,
                                                  inputGamma, epsilon, tiling);
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, typename Tiling>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const Tiling& tiling) {
    AscComposite call =
        asc::composite(asc::Composite::LayerNormGradBeta, "LayerNormGradBeta", outputPdGamma, resForGamma);
    asc::output(call, outputPdBeta.where());
    asc::input(call, inputDy.where());
    asc::matrix_of(call, tiling, 0.0f);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isReuseSource = false, typename Tiling>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy, Tiling& tiling) {
    AscComposite call =
        asc::composite(asc::Composite::LayerNormGradBeta, "LayerNormGradBeta", outputPdGamma, resForGamma);
    asc::output(call, outputPdBeta.where());
    asc::input(call, inputDy.where());
    asc::matrix_of(call, tiling, 0.0f);
    asc_composite(&call);
}

struct WelfordUpdateConfig {
    bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};

// One more sample: inputX, with nRec = 1 / number of samples.
#define ASC_WELFORD_UPDATE(scratch, with_scratch)                                                               \
    template <typename T, typename U, bool isReuseSource = false,                                               \
              const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>                                         \
    inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,           \
                              const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,             \
                              const LocalTensor<T>& inputX, scratch const WelfordUpdateParam& para) {           \
        AscComposite call = asc::composite(asc::Composite::WelfordUpdate, "WelfordUpdate", outputMean, inputX); \
        asc::output(call, outputVariance.where());                                                              \
        asc::input(call, inputMean.where());                                                                    \
        asc::input(call, inputVariance.where());                                                                \
        call.value[0] = para.rnLength * para.abLength;                                                          \
        call.value[1] = para.abComputeLength;                                                                   \
        call.value[2] = asc::bits(para.nRec);                                                                   \
        with_scratch;                                                                                           \
        asc_composite(&call);                                                                                   \
    }
#define ASC_SCRATCH const LocalTensor<uint8_t>&sharedTmpBuffer,
ASC_WELFORD_UPDATE(ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_WELFORD_UPDATE(, (void)0)
#undef ASC_SCRATCH
#undef ASC_WELFORD_UPDATE

struct WelfordFinalizeConfig {
    constexpr WelfordFinalizeConfig(const bool correction) : isCorrection(correction) {}
    bool isCorrection = false;
};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};
struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
};

namespace asc {
// Without a tail every part has rnLength samples.
ASC_INLINE AscComposite finalize_call(const LocalTensor<float>& mean, const LocalTensor<float>& variance,
                                      const LocalTensor<float>& means, const LocalTensor<float>& variances,
                                      const WelfordFinalizePara& para) {
    AscComposite call = composite(Composite::WelfordFinalize, "WelfordFinalize", mean, means);
    output(call, variance.where());
    input(call, variances.where());
    const bool tail = para.tailCountLength != 0;
    call.value[0] = para.abLength;
    call.value[1] = bits(para.rRec);
    call.value[2] = tail ? para.headCount : para.rnLength;
    call.value[3] = tail ? para.headCountLength : para.abLength;
    call.value[4] = para.tailCount;
    return call;
}
}  // namespace asc

#define ASC_WELFORD_FINALIZE(counts, with_counts, scratch, with_scratch)                                        \
    template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>         \
    inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance, \
                                const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,   \
                                counts scratch WelfordFinalizePara& para) {                                     \
        static_assert(!config.isCorrection, "the corrected variance does not exist on this chip");              \
        AscComposite call = asc::finalize_call(outputMean, outputVariance, inputMean, inputVariance, para);     \
        with_counts;                                                                                            \
        with_scratch;                                                                                           \
        asc_composite(&call);                                                                                   \
    }
#define ASC_COUNTS const LocalTensor<int32_t>&counts,
#define ASC_SCRATCH const LocalTensor<uint8_t>&sharedTmpBuffer,
ASC_WELFORD_FINALIZE(ASC_COUNTS, asc::input(call, counts.where()), ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_WELFORD_FINALIZE(ASC_COUNTS, asc::input(call, counts.where()), , (void)0)
ASC_WELFORD_FINALIZE(, (void)0, ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_WELFORD_FINALIZE(, (void)0, , (void)0)
#undef ASC_COUNTS
#undef ASC_SCRATCH
#undef ASC_WELFORD_FINALIZE

enum class ReducePattern : uint8_t { AR, RA };
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

// With mean and variance given.
#define ASC_NORMALIZE(scratch, with_scratch)                                                                     \
    template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>    \
    inline void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,                    \
                          const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,          \
                          const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta, \
                          scratch const float epsilon, const NormalizePara& para) {                              \
        static_assert(config.reducePattern == ReducePattern::AR, "Normalize is modelled for ReducePattern::AR"); \
        AscComposite call = asc::composite(asc::Composite::Normalize, "Normalize", output, inputX);              \
        asc::output(call, outputRstd.where());                                                                   \
        asc::input(call, inputMean.where());                                                                     \
        asc::input(call, inputVariance.where());                                                                 \
        asc::input(call, gamma.where());                                                                         \
        asc::input(call, beta.where());                                                                          \
        asc::matrix(call, para.aLength, para.rLengthWithPadding, para.rLength, epsilon);                         \
        call.value[4] = (config.isNoGamma ? asc::kNormNoGamma : 0) | (config.isNoBeta ? asc::kNormNoBeta : 0) |  \
                        (config.isOnlyOutput ? asc::kNormOnlyOutput : 0);                                        \
        with_scratch;                                                                                            \
        asc_composite(&call);                                                                                    \
    }
#define ASC_SCRATCH const LocalTensor<uint8_t>&sharedTmpBuffer,
ASC_NORMALIZE(ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_NORMALIZE(, (void)0)
#undef ASC_SCRATCH
#undef ASC_NORMALIZE

}  // namespace AscendC
