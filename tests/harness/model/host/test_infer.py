"""Output shapes and types from the operator's own inference functions, through the device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.workload import Case, TensorSpec

from .conftest import SOC

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

HERE = Path(__file__).parent
PARTS = TensorSpec("parts", "float32", ((4, 3), (7,), (2, 2, 2)), is_list=True)
AXIS = TensorSpec("axis", "int32", ((1,),))


@pytest.fixture(scope="module")
def built(toolchain: Toolchain) -> Iterator[ModelBuilt]:
    device = ModelDevice(SOC, cache=toolchain.root)
    yield device.build(HERE / "listed", BuildOptions(SOC))
    device.close()


def values() -> list[np.ndarray]:
    return [np.zeros(shape, np.float32) for shape in PARTS.shapes] + [np.array([6], np.int32)]


def test_lists_values_and_types(built: ModelBuilt) -> None:
    same, where, mask = built.infer_outputs(Case("c", (PARTS, AXIS), ()), values())
    assert same == TensorSpec("same", "float32", ((4, 3), (7,), (2, 2, 2)), is_list=True)
    assert where == TensorSpec("where", "int32", ((6,),))  # its shape is the input's value, its type follows it
    assert mask == TensorSpec("mask", "uint8", ((3, 2),))  # parts are of the table's second column


def test_without_values_they_are_generated(built: ModelBuilt) -> None:
    axis = TensorSpec("axis", "int32", ((1,),), distribution="constant(9)")
    assert built.infer_outputs(Case("c", (PARTS, axis), ()))[1].shapes == ((9,),)


def test_a_case_that_does_not_fit_is_refused(built: ModelBuilt) -> None:
    with pytest.raises(DeviceFailure, match="case c does not give input 'axis' of Listed"):
        built.infer_outputs(Case("c", (PARTS,), ()))
