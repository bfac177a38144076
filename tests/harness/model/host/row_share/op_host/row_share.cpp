// Asks for temporary sizes and a softmax tiling, and hands on what it is told.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RowShareTiling)
TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 10, sizes);
TILING_DATA_FIELD_DEF_ARR(uint64_t, 4, chip);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(RowShare, RowShareTiling)

static ge::graphStatus Tile(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const ge::Shape shape(std::vector<int64_t>{x.GetDim(0), x.GetDim(1)});
    const auto type_size = static_cast<uint32_t>(ge::GetSizeByDataType(context->GetInputDesc(0)->GetDataType()));
    const auto rows = static_cast<uint32_t>(*context->GetAttrs()->GetInt(0));
    const uint32_t one = AscendC::GetSoftMaxMinTmpSize(shape, type_size, false);
    RowShareTiling tiling;
    AscendC::SoftMaxTilingFunc(shape, type_size, rows * one, tiling.softmax);
    uint32_t sizes[10] = {one, AscendC::GetSoftMaxMaxTmpSize(shape, type_size, false)};
    AscendC::GetTanhMaxMinTmpSize(shape, type_size, false, sizes[2], sizes[3]);
    AscendC::GetSinMaxMinTmpSize(shape, type_size, true, sizes[4], sizes[5]);
    AscendC::GetErfTmpBufferFactorSize(type_size, sizes[6], sizes[7]);
    AscendC::GetSumMaxMinTmpSize(static_cast<uint32_t>(x.GetDim(1)), type_size, false, sizes[8], sizes[9]);
    tiling.set_sizes(sizes);

    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    uint64_t chip[4] = {};
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::HBM, chip[0]);
    platform.GetCoreMemBw(platform_ascendc::CoreMemType::HBM, chip[1]);
    std::string text;
    chip[2] = context->GetPlatformInfo()->GetPlatformRes("AICoreintrinsicDtypeMap", "Intrinsic_mmad", text) ? 1 : 0;
    chip[3] = platform_ascendc::PlatformAscendCManager::GetInstance()->GetLibApiWorkSpaceSize();
    tiling.set_chip(chip);
    context->SetBlockDim(1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class RowShare : public OpDef {
  public:
    explicit RowShare(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .InitValue({{ScalarType::FLOAT16, 7}, {ScalarType::FLOAT32, -0.5f}});
        this->Attr("rows").AttrType(OPTIONAL).Int(1);
        this->AICore().SetTiling(optiling::Tile).AddConfig("ascend910b").AddConfig("ascend310p");
    }
};
OP_ADD(RowShare);
}  // namespace ops
