// y = x / sqrt(mean(x^2) + epsilon) * gamma over the last axis: host side. Whole rows, the same quota for every core.
#include "register/op_def_registry.h"
#include "rms_scale_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
namespace {
constexpr uint32_t BLOCK_BYTES = 32;
constexpr uint32_t MIN_ROWS_PER_CORE = 4;
}  // namespace

static ge::graphStatus RmsScaleTilingFunc(gert::TilingContext* context) {
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const uint32_t coreCount = platform.GetCoreNumAiv();
    uint64_t ubBytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);

    const gert::Shape& shape = context->GetInputShape(0)->GetStorageShape();
    const uint32_t columns = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    if (columns == 0 || coreCount == 0) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t rows = static_cast<uint32_t>(shape.GetShapeSize() / columns);
    const uint32_t elementBytes = GetSizeByDataType(context->GetInputDesc(0)->GetDataType());
    const uint32_t blockElements = BLOCK_BYTES / elementBytes;
    const uint32_t paddedColumns = (columns + blockElements - 1) / blockElements * blockElements;
    // x, gamma and y in the input type; x, gamma and the squares in float.
    const uint64_t rowBytes = static_cast<uint64_t>(paddedColumns) * (3 * elementBytes + 3 * sizeof(float));
    if (rows == 0 || rowBytes + 1024 > ubBytes) {
        return ge::GRAPH_FAILED;  // a row does not fit in UB: this operator does not split rows
    }

    uint32_t rowsPerCore = (rows + coreCount - 1) / coreCount;
    if (rowsPerCore < MIN_ROWS_PER_CORE) {
        rowsPerCore = MIN_ROWS_PER_CORE;
    }
    RmsScaleTilingData tiling;
    tiling.set_rows(rows);
    tiling.set_columns(columns);
    tiling.set_paddedColumns(paddedColumns);
    tiling.set_rowsPerCore(rowsPerCore);
    tiling.set_epsilon(*context->GetAttrs()->GetAttrPointer<float>(0));
    context->SetBlockDim((rows + rowsPerCore - 1) / rowsPerCore);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    size_t* workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static ge::graphStatus RmsScaleInferShape(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class RmsScale : public OpDef {
  public:
    explicit RmsScale(const char* name) : OpDef(name) {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("gamma")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-6);
        this->SetInferShape(ge::RmsScaleInferShape);
        this->AICore().SetTiling(optiling::RmsScaleTilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(RmsScale);
}  // namespace ops
