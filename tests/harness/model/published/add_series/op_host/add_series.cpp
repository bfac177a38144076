// z = x + y in seven steps from scalar to tuned: which step, says the attribute `step`.
#include <algorithm>

#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AddSeriesTilingData)
    TILING_DATA_FIELD_DEF(uint64_t, total);
    TILING_DATA_FIELD_DEF(uint64_t, perCore);
    TILING_DATA_FIELD_DEF(uint32_t, tile);
    TILING_DATA_FIELD_DEF(uint32_t, buffers);
    TILING_DATA_FIELD_DEF(uint32_t, scalar);
    TILING_DATA_FIELD_DEF(uint32_t, bypass);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(AddSeries, AddSeriesTilingData)

namespace {
struct Step {
    uint32_t cores, tile, buffers, scalar, bypass;
};
// Tiles in halves. 16256 halves put y 256 bytes off x, modulo 512: no bank conflict.
constexpr Step STEPS[] = {
    {1, 4096, 1, 1, 0},   {1, 4096, 1, 0, 0},   {48, 4096, 1, 0, 0},  {48, 16384, 1, 0, 0},
    {48, 16384, 2, 0, 0}, {48, 16384, 2, 0, 1}, {48, 16256, 2, 0, 1},
};
}  // namespace

static ge::graphStatus AddSeriesTiling(gert::TilingContext* context) {
    const int64_t index = *context->GetAttrs()->GetAttrPointer<int64_t>(0);
    if (index < 0 || index > 6) {
        return ge::GRAPH_FAILED;
    }
    const Step& step = STEPS[index];
    const uint64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint64_t share = (total + step.cores - 1) / step.cores;
    AddSeriesTilingData tiling;
    tiling.set_total(total);
    tiling.set_perCore((share + 15) / 16 * 16);
    tiling.set_tile(step.tile);
    tiling.set_buffers(step.buffers);
    tiling.set_scalar(step.scalar);
    tiling.set_bypass(step.bypass);
    context->SetBlockDim(step.cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class AddSeries : public OpDef {
  public:
    explicit AddSeries(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Attr("step").AttrType(REQUIRED).Int();
        this->AICore().SetTiling(optiling::AddSeriesTiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(AddSeries);
}  // namespace ops
