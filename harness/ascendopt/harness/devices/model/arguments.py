"""A workload case as the protocol's fields: tensors for the tiling function, pointers for the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.dtypes import packed_bytes
from ascendopt.harness.workload import AttrValue, Case, TensorSpec

# Values that a tiling function may look at are small (axes, shapes, scalars); larger inputs are not given to it.
_VALUE_BYTES = 1 << 20
# An axis, a size, or a list of them.
_SHORT_BYTES = 1024
# The number of dimensions and up to eight of them, in 64 bits each.
_SHAPE_BYTES = 72


@dataclass(frozen=True)
class Port:
    """One input or output of an OpDef: ``kind`` is required, optional or dynamic.

    ``initial`` is what an output holds before the operator runs: nothing in particular, one value for all
    dtypes, or one for each. ``value_depend`` inputs have values that the host code may look at. The kernel itself
    says the shapes of ``shape_computed`` outputs.
    """

    name: str
    kind: str
    dtypes: tuple[str, ...]
    initial: tuple[float, ...] = ()
    value_depend: bool = False
    shape_computed: bool = False


@dataclass(frozen=True)
class Definition:
    """One OpDef as the host object describes it. ``attrs`` maps a name to the protocol's type."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    attrs: Mapping[str, str]


def parse_definitions(answer: Mapping[str, Any]) -> tuple[Definition, ...]:
    """The ``ops`` of a describe answer. Raises KeyError when the answer has another shape."""
    definitions: list[Definition] = []
    for op in cast("list[dict[str, Any]]", answer["ops"]):
        attrs = {attr["name"]: attr["type"] for attr in op["attrs"]}
        definitions.append(Definition(op["name"], _ports(op["inputs"]), _ports(op["outputs"]), attrs))
    return tuple(definitions)


def _ports(entries: Sequence[Mapping[str, Any]]) -> tuple[Port, ...]:
    return tuple(
        Port(
            entry["name"],
            entry["kind"],
            tuple(entry["dtypes"]),
            tuple(entry.get("initial_values", ())),
            bool(entry.get("value_depend", False)),
            bool(entry.get("shape_computed", False)),
        )
        for entry in entries
    )


def initial_value(case: Case, definition: Definition, output: int) -> float | None:
    """What output number ``output`` of the aligned ``case`` holds before the operator runs, when it says so."""
    values = definition.outputs[output].initial if output < len(definition.outputs) else ()
    if len(values) < 2:
        return values[0] if values else None
    # The columns of the definition's dtypes are its dtype combinations.
    specs = (*case.inputs, *case.outputs[: len(definition.outputs)])
    ports = (*definition.inputs, *definition.outputs)
    for column, value in enumerate(values):
        fits = (
            not spec.shapes or column >= len(port.dtypes) or port.dtypes[column] == spec.dtype
            for spec, port in zip(specs, ports, strict=True)
        )
        if all(fits):
            return value
    return values[0]


def tensor_bytes(spec: TensorSpec) -> list[int]:
    """Size of each tensor of ``spec`` in bytes."""
    return [packed_bytes(spec.dtype, shape) for shape in spec.shapes]


def aligned(case: Case, definition: Definition) -> Case:
    """``case`` with its tensors in OpDef order and absent optional inputs filled in.

    Raises DeviceFailure(stage="tile") when the case does not fit the definition.
    """
    inputs = _align(case, case.inputs, definition.inputs, "input", definition.name)
    in_place = written_in_place(case, definition)
    stated = [spec for spec in case.outputs if spec not in in_place]
    outputs = (*_align(case, stated, definition.outputs, "output", definition.name), *in_place)
    _check_attrs(case, definition)
    return replace(case, inputs=inputs, outputs=outputs)


def aligned_inputs(case: Case, definition: Definition) -> Case:
    """``case`` with its inputs as ``aligned`` gives them and its outputs as they are, for what needs no outputs."""
    _check_attrs(case, definition)
    return replace(case, inputs=_align(case, case.inputs, definition.inputs, "input", definition.name))


def _check_attrs(case: Case, definition: Definition) -> None:
    unknown = sorted(set(case.attrs) - set(definition.attrs))
    if unknown:
        raise DeviceFailure(
            "tile",
            f"case {case.name} sets attribute '{unknown[0]}', but {definition.name} has "
            f"{', '.join(definition.attrs) or 'no attributes'}.",
        )


def written_in_place(case: Case, definition: Definition) -> tuple[TensorSpec, ...]:
    """Outputs of ``case`` that the definition knows only as inputs: the kernel writes over them."""
    outputs = {port.name for port in definition.outputs}
    inputs = {port.name for port in definition.inputs}
    return tuple(spec for spec in case.outputs if spec.name in inputs and spec.name not in outputs)


def _align(
    case: Case, specs: Sequence[TensorSpec], ports: Sequence[Port], what: str, op: str
) -> tuple[TensorSpec, ...]:
    by_name = {spec.name: spec for spec in specs}
    names = [port.name for port in ports]
    unknown = [spec.name for spec in specs if spec.name not in names]
    if unknown:
        raise DeviceFailure("tile", f"case {case.name} has {what} '{unknown[0]}', but {op} has {', '.join(names)}.")
    found: list[TensorSpec] = []
    for port in ports:
        spec = by_name.get(port.name)
        if spec is None and port.kind != "optional":
            raise DeviceFailure("tile", f"case {case.name} does not give {what} '{port.name}' of {op}.")
        if spec is None:
            dtype = port.dtypes[0] if port.dtypes else "float32"
            spec = TensorSpec(port.name, dtype, ())
        if port.kind == "dynamic" and not spec.is_list:
            spec = TensorSpec(spec.name, spec.dtype, spec.shapes, True, spec.distribution)
        found.append(spec)
    return tuple(found)


def told_inputs(case: Case, definition: Definition, *, short: bool) -> set[str]:
    """Inputs of which host code is told the values when nothing is run: those that the definition marks.

    ``short``: and short integer ones, as the registration of a tiling function may ask for others.
    """
    wanted = {port.name for port in definition.inputs if port.value_depend}
    if short:
        wanted |= {spec.name for spec in case.inputs if "int" in spec.dtype and sum(tensor_bytes(spec)) <= _SHORT_BYTES}
    return wanted


def tile_fields(case: Case, definition: Definition, files: Sequence[Sequence[Path]] | None = None) -> dict[str, object]:
    """The tiling function's arguments. ``files`` holds the files with the inputs' values, one per tensor or none."""
    inputs: list[dict[str, object]] = []
    for index, spec in enumerate(case.inputs):
        entry = _tensor(spec)
        if files is not None and files[index] and sum(tensor_bytes(spec)) <= _VALUE_BYTES:
            entry["files"] = [str(path) for path in files[index]]
        inputs.append(entry)
    attrs = [
        {"name": name, "type": definition.attrs[name], "value": _value(name, value, definition.attrs[name])}
        for name, value in case.attrs.items()
    ]
    outputs = [_tensor(spec) for spec in case.outputs[: len(definition.outputs)]]
    return {"inputs": inputs, "outputs": outputs, "attrs": attrs}


def _tensor(spec: TensorSpec) -> dict[str, object]:
    return {"shapes": [list(shape) for shape in spec.shapes], "dtype": spec.dtype, "list": spec.is_list}


def _value(name: str, value: AttrValue, type_name: str) -> object:
    if type_name.startswith("list_"):
        items = value if isinstance(value, tuple) else (value,)
        return [_value(name, item, type_name[5:]) for item in items]
    convert = {"int": int, "float": float, "bool": bool, "string": str}.get(type_name)
    if convert is None or isinstance(value, tuple):
        raise DeviceFailure("tile", f"attribute '{name}' is a {type_name}; the value {value!r} does not fit.")
    try:
        return convert(value)
    except ValueError:
        raise DeviceFailure("tile", f"attribute '{name}' is a {type_name}; the value {value!r} does not fit.") from None


def kernel_arguments(
    case: Case,
    definition: Definition,
    inputs: Sequence[Sequence[Path]] | None,
    outputs: Sequence[Sequence[Path]] | None,
) -> list[dict[str, object]]:
    """The kernel's pointers in order, the workspace last. Without files the contents mean nothing.

    An output with the name of an input is that input's memory; one with initial values has them in its files.
    ``case`` is aligned to ``definition``.
    """
    arguments = _pointers(case.inputs, "input", inputs)
    places = {spec.name: index for index, spec in enumerate(case.inputs) if spec.shapes}
    for index, spec in enumerate(case.outputs):
        files = [str(path) for path in outputs[index]] if outputs is not None else []
        place = places.get(spec.name)
        pointer: dict[str, object] = {"role": "same", "as": place}
        if place is None or tensor_bytes(spec) != tensor_bytes(case.inputs[place]):
            pointer = _pointer(spec, "output", files)
        elif files:
            arguments[place]["results"] = files
        if index < len(definition.outputs):
            if pointer["role"] == "output" and definition.outputs[index].initial:
                pointer["initial"] = True
            arguments.append(pointer)
    computed = sum(port.shape_computed for port in definition.outputs)
    if computed:
        # One pointer for all such outputs: where the kernel puts their shapes.
        arguments.append({"role": "workspace", "bytes": computed * _SHAPE_BYTES})
    # A workspace without a size gets what the tiling function asks for.
    return [*arguments, {"role": "workspace"}]


def _pointers(
    specs: Sequence[TensorSpec], role: str, files: Sequence[Sequence[Path]] | None
) -> list[dict[str, object]]:
    return [
        _pointer(spec, role, [str(path) for path in files[index]] if files is not None else [])
        for index, spec in enumerate(specs)
    ]


def _pointer(spec: TensorSpec, role: str, files: Sequence[str]) -> dict[str, object]:
    sizes = tensor_bytes(spec)
    pointer: dict[str, object] = {"role": role}
    if spec.is_list:
        pointer["list"] = sizes
        if files:
            pointer["files"] = files
    else:
        pointer["bytes"] = sizes[0] if sizes else 0
        if files:
            pointer["file"] = files[0]
    return pointer
