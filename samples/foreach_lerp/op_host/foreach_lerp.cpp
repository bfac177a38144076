// y_i = x1_i + weight * (x2_i - x1_i) for lists of tensors: host side. Tiles of all tensors are dealt to the cores in
// turn.
#include "foreach_lerp_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
namespace {
constexpr uint32_t TILE_BYTES = 4096;
}  // namespace

static ge::graphStatus ForeachLerpTilingFunc(gert::TilingContext* context) {
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t coreCount = platform.GetCoreNumAiv();
    const uint32_t elementBytes = GetSizeByDataType(context->GetDynamicInputDesc(0, 0)->GetDataType());
    const uint32_t tileLength = TILE_BYTES / elementBytes;

    ForeachLerpTilingData tiling;
    uint64_t lengths[MAX_TENSORS] = {0};
    uint32_t tensorCount = 0;
    uint64_t tiles = 0;
    for (uint32_t i = 0; i < MAX_TENSORS; ++i) {
        const gert::StorageShape* shape = context->GetDynamicInputShape(0, i);
        if (shape == nullptr) {
            break;
        }
        lengths[i] = shape->GetStorageShape().GetShapeSize();
        tiles += (lengths[i] + tileLength - 1) / tileLength;
        ++tensorCount;
    }
    if (tensorCount == 0 || tiles == 0) {
        return ge::GRAPH_FAILED;
    }
    tiling.set_tensorCount(tensorCount);
    tiling.set_tileLength(tileLength);
    tiling.set_weight(*context->GetAttrs()->GetAttrPointer<float>(0));
    tiling.set_lengths(lengths);
    context->SetBlockDim(static_cast<uint32_t>(tiles < coreCount ? tiles : coreCount));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t* workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ForeachLerp : public OpDef {
  public:
    explicit ForeachLerp(const char* name) : OpDef(name) {
        this->Input("x1")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("x2")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(DYNAMIC)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("weight").AttrType(OPTIONAL).Float(0.5);
        this->AICore().SetTiling(optiling::ForeachLerpTilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ForeachLerp);
}  // namespace ops
