"""Findings that cross point to the other side: from the kernel's line to the host's, and the other way round."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.findings import Finding
from ascendopt.analysis.operators import discover
from ascendopt.analysis.selection import Selection

SOC = "Ascend910B2"
HOST = """
#include "register/op_def_registry.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(ShiftTiling)
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(uint32_t, repeats);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Shift, ShiftTiling)
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
    ShiftTiling tiling;
    uint32_t length = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    tiling.set_tileLength(length);
    tiling.set_repeats(length / 64);
    context->SetBlockDim(8);
    return ge::GRAPH_SUCCESS;
}
}
"""
KERNEL = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void shift(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    TBuf<TPosition::VECCALC> work;
    pipe.InitBuffer(queue, 2, data.tileLength * sizeof(float));
    pipe.InitBuffer(work, 1024);
    LocalTensor<float> t = work.Get<float>();
    Add(t, t, t, 64, data.repeats, {1, 1, 1, 8, 8, 8});
    Abs(t[data.repeats], t, 64);
}
"""


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    for name, text in (("op_host/shift.cpp", HOST), ("op_kernel/shift.cpp", KERNEL)):
        path = tmp_path / "shift" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path / "shift"


def check(operator: Path, code: str, tiling: dict[str, int]) -> Finding:
    facts = analyse_operator(discover(operator), SOC)
    case = ActiveCase("large", SOC, tiling) if tiling else None
    (found,) = check_facts(facts, load_chip(SOC), case, Selection.of([code]))
    return found


def others(finding: Finding) -> list[tuple[str, str, str]]:
    """Folder, source text and message of each related place."""
    return [
        (one.path.parent.name, one.path.read_bytes()[one.span.start : one.span.end].decode(), one.message)
        for one in finding.related
    ]


@pytest.mark.parametrize(
    ("code", "tiling", "text"),
    [
        ("MEM001", {"tileLength": 100_000, "repeats": 4}, "tiling.set_tileLength(length)"),
        ("RNG012", {"tileLength": 64, "repeats": 300}, "tiling.set_repeats(length / 64)"),
        ("ALN001", {"tileLength": 64, "repeats": 3}, "tiling.set_repeats(length / 64)"),
    ],
)
def test_a_kernel_line_points_to_the_host_line(operator: Path, code: str, tiling: dict[str, int], text: str) -> None:
    finding = check(operator, code, tiling)
    assert finding.path.parent.name == "op_kernel"
    (other,) = [one for one in others(finding) if one[0] == "op_host"]
    field = "repeats" if "repeats" in text else "tileLength"
    assert other[1] == text and other[2].startswith(f"the host sets {field} here: ")


def test_a_host_line_points_to_the_kernel(operator: Path) -> None:
    finding = check(operator, "PRF010", {})
    assert finding.path.parent.name == "op_host"
    assert others(finding) == [("op_kernel", "shift", "shift runs once for each block")]
