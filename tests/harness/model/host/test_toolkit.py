"""What the toolkit's host functions answer: temporary sizes, softmax tilings, platform facts, initial values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.workload import AttrValue, Case, TensorSpec

from .conftest import SOC

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def device(toolchain: Toolchain) -> Iterator[ModelDevice]:
    device = ModelDevice(SOC, cache=toolchain.root)
    yield device
    device.close()


@pytest.fixture(scope="module")
def built(device: ModelDevice) -> ModelBuilt:
    return device.build(HERE / "row_share", BuildOptions(SOC))


def case(dtype: str, *shape: int, **attrs: AttrValue) -> Case:
    return Case("c", (TensorSpec("x", dtype, (shape,)),), (TensorSpec("y", dtype, (shape,)),), attrs)


def numbers(built: ModelBuilt, case: Case, name: str) -> tuple[int, ...]:
    value = built.tile(case).values[name]
    assert isinstance(value, tuple)
    return tuple(int(item) for item in value)


def test_softmax_takes_as_many_rows_as_fit(built: ModelBuilt) -> None:
    values = built.tile(case("float32", 20, 128, rows=6)).values
    read = {name.removeprefix("softmax."): value for name, value in values.items()}
    assert (read["srcM"], read["srcK"], read["srcSize"]) == (20, 128, 2560)
    assert (read["splitM"], read["splitSize"], read["rangeM"], read["tailM"]) == (6, 768, 3, 2)
    assert (read["tailSplitSize"], read["outMaxK"], read["reduceK"]) == (256, 8, 8)
    whole = built.tile(case("float16", 20, 128, rows=100)).values
    assert (whole["softmax.splitM"], whole["softmax.tailM"], whole["softmax.outMaxK"]) == (20, 0, 16)


def test_temporary_sizes(built: ModelBuilt) -> None:
    # Tanh: one temporary for float, four (of the source's bytes) for half. Sin reuses its source: two, and a block.
    # Erf: three. Sum: one partial sum for each 256 bytes, in whole blocks.
    row, rows, *sizes = numbers(built, case("float32", 3, 100), "sizes")
    assert rows == 3 * row
    assert sizes == [1216, 256, 2 * 1216 + 32, 2 * 256 + 32, 3, 0, 32, 32]
    half = numbers(built, case("float16", 3, 100), "sizes")
    assert half[2:4] == (4 * 608, 4 * 256)


def test_platform_facts_of_two_chips(built: ModelBuilt, device: ModelDevice) -> None:
    assert numbers(built, case("float32", 1, 8), "chip") == (64 << 30, 37, 1, 16 << 20)  # 1.6 TB/s, 24 x 1.8 GHz
    older = device.build(HERE / "row_share", BuildOptions("Ascend310P3"))
    assert numbers(older, case("float32", 1, 8), "chip") == (24_000_000_000, 0, 1, 2 << 20)


@pytest.mark.parametrize(("dtype", "initial"), [("float16", 7.0), ("float32", -0.5)])
def test_outputs_hold_their_initial_value(built: ModelBuilt, dtype: str, initial: float) -> None:
    result = built.run(case(dtype, 1, 8), [np.full((1, 8), 2, dtype)], timing=False)
    assert result.outputs[0].tolist() == [[initial + 2, *[initial] * 7]]


BUILT_IN = """
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(Answers)
TILING_DATA_FIELD_DEF(uint64_t, cores);
TILING_DATA_FIELD_DEF(uint64_t, ub);
TILING_DATA_FIELD_DEF(uint64_t, format);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(DynamicQuant, Answers)
struct Info {
    int32_t cores;
    uint64_t ub;
};
static ge::graphStatus Tile(gert::TilingContext* context) {
    const auto* info = reinterpret_cast<const Info*>(context->GetCompileInfo());
    if (info == nullptr) return ge::GRAPH_FAILED;
    Answers answers;
    answers.set_cores(info->cores);
    answers.set_ub(info->ub);
    answers.set_format(context->GetInputDesc(0)->GetFormat().GetStorageFormat());
    answers.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(answers.GetDataSize());
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(DynamicQuant).Tiling(Tile);
}  // namespace optiling
namespace ops {
class DynamicQuant : public OpDef {
  public:
    explicit DynamicQuant(const char* name) : OpDef(name) {
        const auto formats = {ge::FORMAT_NCHW, ge::FORMAT_NCDHW};
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT}).Format(formats);
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT}).Format(formats);
        AICore().AddConfig("ascend910b");
    }
};
OP_ADD(DynamicQuant);
}  // namespace ops
"""


def test_built_in_operators_have_a_compile_info_and_data_the_format_of_its_dimensions(
    device: ModelDevice, tmp_path: Path
) -> None:
    file = tmp_path / "dynamic_quant" / "op_host" / "dynamic_quant.cpp"
    file.parent.mkdir(parents=True)
    file.write_text(BUILT_IN)
    kernel = tmp_path / "dynamic_quant" / "op_kernel" / "dynamic_quant.cpp"
    kernel.parent.mkdir()
    kernel.write_text('extern "C" __global__ __aicore__ void dynamic_quant(GM_ADDR, GM_ADDR, GM_ADDR, GM_ADDR) {}\n')
    built = device.build(tmp_path / "dynamic_quant", BuildOptions(SOC))
    images, volumes = (built.tile(case("float32", *shape)).values for shape in ((2, 3, 4, 5), (1, 2, 3, 4, 5)))
    # 48 vector cores with 192 KB of UB less the 256 bytes that are reserved; NCHW is format 0, NCDHW 30.
    assert (images["cores"], images["ub"], images["format"]) == (48, 192 * 1024 - 256, 0)
    assert volumes["format"] == 30
