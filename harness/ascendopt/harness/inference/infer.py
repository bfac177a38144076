"""A workload for an operator that nobody described.

Dtypes come from its definition, shapes and attribute values from its own examples where it has some, output
shapes from its own shape inference, and its own tiling function has the last word on each case. There is no
reference: a changed operator is compared with the original, and a run of the original alone has nothing to be
compared with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ascendopt.harness.devices.base import DeviceFailure, TilingResult
from ascendopt.harness.inference.basis import basis
from ascendopt.harness.inference.definition import OperatorDefinition, Port, read_definition
from ascendopt.harness.inference.pattern import Pattern, Shapes, elementwise_patterns
from ascendopt.harness.inference.values import default_distribution
from ascendopt.harness.workload import AttrValue, Case, TensorSpec, Workload

_PLACEHOLDERS: Mapping[str, AttrValue] = {"bool": False, "int": 1, "float": 1.0, "string": ""}


class UnsupportedOperatorError(ValueError):
    """No workload can be made up for this operator; the message says why in one sentence."""


class HostCode(Protocol):
    """The operator's compiled host side: what a model device's build offers."""

    def infer_outputs(self, case: Case) -> tuple[TensorSpec, ...]:
        """Output shapes. Raises DeviceFailure."""
        ...

    def tile(self, case: Case) -> TilingResult:
        """Run the tiling function. Raises DeviceFailure."""
        ...


@dataclass(frozen=True)
class Inferred:
    """A made-up workload; what was left out and why, and what each part was inferred from: one sentence each."""

    workload: Workload
    notes: tuple[str, ...] = ()
    basis: tuple[str, ...] = ()


def infer_workload(
    described: Mapping[str, object], patterns: Sequence[Pattern] = (), host: HostCode | None = None
) -> Inferred:
    """Cases for one entry of a describe answer's ``ops``: each runnable dtype column with each pattern.

    Without ``patterns`` every input has one of a few elementwise shapes. Without ``host`` outputs are shaped
    like the first input, and no tiling function is asked. Raises UnsupportedOperatorError.
    """
    definition = read_definition(described)
    name = definition.name
    if not definition.inputs:
        raise UnsupportedOperatorError(f"{name} has no inputs; describe its cases in ascendopt.toml.")
    columns = definition.columns()
    if not columns:
        raise UnsupportedOperatorError(
            f"none of the dtypes of {name} can be run; describe its cases in ascendopt.toml."
        )
    tried = patterns or elementwise_patterns()
    cases = list(_cases(definition, tried, columns))
    if host is None:
        return Inferred(Workload(tuple(cases)), basis=basis(tried, len(columns), asked=False))
    accepted = _accepted(cases, host)
    if accepted is None and patterns:
        tried = elementwise_patterns()
        accepted = _accepted(list(_cases(definition, tried, columns)), host)
    # Where nothing is accepted, one case shows what the tiling function says.
    inferred = accepted or Inferred(Workload((_with_outputs(cases[0], host),)))
    return replace(inferred, basis=basis(tried, len(columns), asked=True))


def _cases(definition: OperatorDefinition, patterns: Sequence[Pattern], columns: Sequence[int]) -> Iterator[Case]:
    labels: dict[str, int] = {}
    for column in columns:
        label = "-".join(dict.fromkeys(port.dtype(column) for port in definition.ports if port.kind != "optional"))
        labels[f"{label}-{column}" if label in labels else label] = column
    has_lists = any(port.kind == "dynamic" for port in definition.inputs)
    for pattern in (pattern for pattern in patterns if has_lists or not pattern.for_lists):
        for label, column in labels.items():
            yield _case(definition, pattern, column, label)


def _case(definition: OperatorDefinition, pattern: Pattern, column: int, label: str) -> Case:
    shapes = {port.name: _shapes(port, pattern) for port in definition.inputs}
    inputs = tuple(
        TensorSpec(
            port.name,
            port.dtype(column),
            shapes[port.name],
            port.kind == "dynamic",
            _distribution(port, port.dtype(column), pattern, shapes),
        )
        for port in definition.inputs
    )
    return Case(
        name=f"{pattern.name}/{label}",
        inputs=inputs,
        outputs=_outputs(definition, pattern, column, inputs),
        attrs=_attrs(definition, pattern),
        correctness_only=pattern.checked_only,
    )


def _shapes(port: Port, pattern: Pattern) -> Shapes:
    given = pattern.inputs.get(port.name)
    if given is not None:
        return given
    if port.kind == "optional":
        return ()
    if port.scalar:
        return ((1,),)
    if port.scalar_list:
        # One number for each tensor of a list.
        return ((1 + len(pattern.others),),)
    return (pattern.fallback, *pattern.others) if port.kind == "dynamic" else (pattern.fallback,)


def _distribution(port: Port, dtype: str, pattern: Pattern, shapes: Mapping[str, Shapes]) -> str:
    stated = pattern.distributions.get(port.name)
    if stated is not None:
        return stated
    others = [shape for name, many in shapes.items() if name != port.name for shape in many]
    return default_distribution(port.name, dtype, others)


def _outputs(
    definition: OperatorDefinition, pattern: Pattern, column: int, inputs: Sequence[TensorSpec]
) -> tuple[TensorSpec, ...]:
    """As the pattern says, else like the input of the same name, else like the first one."""
    by_name = {spec.name: spec for spec in inputs}
    lists = [spec for spec in inputs if spec.is_list]
    found: list[TensorSpec] = []
    for port in definition.outputs:
        is_list = port.kind == "dynamic"
        like = by_name.get(port.name) or (lists[0] if is_list and lists else inputs[0])
        shapes: Shapes = pattern.outputs.get(port.name) or like.shapes or (pattern.fallback,)
        found.append(TensorSpec(port.name, port.dtype(column), shapes if is_list else shapes[:1], is_list))
    # An operator without outputs works in place.
    return tuple(found) or tuple(replace(spec, distribution="normal") for spec in inputs[:1])


def _attrs(definition: OperatorDefinition, pattern: Pattern) -> dict[str, AttrValue]:
    """What the pattern says, and values for attributes without a default; the others are left to the operator."""
    chosen: dict[str, AttrValue] = {}
    for attr in definition.attrs:
        value = pattern.attrs.get(attr.name)
        if value is None and (attr.required or not attr.has_default):
            value = _PLACEHOLDERS.get(attr.type)
            if value is None and attr.required:
                raise UnsupportedOperatorError(
                    f"{definition.name} needs a value for '{attr.name}'; describe its cases in ascendopt.toml."
                )
        if value is not None:
            chosen[attr.name] = value
    return chosen


def _accepted(cases: Sequence[Case], host: HostCode) -> Inferred | None:
    """The cases that the operator's tiling function takes, with inferred outputs; None if it takes none."""
    settled = [_with_outputs(case, host) for case in cases]
    kept: list[Case] = []
    notes: list[str] = []
    for case in settled:
        try:
            host.tile(case)
            kept.append(case)
        except DeviceFailure as failure:
            notes.append(f"case {case.name} is left out: its tiling function says: {failure.reason.rstrip('.')}")
    return Inferred(Workload(tuple(kept)), tuple(notes)) if kept else None


def _with_outputs(case: Case, host: HostCode) -> Case:
    try:
        inferred = {spec.name: spec for spec in host.infer_outputs(case)}
    except DeviceFailure:
        return case
    return replace(case, outputs=tuple(_merged(spec, inferred.get(spec.name)) for spec in case.outputs))


def _merged(stated: TensorSpec, inferred: TensorSpec | None) -> TensorSpec:
    if inferred is None or not inferred.shapes or any(dim < 0 for shape in inferred.shapes for dim in shape):
        return stated
    return replace(stated, shapes=inferred.shapes)
