// Asks the kernel library's host side for temporary sizes and tilings of a matrix, and hands on what it is told.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SizesTiling)
TILING_DATA_FIELD_DEF_ARR(uint32_t, 10, activations);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 10, norms);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 10, quants);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 10, layouts);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 6, taken);
TILING_DATA_FIELD_DEF_STRUCT(LayerNormTiling, layer_norm);
TILING_DATA_FIELD_DEF_STRUCT(RmsNormTiling, rms_norm);
TILING_DATA_FIELD_DEF_STRUCT(GroupNormTiling, group_norm);
TILING_DATA_FIELD_DEF_STRUCT(PadTiling, pad);
TILING_DATA_FIELD_DEF_STRUCT(ConfusionTransposeTiling, transpose);
TILING_DATA_FIELD_DEF_STRUCT(TopkTiling, top_k);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Sizes, SizesTiling)

using AscendC::ReducePattern;

static ge::Shape Of(const std::vector<int64_t>& dims) { return ge::Shape(dims); }

static void Activations(const ge::Shape& shape, uint32_t size, SizesTiling& tiling) {
    uint32_t out[10] = {};
    AscendC::GetGeGLUMaxMinTmpSize(shape, size, false, out[0], out[1]);
    AscendC::GetSwiGLUMaxMinTmpSize(shape, size, out[2], out[3], false);
    AscendC::GetGeluMaxMinTmpSize(shape, size, out[4], out[5]);
    AscendC::GetDropOutMaxMinTmpSize(shape, size, false, out[6], out[7]);
    AscendC::GetSelectMaxMinTmpSize(shape, Of({1}), size, shape, 1, false, out[8], out[9]);
    tiling.set_activations(out);
}

static void Norms(const ge::Shape& shape, uint32_t size, SizesTiling& tiling) {
    const ge::Shape rows = Of({1, shape.GetDim(0), shape.GetDim(1)});
    uint32_t out[10] = {};
    AscendC::GetLayerNormMaxMinTmpSize(rows, size, false, out[0], out[1]);
    AscendC::GetRmsNormMaxMinTmpSize(rows, size, out[2], out[3]);
    AscendC::GetNormalizeMaxMinTmpSize(shape, size, size, false, false, false, out[4], out[5]);
    AscendC::GetWelfordUpdateMaxMinTmpSize(shape, size, 4, false, false, out[6], out[7]);
    AscendC::GetGroupNormMaxMinTmpSize(Of({2, 4, 3, 5}), size, false, 2, out[8], out[9]);
    tiling.set_norms(out);

    uint32_t taken[6] = {};
    const ge::Shape counted = Of({1, shape.GetDim(0), shape.GetDim(1) - 3});
    const ge::Shape longer = Of({1, shape.GetDim(0), shape.GetDim(1) + 8});
    taken[0] = AscendC::GetRmsNormTilingInfo(rows, counted, out[3] + 4 * size * 64, size, tiling.rms_norm);
    taken[1] = AscendC::GetRmsNormTilingInfo(rows, counted, out[3] - 1, size, tiling.rms_norm);
    taken[2] = AscendC::GetRmsNormTilingInfo(rows, longer, out[2], size, tiling.rms_norm);
    AscendC::tiling::DeepNormTiling deep;
    taken[3] = AscendC::GetDeepNormTilingInfo(rows, counted, out[0], size, false, false, deep);
    taken[4] = deep.originalHLength;
    taken[5] = AscendC::GetDeepNormTilingInfo(rows, counted, out[0], size, false, true, deep);
    tiling.set_taken(taken);
    const ge::Shape with_length = Of({1, shape.GetDim(0), shape.GetDim(1), shape.GetDim(1) - 3});
    AscendC::GetLayerNormNDTilingInfo(with_length, out[1] + 2 * 3 * 128 * 4, size, false, tiling.layer_norm);
    AscendC::GetGroupNormNDTilingInfo(Of({2, 4, 3, 5}), out[8], size, false, 2, tiling.group_norm);
}

static void Quants(const ge::Shape& shape, uint32_t size, ge::DataType type, SizesTiling& tiling) {
    uint32_t out[10] = {};
    AscendC::GetAscendQuantMaxMinTmpSize(shape, size, out[0], out[1]);
    AscendC::GetAscendDequantMaxMinTmpSize(shape, 4, out[2], out[3]);
    const ge::Shape scales = Of({1, shape.GetDim(1)});
    AscendC::GetAscendAntiQuantMaxMinTmpSize(shape, scales, false, ge::DT_INT8, type, out[4], out[5]);
    AscendC::GetReduceSumMaxMinTmpSize(shape, type, ReducePattern::AR, true, false, out[6], out[7]);
    AscendC::GetReduceMaxMaxMinTmpSize(shape, type, ReducePattern::RA, true, false, out[8], out[9]);
    tiling.set_quants(out);
}

static void Layouts(const ge::Shape& shape, uint32_t size, const platform_ascendc::PlatformAscendC& platform,
                    SizesTiling& tiling) {
    uint32_t out[10] = {};
    AscendC::GetPadMaxMinTmpSize(shape, size, out[0], out[1]);
    AscendC::GetTransposeMaxMinTmpSize(Of({1, 2, 20, 16}), size, 1, out[2], out[3]);
    AscendC::GetTopKMaxMinTmpSize(platform, 64, 2, false, false, AscendC::TopKMode::TOPK_NORMAL, true, size, out[4],
                                  out[5]);
    AscendC::GetTopKMaxMinTmpSize(platform, 64, 2, false, true, AscendC::TopKMode::TOPK_NSMALL, false, size, out[6],
                                  out[7]);
    AscendC::GetCumSumMaxMinTmpSize(shape, size, true, false, out[8], out[9]);
    tiling.set_layouts(out);
    AscendC::PadTilingFunc(shape, Of({shape.GetDim(0), shape.GetDim(1) - 3}), out[0], size, tiling.pad);
    AscendC::GetTransposeTilingInfo(shape, 0, size, 13, tiling.transpose);
    AscendC::TopKTilingFunc(platform, 64, 2, 5, size, true, AscendC::TopKMode::TOPK_NORMAL, true, tiling.top_k);
}

static ge::graphStatus Tile(gert::TilingContext* context) {
    const gert::Shape& x = context->GetInputShape(0)->GetStorageShape();
    const ge::Shape shape(std::vector<int64_t>{x.GetDim(0), x.GetDim(1)});
    const ge::DataType type = context->GetInputDesc(0)->GetDataType();
    const auto size = static_cast<uint32_t>(ge::GetSizeByDataType(type));
    SizesTiling tiling;
    Activations(shape, size, tiling);
    Norms(shape, size, tiling);
    Quants(shape, size, type, tiling);
    Layouts(shape, size, platform_ascendc::PlatformAscendC(context->GetPlatformInfo()), tiling);
    context->SetBlockDim(1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Sizes : public OpDef {
  public:
    explicit Sizes(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::Tile).AddConfig("ascend910b");
    }
};
OP_ADD(Sizes);
}  // namespace ops
