// y = x * tanh(ln(1 + e^x)): host side. The tile is a share of UB; work buffers are counted by hand.
#include "mish_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
namespace {
constexpr uint32_t BLOCK_BYTES = 32;
constexpr uint32_t UB_PARTS = 32;    // queues and float work buffers share UB; generous, to be safe
constexpr uint32_t CORE_UNIT = 512;  // bytes: cores start on a cache line
}  // namespace

static ge::graphStatus MishTilingFunc(gert::TilingContext* context) {
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t ubBytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
    const uint32_t coreCount = platform.GetCoreNumAiv();
    const uint32_t total = static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    if (total == 0 || coreCount == 0) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t elementBytes = GetSizeByDataType(context->GetInputDesc(0)->GetDataType());
    const uint32_t unit = CORE_UNIT / elementBytes;
    uint32_t coreLength = (total + coreCount - 1) / coreCount;
    coreLength = (coreLength + unit - 1) / unit * unit;
    const uint32_t usedCores = (total + coreLength - 1) / coreLength;
    const uint32_t tileBytes = static_cast<uint32_t>(ubBytes / UB_PARTS / BLOCK_BYTES * BLOCK_BYTES);

    MishTilingData tiling;
    tiling.set_totalLength(total);
    tiling.set_coreLength(coreLength);
    tiling.set_lastCoreLength(total - coreLength * (usedCores - 1));
    tiling.set_tileLength(tileBytes / sizeof(float));
    context->SetBlockDim(usedCores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t* workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static ge::graphStatus MishInferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class Mish : public OpDef {
  public:
    explicit Mish(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::MishInferShape);
        this->AICore().SetTiling(optiling::MishTilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Mish);
}  // namespace ops
