"""An error in a kernel with tiling keys counts when every dtype column of the key has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.operators import discover
from ascendopt.analysis.selection import Selection

SOC = "Ascend910B2"
HOST = """
#include "register/op_def_registry.h"
namespace ops {
class Widen : public OpDef {
public:
    explicit Widen(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16, ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Widen);
}
"""
KERNEL = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> class K {
public:
    __aicore__ inline void Process(TPipe* pipe) {
        pipe->InitBuffer(narrow, 1024);
        pipe->InitBuffer(wide, 1024);
        LocalTensor<T> a = narrow.Get<T>();
        LocalTensor<float> f = wide.Get<float>();
        Cast(f, a, RoundMode::CAST_NONE, 64);
    }
    TBuf<TPosition::VECCALC> narrow, wide;
};
extern "C" __global__ __aicore__ void widen(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    ENTRY
}
"""
RUN = "op; op.Process(&pipe);"


@pytest.mark.parametrize(
    ("entry", "findings"),
    [
        (f"K<DTYPE_X> {RUN}", 1),  # compiled and run for float, where CAST_NONE does nothing
        (f"if (TILING_KEY_IS(1)) {{ K<DTYPE_X> {RUN} }}", 0),  # the host may keep the key for half
        (f"if (TILING_KEY_IS(1)) {{ K<float> {RUN} }}", 1),
        (f"if (TILING_KEY_IS(1)) {{ K<half> {RUN} }}", 0),
    ],
)
def test_errors_of_one_column(entry: str, findings: int, tmp_path: Path) -> None:
    for folder, text in (("op_host", HOST), ("op_kernel", KERNEL.replace("ENTRY", entry))):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "widen.cpp").write_text(text)
    facts = analyse_operator(discover(tmp_path), SOC)
    found = check_facts(facts, load_chip(SOC), None, Selection.of(("DTY002",)))
    assert len(found) == findings
