"""Patterns from an operator's own examples and tests: shapes, attribute values, and larger cases made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ascendopt.harness.inference.definition import AttrPort, OperatorDefinition, Port
from ascendopt.harness.inference.invocation import Given, read_invocation
from ascendopt.harness.inference.pattern import Pattern, Shapes, elementwise_patterns
from ascendopt.harness.inference.system_tests import system_test_patterns
from ascendopt.harness.inference.values import is_index
from ascendopt.harness.workload import AttrValue

_PROGRAMS = "examples/*/*.cpp"
# Cases of another size have this many rows: a prime, so that nothing divides evenly, and many.
_ROWS = (("scaled-tail", 37, True), ("scaled-large", 1024, False))
_MAX_ELEMENTS = 1 << 22
_MAX_DATA = 64


def example_patterns(folder: Path, definition: OperatorDefinition) -> list[Pattern]:
    """Patterns from the example programs and the system tests in the operator's folder; empty where none can be read.

    Larger cases are made of the example, or of the first system test where there is no example.
    """
    tests = system_test_patterns(folder, definition)
    example = _example(folder, definition)
    first = example or next(iter(tests), None)
    if first is None:
        return []
    return [*([example] if example else []), *tests, *scaled(first, definition)]


def _example(folder: Path, definition: OperatorDefinition) -> Pattern | None:
    for path in sorted(folder.glob(_PROGRAMS)):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        given = read_invocation(text)
        pattern = None if given is None else match_example(given, definition)
        if pattern is not None:
            return replace(pattern, source=path.relative_to(folder).as_posix())
    return None


def match_example(given: Sequence[Given], definition: OperatorDefinition) -> Pattern | None:
    """The call's arguments as inputs, attributes and outputs, in this order as generated interfaces have them.

    An output that is written in place has no argument of its own. None where the counts or kinds do not fit.
    """
    names = {port.name for port in definition.inputs}
    outputs = [port for port in definition.outputs if port.name not in names]
    ports: list[Port | AttrPort] = [*definition.inputs, *definition.attrs, *outputs]
    if len(given) != len(ports):
        ports = [*definition.inputs, *definition.attrs, *definition.outputs]
    if len(given) != len(ports):
        return None
    inputs: dict[str, Shapes] = {}
    made: dict[str, Shapes] = {}
    attrs: dict[str, AttrValue] = {}
    values: dict[str, str] = {}
    for position, (argument, port) in enumerate(zip(given, ports, strict=True)):
        if isinstance(port, AttrPort):
            value = _attribute(argument, port)
            if value is not None:
                attrs[port.name] = value
            elif port.required:
                return None
            continue
        shapes = _shapes(argument, port)
        if shapes is None:
            return None
        (inputs if position < len(definition.inputs) else made)[port.name] = shapes
        stated = _values(argument, port)
        if stated is not None:
            values[port.name] = stated
    first = next((shapes[0] for shapes in inputs.values() if shapes), (1,))
    return Pattern("example", first, inputs, made, attrs, values, checked_only=False)


def _shapes(argument: Given, port: Port) -> Shapes | None:
    if argument.is_null:
        return () if port.kind == "optional" else None
    if argument.numbers is not None:
        return ((len(argument.numbers),),)
    if argument.shapes is None:
        # A number or text in place of a one-element input.
        return ((1,),) if argument.value is not None and not isinstance(argument.value, str) else None
    if any(0 in shape for shape in argument.shapes):
        return None
    return argument.shapes if port.kind == "dynamic" else argument.shapes[:1]


def _values(argument: Given, port: Port) -> str | None:
    """The values that the program spells out, where they may matter: small inputs, numbers, indices."""
    if argument.numbers is not None:
        return f"values({', '.join(map(str, argument.numbers))})"
    if argument.value is not None and not isinstance(argument.value, str):
        return f"constant({float(argument.value)})"
    whole = argument.data is not None and all(isinstance(value, int) for value in argument.data)
    if argument.data and whole and len(argument.data) <= _MAX_DATA and any("int" in dtype for dtype in port.dtypes):
        return f"values({', '.join(map(str, argument.data))})"
    return None


def _attribute(argument: Given, attr: AttrPort) -> AttrValue | None:
    if attr.type.startswith("list_"):
        if argument.numbers is None:
            return None
        kind = float if "float" in attr.type else int
        return tuple(kind(number) for number in argument.numbers)
    value = argument.value
    if attr.type == "string":
        return value if isinstance(value, str) else None
    if value is None or isinstance(value, str):
        return None
    return {"int": int, "float": float, "bool": bool}.get(attr.type, float)(value)


def scaled(pattern: Pattern, definition: OperatorDefinition) -> Iterator[Pattern]:
    """Larger cases where the example says how: all tensors of one shape, or all with as many rows as the first.

    Values that the example spells out belong to its shapes, so an example with such has no larger ones.
    """
    shapes = [shape for many in (*pattern.inputs.values(), *pattern.outputs.values()) for shape in many]
    tensors = [shape for shape in shapes if shape != (1,)]
    if not tensors or any("values" in text for text in pattern.distributions.values()):
        return
    if any(isinstance(value, tuple) for value in pattern.attrs.values()) or _counts(pattern, tensors):
        return
    if len(set(tensors)) == 1 and not any(is_index(port.name) for port in definition.inputs):
        for each in (each for each in elementwise_patterns() if not each.for_lists):
            yield _resized(pattern, each.name, tensors[0], each.fallback, each.checked_only)
        return
    rows = tensors[0][0] if tensors[0] else 0
    if rows < 2 or any(not shape or shape[0] != rows or rows in shape[1:] for shape in tensors if len(shape) > 1):
        return
    for name, count, checked_only in _ROWS:
        biggest = max(_elements(shape) for shape in tensors) // rows * count
        if biggest <= _MAX_ELEMENTS:
            yield _with_rows(pattern, name, rows, count, checked_only)


def _counts(pattern: Pattern, tensors: Sequence[tuple[int, ...]]) -> bool:
    """Whether a number that the call gives is a size of its tensors, and would have to change with them."""
    sizes = {_elements(shape) for shape in tensors} | {dim for shape in tensors for dim in shape if dim > 2}
    return any(isinstance(value, int) and value in sizes for value in pattern.attrs.values())


def _elements(shape: tuple[int, ...]) -> int:
    count = 1
    for dim in shape:
        count *= dim
    return count


def _resized(
    pattern: Pattern, name: str, before: tuple[int, ...], after: tuple[int, ...], checked_only: bool
) -> Pattern:
    def change(many: Mapping[str, Shapes]) -> dict[str, Shapes]:
        return {key: tuple(after if shape == before else shape for shape in value) for key, value in many.items()}

    inputs, outputs = change(pattern.inputs), change(pattern.outputs)
    return replace(
        pattern, name=f"scaled-{name}", fallback=after, inputs=inputs, outputs=outputs, checked_only=checked_only
    )


def _with_rows(pattern: Pattern, name: str, before: int, after: int, checked_only: bool) -> Pattern:
    def change(many: Mapping[str, Shapes]) -> dict[str, Shapes]:
        return {
            key: tuple((after, *shape[1:]) if shape and shape[0] == before else shape for shape in value)
            for key, value in many.items()
        }

    inputs, outputs = change(pattern.inputs), change(pattern.outputs)
    return replace(pattern, name=name, inputs=inputs, outputs=outputs, checked_only=checked_only)
