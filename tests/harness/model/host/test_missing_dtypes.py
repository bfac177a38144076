"""A case of a type that the chip lacks is refused before its kernel is compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.devices.model.chip_facts import chip_facts
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.workload import Case, TensorSpec

HERE = Path(__file__).parent
HALF = TensorSpec("x", "float16", ((8,),))
BRAIN = TensorSpec("y", "bfloat16", ((8,),))
SAID = r"case c: y is bfloat16, and Ascend310P3 has no bfloat16: leave the case out, or take another chip\."


@pytest.mark.parametrize("case", [Case("c", (HALF, BRAIN), ()), Case("c", (HALF,), (BRAIN,))])
def test_310p_has_no_bfloat16(case: Case) -> None:
    with pytest.raises(DeviceFailure, match=SAID) as raised:
        chip_facts("Ascend310P3").check_dtypes(case)
    assert raised.value.stage == "compile"


def test_other_types_and_other_chips_pass() -> None:
    chip_facts("Ascend310P3").check_dtypes(Case("c", (HALF,), (HALF,)))
    for chip in ("Ascend910B2", "Ascend910_9391", "Ascend950"):
        chip_facts(chip).check_dtypes(Case("c", (HALF,), (BRAIN,)))


@pytest.mark.device
@pytest.mark.timeout(900)
def test_the_device_refuses_the_kernel(toolchain: Toolchain) -> None:
    device = ModelDevice("Ascend310P3", cache=toolchain.root)
    try:
        built = device.build(HERE / "listed", BuildOptions("Ascend310P3"))
        with pytest.raises(DeviceFailure, match=SAID):
            built.kernel(Case("c", (HALF,), (BRAIN,)))
    finally:
        device.close()
