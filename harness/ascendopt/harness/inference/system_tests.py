"""Patterns from an operator's system tests: the JSON files that msopst reads (`tests/st/*.json` of cann-ops).

Only what fits the compiled definition counts: many of these files are still those of the template that the operator was
made from. Source of the format: the msopst chapter of the CANN operator development guide.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ascendopt.harness.inference.definition import AttrPort, OperatorDefinition
from ascendopt.harness.inference.pattern import Pattern, Shapes
from ascendopt.harness.workload import AttrValue
from ascendopt.harness.workloads.build import Shape

_FILES = "tests/st/*.json"
_MOST = 4
_MAX_BYTES = 1 << 20
_KINDS: Mapping[str, type] = {"int": int, "float": float, "bool": bool, "string": str}


def system_test_patterns(folder: Path, definition: OperatorDefinition) -> list[Pattern]:
    """At most four patterns with shapes of their own from the files below ``folder``; what can't be read is left."""
    found: dict[Shapes, Pattern] = {}
    for path in sorted(folder.glob(_FILES)):
        for entry in _entries(path):
            source = path.relative_to(folder).as_posix()
            pattern = match_system_test(entry, definition, f"st-{len(found) + 1}", source)
            if pattern is not None and len(found) < _MOST:
                found.setdefault(tuple(shape for many in pattern.inputs.values() for shape in many), pattern)
    return [*found.values()]


def match_system_test(
    entry: Mapping[str, Any], definition: OperatorDefinition, name: str, source: str
) -> Pattern | None:
    """One test as a pattern; None where its inputs or attributes are not those of ``definition``."""
    described = _dicts(entry.get("input_desc"))
    needed = [port for port in definition.inputs if port.kind != "optional"]
    ports = definition.inputs if len(described) == len(definition.inputs) else needed
    if entry.get("op") != definition.name or len(described) != len(ports):
        return None
    if any(port.kind == "dynamic" for port in ports) or not {port.name for port in needed} <= {p.name for p in ports}:
        return None
    inputs: dict[str, Shapes] = {port.name: () for port in definition.inputs if port.kind == "optional"}
    values: dict[str, str] = {}
    for port, given in zip(ports, described, strict=True):
        shape = _shape(given.get("shape"))
        if shape is None:
            return None
        inputs[port.name] = (shape,)
        bounds = _bounds(given.get("value_range"))
        if bounds is not None and not any("int" in dtype or dtype == "bool" for dtype in port.dtypes):
            values[port.name] = f"uniform({bounds[0]}, {bounds[1]})"
    attrs = _attributes(_dicts(entry.get("attr")), definition.attrs)
    first = next(shapes[0] for shapes in inputs.values() if shapes)
    return None if attrs is None else Pattern(name, first, inputs, {}, attrs, values, False, source)


def _entries(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            return ()
        return _dicts(json.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError, RecursionError):
        return ()


def _dicts(value: object) -> Sequence[Mapping[str, Any]]:
    if not isinstance(value, list):
        return ()
    return [cast("Mapping[str, Any]", each) for each in cast("list[object]", value) if isinstance(each, dict)]


def _shape(value: object) -> Shape | None:
    sizes = list(_whole(value))
    return (
        tuple(sizes) if isinstance(value, list) and sizes and len(sizes) == len(cast("list[object]", value)) else None
    )


def _whole(value: object) -> Iterator[int]:
    for size in cast("list[object]", value) if isinstance(value, list) else ():
        if isinstance(size, int) and not isinstance(size, bool) and size > 0:
            yield size


def _bounds(value: object) -> tuple[float, float] | None:
    """The first range of ``[[low, high], ..]``, or ``[low, high]`` itself."""
    while isinstance(value, list) and value and isinstance(value[0], list):
        value = cast("object", value[0])
    ends = cast("list[object]", value) if isinstance(value, list) else []
    numbers = [float(end) for end in ends if isinstance(end, int | float)]
    return (numbers[0], numbers[1]) if len(numbers) == len(ends) == 2 and numbers[0] < numbers[1] else None


def _attributes(given: Sequence[Mapping[str, Any]], known: Sequence[AttrPort]) -> dict[str, AttrValue] | None:
    """By name; None where one is unknown, of another type, or missing though it is needed."""
    types = {attr.name: attr.type for attr in known}
    found: dict[str, AttrValue] = {}
    for each in given:
        name, value = str(each.get("name")), each.get("value")
        kind = _KINDS.get(types.get(name, ""))
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if kind is None or not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            return None
        found[name] = cast("AttrValue", value)
    return None if any(attr.required and attr.name not in found for attr in known) else found
