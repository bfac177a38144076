// Asks the Matmul tiling classes for a tiling and hands it on as it is: sizes, types and settings are attributes.
#include "lib/matmul/bmm_tiling.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CubeShareTiling)
TILING_DATA_FIELD_DEF(int32_t, mDim);
TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube);
TILING_DATA_FIELD_DEF(int32_t, nDim);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(CubeShare, CubeShareTiling)

static void Describe(matmul_tiling::MatmulApiTilingBase& matmul, const gert::RuntimeAttrs& attrs) {
    using namespace matmul_tiling;
    const auto number = [&](size_t index) { return static_cast<int32_t>(*attrs.GetInt(index)); };
    const auto type = static_cast<matmul_tiling::DataType>(number(4));
    matmul.SetAType(TPosition::GM, CubeFormat::ND, type);
    matmul.SetBType(TPosition::GM, CubeFormat::ND, type, true);
    matmul.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    matmul.SetBiasType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
    matmul.SetOrgShape(number(0), number(1), number(2));
    matmul.SetShape(number(0), number(1), number(2));
    matmul.EnableBias(*attrs.GetBool(5));
    matmul.SetFixSplit(number(6), number(7), -1);
    matmul.SetBufferSpace(number(8), -1, -1);
}

static ge::graphStatus Tile(gert::TilingContext* context) {
    const gert::RuntimeAttrs& attrs = *context->GetAttrs();
    const auto dim = static_cast<int32_t>(*attrs.GetInt(3));
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    CubeShareTiling tiling;
    int32_t cores = 1, m_dim = 1, n_dim = 1;
    if (dim == 0) {
        matmul_tiling::MatmulApiTiling matmul(platform);
        Describe(matmul, attrs);
        if (matmul.GetTiling(tiling.cube) == -1) return ge::GRAPH_FAILED;
    } else {
        matmul_tiling::MultiCoreMatmulTiling matmul;
        Describe(matmul, attrs);
        matmul.SetDim(dim);
        matmul.EnableMultiCoreSplitK(*attrs.GetBool(9));
        AscendC::tiling::TCubeTiling plain;
        if (matmul.GetTiling(plain) == -1 || matmul.GetTiling(tiling.cube) == -1) return ge::GRAPH_FAILED;
        if (plain.baseM != tiling.cube.get_baseM() || plain.mxTypePara != 0) return ge::GRAPH_FAILED;
        matmul.GetCoreNum(cores, m_dim, n_dim);
    }
    tiling.set_mDim(m_dim);
    tiling.set_nDim(n_dim);
    context->SetBlockDim(cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class CubeShare : public OpDef {
  public:
    explicit CubeShare(const char* name) : OpDef(name) {
        for (const char* size : {"m", "n", "k", "dim", "type"}) this->Attr(size).AttrType(REQUIRED).Int();
        this->Attr("bias").AttrType(OPTIONAL).Bool(false);
        for (const char* base : {"base_m", "base_n", "l1"}) this->Attr(base).AttrType(OPTIONAL).Int(-1);
        this->Attr("split_k").AttrType(OPTIONAL).Bool(false);
        this->AICore().SetTiling(optiling::Tile).AddConfig("ascend910b");
    }
};
OP_ADD(CubeShare);
}  // namespace ops
