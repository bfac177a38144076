// Types and configurations of the Matmul library. What a configuration says about speed, the model reads from the
// tiling; the fields are all there because operators write them out.
#pragma once
#include "tensor.h"

enum class CubeFormat {
    ND = 0,
    NZ,
    ZN,
    ZZ,
    NN,
    ND_ALIGN,
    SCALAR,
    VECTOR,
    ROW_MAJOR = ND,
    COLUMN_MAJOR = 8,
};
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH, DYNAMIC };
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT };
enum IterateMode : uint8_t {
    ITERATE_MODE_NORMAL = 1,
    ITERATE_MODE_ALL = 2,
    ITERATE_MODE_BATCH = 4,
    ITERATE_MODE_N_BATCH = 8,
    ITERATE_MODE_DEFAULT = 255,
};

struct MatmulConfig {
    bool doNorm;
    bool doBasicBlock;
    bool doMultiDataLoad;
    uint32_t basicM;
    uint32_t basicN;
    uint32_t basicK;
    bool intrinsicsCheck;
    bool isNBatch;
    bool enVecND2NZ;
    bool doSpecialBasicBlock;
    uint32_t doMTE2Preload;
    uint32_t singleCoreM;
    uint32_t singleCoreN;
    uint32_t singleCoreK;
    uint32_t stepM;
    uint32_t stepN;
    uint32_t baseMN;
    uint32_t singleCoreMN;
    bool enUnitFlag = true;
    bool isPerTensor;
    bool hasAntiQuantOffset;
    bool doIBShareNorm;
    bool doSpecialMDL;
    bool enableInit = true;
    BatchMode batchMode;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = ITERATE_MODE_DEFAULT;
    bool enableReuse = true;
    bool enableUBReuse;
    bool enableL1CacheUB;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder{IterateOrder::UNDEF};
    ScheduleType scheduleType;
    bool enableDoubleCache;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool isCO1Shared = false;
    uint32_t sharedCO1BufferSize = 64 * 1024;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
    bool enableL1BankConflictOptimise = false;
    bool enableRelu = false;
};

enum class MatmulConfigMode { CONFIG_NORM, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };
struct MatmulShapeParams {
    uint32_t singleCoreM;
    uint32_t singleCoreN;
    uint32_t singleCoreK;
    uint32_t basicM;
    uint32_t basicN;
    uint32_t basicK;
};
struct MatmulQuantParams {
    bool isPerTensor;
    bool hasAntiQuantOffset;
};
struct MatmulBatchParams {
    bool isNBatch;
    BatchMode batchMode;
    bool isBiasBatch = true;
    BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
    bool intrinsicsCheck;
    bool enVecND2NZ;
    bool enableDoubleCache;
    bool enableL1CacheUB;
    uint32_t doMTE2Preload;
    IterateOrder iterateOrder;
    ScheduleType scheduleType;
    bool enableReuse = true;
    bool enableUBReuse;
    bool isPartialOutput = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    bool enableL1BankConflictOptimise = false;
    bool enableRelu = false;
};
struct MatmulBiasParams {
    bool enableSetBias = true;
};

constexpr MatmulConfig GetNormalConfig(bool intrinsicsLimit = false, bool batchLoop = false, bool isVecND2NZ = false,
                                       BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, bool isMsgReuse = true,
                                       IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, bool enUnitFlag = true,
                                       bool enableMixDualMaster = false,
                                       BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
    MatmulConfig out{};
    out.doNorm = true;
    out.intrinsicsCheck = intrinsicsLimit;
    out.isNBatch = batchLoop;
    out.enVecND2NZ = isVecND2NZ;
    out.batchMode = bmmMode;
    out.enableReuse = isMsgReuse;
    out.iterateOrder = iterateOrder;
    out.scheduleType = scheduleType;
    out.enUnitFlag = enUnitFlag;
    out.enableMixDualMaster = enableMixDualMaster;
    out.bmmOutMode = bmmOutMode;
    return out;
}
constexpr MatmulConfig GetMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false, uint32_t doMTE2Preload = 0,
                                    bool isVecND2NZ = false, bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    bool enUnitFlag = false, bool isMsgReuse = true, bool enableUBReuse = true,
                                    bool enableL1CacheUB = false, bool enableMixDualMaster = false,
                                    bool enableKdimReorderLoad = false) {
    MatmulConfig out{};
    out.doMultiDataLoad = true;
    out.intrinsicsCheck = intrinsicsLimit;
    out.isNBatch = batchLoop;
    out.enVecND2NZ = isVecND2NZ;
    out.doMTE2Preload = doMTE2Preload;
    out.enUnitFlag = enUnitFlag;
    out.isPerTensor = isPerTensor;
    out.hasAntiQuantOffset = hasAntiQuantOffset;
    out.enableReuse = isMsgReuse;
    out.enableUBReuse = enableUBReuse;
    out.enableL1CacheUB = enableL1CacheUB;
    out.enableMixDualMaster = enableMixDualMaster;
    out.enableKdimReorderLoad = enableKdimReorderLoad;
    return out;
}
constexpr MatmulConfig GetSpecialMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                           uint32_t doMTE2Preload = 0, bool isVecND2NZ = false,
                                           bool isPerTensor = false, bool hasAntiQuantOffset = false) {
    MatmulConfig out =
        GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
    out.doMultiDataLoad = false;
    out.doSpecialMDL = true;
    return out;
}
constexpr MatmulConfig GetIBShareNormConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                            bool isVecND2NZ = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            bool isDoubleCache = false, bool enUnitFlag = true) {
    MatmulConfig out = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
    out.doNorm = false;
    out.doIBShareNorm = true;
    out.enableDoubleCache = isDoubleCache;
    out.enUnitFlag = enUnitFlag;
    return out;
}
constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK, bool intrinsicsLimit = false,
                                      bool batchLoop = false, BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
    MatmulConfig out = GetNormalConfig(intrinsicsLimit, batchLoop, false, bmmMode);
    out.doNorm = false;
    out.doBasicBlock = true;
    out.basicM = basicM;
    out.basicN = basicN;
    out.basicK = basicK;
    return out;
}

namespace AscendC::asc {
constexpr void apply(MatmulConfig& config, const MatmulShapeParams& params) {
    config.singleCoreM = params.singleCoreM;
    config.singleCoreN = params.singleCoreN;
    config.singleCoreK = params.singleCoreK;
    config.basicM = params.basicM;
    config.basicN = params.basicN;
    config.basicK = params.basicK;
}
constexpr void apply(MatmulConfig& config, const MatmulQuantParams& params) {
    config.isPerTensor = params.isPerTensor;
    config.hasAntiQuantOffset = params.hasAntiQuantOffset;
}
constexpr void apply(MatmulConfig& config, const MatmulBatchParams& params) {
    config.isNBatch = params.isNBatch;
    config.batchMode = params.batchMode;
    config.isBiasBatch = params.isBiasBatch;
    config.bmmOutMode = params.bmmOutMode;
}
constexpr void apply(MatmulConfig& config, const MatmulFuncParams& params) {
    config.intrinsicsCheck = params.intrinsicsCheck;
    config.enVecND2NZ = params.enVecND2NZ;
    config.enableDoubleCache = params.enableDoubleCache;
    config.enableL1CacheUB = params.enableL1CacheUB;
    config.doMTE2Preload = params.doMTE2Preload;
    config.iterateOrder = params.iterateOrder;
    config.scheduleType = params.scheduleType;
    config.enableReuse = params.enableReuse;
    config.enableUBReuse = params.enableUBReuse;
    config.isPartialOutput = params.isPartialOutput;
    config.isA2B2Shared = params.isA2B2Shared;
    config.isEnableChannelSplit = params.isEnableChannelSplit;
    config.enableKdimReorderLoad = params.enableKdimReorderLoad;
    config.enableRelu = params.enableRelu;
}
constexpr void apply(MatmulConfig& config, const MatmulBiasParams& params) {
    config.enableSetBias = params.enableSetBias;
}
}  // namespace AscendC::asc

template <MatmulConfigMode mode, typename... Params>
constexpr MatmulConfig GetMMConfig(Params&&... params) {
    MatmulConfig out = mode == MatmulConfigMode::CONFIG_NORM         ? GetNormalConfig()
                       : mode == MatmulConfigMode::CONFIG_MDL        ? GetMDLConfig()
                       : mode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                                                                     : GetIBShareNormConfig();
    (AscendC::asc::apply(out, params), ...);
    return out;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

namespace AscendC {

using ::BatchMode;
using ::CubeFormat;
using ::IterateOrder;
using ::LayoutMode;
using ::MatmulConfig;
using ::ScheduleType;

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    using T = TYPE;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    static constexpr TPosition srcPos = SRCPOS;
};

// The type of sums in the cube unit.
template <typename T>
struct GetMmDstType {
    using Type =
        std::conditional_t<std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t> || std::is_same_v<T, int4b_t>,
                           int32_t, float>;
};

// Depth of the library's own queues.
namespace Impl {
constexpr int32_t QUEUE_DEPTH = 1;
}

// Functions that a kernel puts in the place of the library's copies to L1. One in the place of the copy from L0C is not
// modelled.
template <auto DataCopyOut = nullptr, auto CopyA1 = nullptr, auto CopyB1 = nullptr>
struct MatmulCallBackFunc {
    static_assert(std::is_same_v<decltype(DataCopyOut), decltype(nullptr)>, "a DataCopyOut callback is not modelled");
    static constexpr auto copy_a = CopyA1;
    static constexpr auto copy_b = CopyB1;
    static constexpr bool has_a = !std::is_same_v<decltype(CopyA1), decltype(nullptr)>;
    static constexpr bool has_b = !std::is_same_v<decltype(CopyB1), decltype(nullptr)>;
};

}  // namespace AscendC
