"""Calls are read as the form of the documentation that they have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.facts.readings import Reading, readings
from ascendopt.analysis.operators import discover

SOURCE = """\
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void one(GM_ADDR x) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 8192);
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x);
    LocalTensor<half> a = buffer.Get<half>(1024);
    LocalTensor<float> f = buffer.Get<float>(512);
    @CALL@
}
"""


def read(call: str, folder: Path) -> Reading | None:
    (folder / "one.cpp").write_text(SOURCE.replace("@CALL@", call))
    facts = analyse_operator(discover(folder / "one.cpp"), "Ascend910B2")
    found = [reading for reading in readings(facts.kernel.instances[0]) if reading.call.name != "InitBuffer"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("Add(a, a, a, 128);", {"count": "128"}),
        ("Add(a, a, a, 64, 4, {1, 1, 1, 8, 8, 8});", {"mask": "64", "repeatTime": "4"}),
        ("Adds(a, a, (half)2, 128);", {"scalarValue": "(half)2", "count": "128"}),
        ("Cast(f, a, RoundMode::CAST_NONE, 256);", {"roundMode": "RoundMode::CAST_NONE", "count": "256"}),
        ("WholeReduceSum(a, a, 64, 4, 1, 1, 8);", {"mask": "64", "repeatTime": "4", "srcRepStride": "8"}),
        ("BlockReduceSum(a, a, 4, 64, 1, 1, 8);", {"mask": "64", "repeatTime": "4", "srcRepStride": "8"}),
        ("DataCopyPad(a, xGm, DataCopyParams{1, 40, 0, 0}, DataCopyPadParams{true, 0, 2, 0});", {}),
    ],
)
def test_arguments_have_the_names_of_the_documentation(call: str, said: Mapping[str, str], tmp_path: Path) -> None:
    reading = read(call, tmp_path)
    assert reading is not None
    for name, text in said.items():
        argument = reading.argument(name)
        assert argument is not None, name
        assert argument.text == text


def test_operands_are_told_apart(tmp_path: Path) -> None:
    reading = read("Cast(f, a, RoundMode::CAST_NONE, 256);", tmp_path)
    assert reading is not None and reading.destination is not None
    assert reading.destination.dtype == "float"
    assert [source.dtype for source in reading.sources] == ["half"]


@pytest.mark.parametrize("call", ["Add(a, a);", "NotAnApi(a, a, a, 3);", "Add(xGm, a, a, 128);"])
def test_what_fits_no_form_is_not_read(call: str, tmp_path: Path) -> None:
    assert read(call, tmp_path) is None
