// Reductions and running sums along an axis of a matrix.
#pragma once
#include "transpose.h"

namespace AscendC {

// Rows of `inner` elements (a multiple of 32 B), of which the first n count.
struct SumParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};

namespace asc {
template <typename T, typename Params>
ASC_INLINE AscComposite rows_call(Composite op, const char* api, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const Params& params) {
    AscComposite call = composite(op, api, dst, src);
    call.value[0] = params.outter;
    call.value[1] = params.inner;
    call.value[2] = params.n;
    return call;
}
}  // namespace asc

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const SumParams& sumParams) {
    AscComposite call = asc::rows_call(asc::Composite::Sum, "Sum", dstTensor, srcTensor, sumParams);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SumParams& sumParams) {
    const AscComposite call = asc::rows_call(asc::Composite::Sum, "Sum", dstTensor, srcTensor, sumParams);
    asc_composite(&call);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const MeanParams& meanParams) {
    AscComposite call = asc::rows_call(asc::Composite::Mean, "Mean", dstTensor, srcTensor, meanParams);
    call.value[3] = asc::dtype<accType>;
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const MeanParams& meanParams) {
    AscComposite call = asc::rows_call(asc::Composite::Mean, "Mean", dstTensor, srcTensor, meanParams);
    call.value[3] = asc::dtype<accType>;
    asc_composite(&call);
}

// Which axis of a two-dimensional tensor is reduced (R) and which stays (A).
namespace Pattern::Reduce {
struct AR {
    static constexpr bool byRows = false;
};
struct RA {
    static constexpr bool byRows = true;
};
}  // namespace Pattern::Reduce

namespace asc {
template <typename pattern, typename T>
ASC_INLINE AscComposite axis_call(const char* api, uint32_t kind, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const uint32_t* shape) {
    AscComposite call = composite(Composite::ReduceAxis, api, dst, src);
    call.value[0] = kind;
    call.value[1] = shape[0];
    call.value[2] = shape[1];
    call.value[3] = pattern::byRows ? 1 : 0;
    return call;
}
}  // namespace asc

#define ASC_REDUCE_AXIS(name, kind)                                                                               \
    template <class T, class pattern, bool isReuseSource = false>                                                 \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                            \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool) {              \
        AscComposite call = asc::axis_call<pattern>(#name, kind, dstTensor, srcTensor, srcShape);                 \
        call.tmp = sharedTmpBuffer.where();                                                                       \
        asc_composite(&call);                                                                                     \
    }                                                                                                             \
    template <class T, class pattern, bool isReuseSource = false>                                                 \
    inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t srcShape[], \
                     bool) {                                                                                      \
        const AscComposite call = asc::axis_call<pattern>(#name, kind, dstTensor, srcTensor, srcShape);           \
        asc_composite(&call);                                                                                     \
    }
ASC_REDUCE_AXIS(ReduceSum, 0)
ASC_REDUCE_AXIS(ReduceMax, 1)
ASC_REDUCE_AXIS(ReduceMin, 2)
ASC_REDUCE_AXIS(ReduceProd, 3)
ASC_REDUCE_AXIS(ReduceAny, 4)
ASC_REDUCE_AXIS(ReduceAll, 5)
ASC_REDUCE_AXIS(ReduceMean, 6)
#undef ASC_REDUCE_AXIS

// How the chip orders its additions; the values are the same up to rounding.
enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, false};
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};

template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                   LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo) {
    AscComposite call = asc::composite(asc::Composite::CumSum, "CumSum", dstTensor, srcTensor);
    call.out[1] = lastRowTensor.where();
    call.tmp = sharedTmpBuffer.where();
    call.value[0] = cumSumInfo.outter;
    call.value[1] = cumSumInfo.inner;
    call.value[2] = config.isLastAxis;
    call.value[3] = config.outputLastRow;
    asc_composite(&call);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                   const CumSumInfo& cumSumInfo) {
    AscComposite call = asc::composite(asc::Composite::CumSum, "CumSum", dstTensor, srcTensor);
    call.out[1] = lastRowTensor.where();
    call.value[0] = cumSumInfo.outter;
    call.value[1] = cumSumInfo.inner;
    call.value[2] = config.isLastAxis;
    call.value[3] = config.outputLastRow;
    asc_composite(&call);
}

}  // namespace AscendC
