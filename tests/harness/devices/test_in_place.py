"""Operators that write over their inputs: an output in an input's memory, and none at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from harness.device_conformance import build, values
from harness.tiny_operator import write_operator

from ascendopt.harness.devices.base import Built
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.workload import Case, TensorSpec

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

X = TensorSpec("x", "float16", ((1000,),))
CASE = Case("c", (X,), (X,))
OUTPUT = 'this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});'


@pytest.fixture(scope="module")
def device() -> Iterator[ModelDevice]:
    device = ModelDevice("Ascend910B2")
    yield device
    device.close()


def rewritten(root: Path, file: str, old: str, new: str) -> None:
    path = root / file / "twice.cpp"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def check(built: Built) -> None:
    x = values(1000)
    before = x.copy()
    run = built.run(CASE, [x])
    np.testing.assert_array_equal(run.outputs[0], before + before)
    np.testing.assert_array_equal(x, before)
    assert built.profile(CASE).timing.latency_us > 0


def test_an_output_with_the_name_of_an_input_shares_its_memory(device: ModelDevice, tmp_path: Path) -> None:
    root = write_operator(tmp_path)
    rewritten(root, "op_host", OUTPUT, OUTPUT.replace('"y"', '"x"'))
    # The kernel reads and writes through the second pointer only: it must show what the first holds.
    rewritten(root, "op_kernel", "from.SetGlobalBuffer((__gm__ half*)x", "from.SetGlobalBuffer((__gm__ half*)y")
    check(build(device, root))


def test_an_operator_without_outputs_gives_back_what_it_wrote(device: ModelDevice, tmp_path: Path) -> None:
    root = write_operator(tmp_path)
    rewritten(root, "op_host", OUTPUT, "")
    rewritten(root, "op_kernel", "GM_ADDR x, GM_ADDR y,", "GM_ADDR x,")
    rewritten(root, "op_kernel", "(__gm__ half*)y", "(__gm__ half*)x")
    check(build(device, root))
