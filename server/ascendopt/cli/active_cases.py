"""Active cases for the shapes on the command line: the host tiling is run on the model device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.operators import Operator
from ascendopt.cli.main import UserError
from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.target import open_device
from ascendopt.harness.workload import Case, TensorSpec


def cases_for_shapes(operator: Operator, shapes: Sequence[tuple[int, ...]], soc: str) -> Iterator[ActiveCase]:
    """One case per dtype column of the operator. Raises UserError when the shapes don't fit its inputs."""
    definition = operator.definition
    if definition is None or not definition.inputs:
        raise UserError(f"{operator.root}: --shape needs an operator definition with inputs")
    if len(shapes) != len(definition.inputs):
        names = ", ".join(port.name for port in definition.inputs)
        raise UserError(f"--shape is given {len(shapes)} times; {operator.name} has the inputs {names}")
    device = open_device("model", soc)
    try:
        built = device.build(operator.root, BuildOptions(soc))
        for column in definition.columns():
            yield built.active_case(_case(operator, dict(column), shapes), soc)
    except DeviceFailure as failure:
        raise UserError(f"the host tiling gives no case for these shapes: {failure}") from None
    finally:
        device.close()


def _case(operator: Operator, dtypes: dict[str, str], shapes: Sequence[tuple[int, ...]]) -> Case:
    definition = operator.definition
    assert definition is not None
    inputs = tuple(
        TensorSpec(port.name, dtypes.get(port.name, "float16"), (shape,), port.kind == "dynamic")
        for port, shape in zip(definition.inputs, shapes, strict=True)
    )
    outputs = tuple(
        TensorSpec(port.name, dtypes.get(port.name, "float16"), (shapes[0],), port.kind == "dynamic")
        for port in definition.outputs
    )
    text = " ".join("x".join(map(str, shape)) for shape in shapes)
    return Case(f"{inputs[0].dtype} {text}", inputs, outputs)
