"""Host facts and the link between the two sides, on an operator written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.facts import InitBufferEvent, OperatorFacts, analyse_operator
from ascendopt.analysis.operators import discover
from ascendopt.analysis.values import evaluate

HOST = """\
#include "register/op_def_registry.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(SumRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
TILING_DATA_FIELD_DEF(uint32_t, mode);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SumRows, SumRowsTilingData)

static ge::graphStatus Tile(gert::TilingContext* context)
{
    SumRowsTilingData tiling;
    uint64_t ub = 0;
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    uint32_t cores = platform.GetCoreNumAiv();
    uint32_t width = 0;
    ge::TypeUtils::GetDataTypeLength(context->GetInputDesc(0)->GetDataType(), width);
    if (width == 0) {
        return ge::GRAPH_FAILED;
    }
    uint64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    uint32_t rows = context->GetInputShape(0)->GetStorageShape().GetDim(0);
    if (rows < cores) {
        cores = rows;
    }
    uint32_t tile = ub / 4 / width / 8 * 8;
    tiling.set_tile(tile);
    tiling.set_perCore((total + cores - 1) / cores);
    if (total > 4096) {
        tiling.set_mode(1);
        context->SetTilingKey(20);
    }
    context->SetBlockDim(cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    size_t* sizes = context->GetWorkspaceSizes(1);
    sizes[0] = 16 * 1024 * 1024;
    return ge::GRAPH_SUCCESS;
}
}
namespace ops {
class SumRows : public OpDef {
public:
    explicit SumRows(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->AICore().SetTiling(optiling::Tile).AddConfig("ascend910b");
    }
};
OP_ADD(SumRows);
}
"""
KERNEL = """\
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> class SumRows {
public:
    __aicore__ inline void Init(uint32_t tile)
    {
        pipe.InitBuffer(in, 2, tile * sizeof(T));
    }
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
};
extern "C" __global__ __aicore__ void sum_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    SumRows<DTYPE_X> op;
    op.Init(data.tile);
}
"""


@pytest.fixture
def facts(tmp_path: Path) -> OperatorFacts:
    for name, text in (("op_host/sum_rows.cpp", HOST), ("op_kernel/sum_rows.cpp", KERNEL)):
        path = tmp_path / "sum_rows" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return analyse_operator(discover(tmp_path / "sum_rows"), "Ascend910B2")


def test_fields_are_expressions_over_the_host(facts: OperatorFacts) -> None:
    assert facts.tiling is not None
    tile, per_core, mode = facts.tiling.sets
    assert [entry.field for entry in facts.tiling.sets] == ["tile", "perCore", "mode"]
    assert tile.value is not None
    # 196352 / 4 / 2 = 24544, a multiple of 8
    assert evaluate(tile.value, {"host.ub_size": 196352, "input0.dtype_size": 2}) == 24544
    assert tile.value.is_multiple_of(8)
    assert per_core.value is not None
    host = {"input0.size": 1000, "input0.dim0": 7, "host.core_num_aiv": 48}
    assert evaluate(per_core.value, host) == 143  # 7 cores, ceil(1000 / 7)
    assert (tile.conditional, mode.conditional) == (False, True)


def test_places(facts: OperatorFacts) -> None:
    assert facts.tiling is not None
    tile = facts.tiling.sets_of("tile")[0]
    text = HOST.encode()
    assert text[tile.site.span.start : tile.site.span.end] == b"tiling.set_tile(tile)"
    assert text[tile.value_span.start : tile.value_span.end] == b"tile"
    assert tile.origin is not None
    origin = text[tile.origin.span.start : tile.origin.span.end]
    assert origin == b"uint32_t tile = ub / 4 / width / 8 * 8;"


def test_launch_settings(facts: OperatorFacts) -> None:
    assert facts.tiling is not None
    (blocks,) = facts.tiling.calls_of("SetBlockDim")
    assert blocks.value is not None
    assert evaluate(blocks.value, {"input0.dim0": 7, "host.core_num_aiv": 48}) == 7
    (key,) = facts.tiling.calls_of("SetTilingKey")
    assert key.conditional and key.value is not None and key.value.constant() == 20
    (workspace,) = facts.tiling.calls_of("workspace")
    assert workspace.value is not None and workspace.value.constant() == 16 << 20


def test_one_instance_per_dtype_column(facts: OperatorFacts) -> None:
    assert [(i.label, i.dtypes) for i in facts.kernel.instances] == [
        ("SumRows<half>", (("DTYPE_X", "half"),)),
        ("SumRows<float>", (("DTYPE_X", "float"),)),
    ]


def test_kernel_sizes_link_to_the_host(facts: OperatorFacts) -> None:
    (buffer,) = facts.kernel.instances[1].of(InitBufferEvent)
    assert buffer.length.symbols() == {"tiling.tile"}
    linked = facts.linked(buffer.total)
    # float: 196352 / 4 / 4 / 8 * 8 = 12272 elements, 49088 bytes, twice
    assert evaluate(linked, {"host.ub_size": 196352, "input0.dtype_size": 4}) == 98176


HELPER = """\
#include "register/op_def_registry.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(BlendTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, columns);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Blend, BlendTilingData)
class BlendTiling {
public:
    explicit BlendTiling(gert::TilingContext* context) : context_(context) {}
    ge::graphStatus Run();
private:
    void Fill();
    BlendTilingData data_;
    gert::TilingContext* context_ = nullptr;
    uint32_t rows_ = 0;
};
ge::graphStatus BlendTiling::Run() {
    rows_ = context_->GetInputShape(0)->GetStorageShape().GetDim(0);
    Fill();
    return ge::GRAPH_SUCCESS;
}
void BlendTiling::Fill() {
    data_.set_rows(rows_);
    data_.set_columns(64);
}
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    BlendTiling tiling(context);
    return tiling.Run();
}
IMPL_OP_OPTILING(Blend).Tiling(TilingFunc);
}
"""


def test_a_class_that_works_on_tiling_data_is_followed(tmp_path: Path) -> None:
    kernel = 'extern "C" __global__ __aicore__ void blend(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {}\n'
    for name, text in (("op_host/blend.cpp", HELPER), ("op_kernel/blend.cpp", kernel)):
        path = tmp_path / "blend" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    operator = discover(tmp_path / "blend")
    assert [struct.name for struct in operator.tiling_structs] == ["BlendTilingData"]
    tiling = analyse_operator(operator, "Ascend910B2").tiling
    assert tiling is not None
    found = {(entry.struct, entry.field): entry.value.text for entry in tiling.sets if entry.value is not None}
    assert found == {("BlendTilingData", "rows"): "input0.dim0", ("BlendTilingData", "columns"): "64"}
