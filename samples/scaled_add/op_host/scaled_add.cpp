// y = x1 + alpha * x2: host side. Every core gets the same number of elements, the last one what is left.
#include <algorithm>

#include "register/op_def_registry.h"
#include "scaled_add_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
namespace {
constexpr uint64_t BLOCK_BYTES = 32;
constexpr uint64_t TILE_LENGTH = 2048;      // elements per step
constexpr uint64_t MIN_CORE_LENGTH = 4096;  // fewer elements are not worth another core

uint64_t AlignUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }
}  // namespace

static ge::graphStatus ScaledAddTilingFunc(gert::TilingContext* context) {
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint64_t coreCount = platform.GetCoreNumAiv();
    const uint64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint64_t elementBytes = GetSizeByDataType(context->GetInputDesc(0)->GetDataType());
    if (total == 0 || elementBytes == 0 || coreCount == 0) {
        return ge::GRAPH_FAILED;
    }
    const uint64_t blockElements = BLOCK_BYTES / elementBytes;
    const uint64_t wantedCores = std::min(coreCount, (total + MIN_CORE_LENGTH - 1) / MIN_CORE_LENGTH);
    const uint64_t coreLength = AlignUp((total + wantedCores - 1) / wantedCores, blockElements);
    const uint64_t usedCores = (total + coreLength - 1) / coreLength;
    const uint64_t tileLength = AlignUp(std::min(TILE_LENGTH, coreLength), blockElements);

    ScaledAddTilingData tiling;
    tiling.set_totalLength(total);
    tiling.set_coreLength(coreLength);
    tiling.set_tileLength(static_cast<uint32_t>(tileLength));
    tiling.set_alpha(*context->GetAttrs()->GetAttrPointer<float>(0));

    context->SetBlockDim(static_cast<uint32_t>(usedCores));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t* workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static ge::graphStatus ScaledAddInferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class ScaledAdd : public OpDef {
  public:
    explicit ScaledAdd(const char* name) : OpDef(name) {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("x2")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
        this->SetInferShape(ge::ScaledAddInferShape);
        this->AICore().SetTiling(optiling::ScaledAddTilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ScaledAdd);
}  // namespace ops
