// The attribute `work` says everything: it becomes the tiling data as it is, and its first number the cores.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CubeTilingData)
    TILING_DATA_FIELD_DEF_ARR(uint32_t, 32, work);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Cube, CubeTilingData)

static ge::graphStatus CubeTiling(gert::TilingContext* context) {
    const auto* given = context->GetAttrs()->GetListInt(0);
    if (given == nullptr || given->GetSize() == 0 || given->GetSize() > 32) {
        return ge::GRAPH_FAILED;
    }
    uint32_t work[32] = {};
    for (size_t i = 0; i < given->GetSize(); ++i) {
        work[i] = static_cast<uint32_t>(given->GetData()[i]);
    }
    CubeTilingData tiling;
    tiling.set_work(work);
    context->SetBlockDim(work[0]);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Cube : public OpDef {
  public:
    explicit Cube(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_UINT8}).Format({ge::FORMAT_ND});
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_UINT8}).Format({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_UINT8}).Format({ge::FORMAT_ND});
        this->Attr("work").AttrType(REQUIRED).ListInt();
        this->AICore().SetTiling(optiling::CubeTiling);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Cube);
}  // namespace ops
