"""A workload for an operator that nobody described: dtypes from its definition, shapes that spread.

There is no reference: a changed operator is compared with the original, and a run of the original alone has
nothing to be compared with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ascendopt.harness.workload import AttrValue, Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import ELEMENTWISE, Shape, Size

_RUNNABLE = frozenset(
    (
        *("float16", "bfloat16", "float32", "float64", "bool"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    )
)
# A list of three tensors, the last one with another size, shows what a list operator does at its seams.
_LIST_TAIL: tuple[Shape, ...] = ((16, 128), (33,))
_PLACEHOLDERS: Mapping[str, AttrValue] = {"bool": False, "int": 1, "float": 1.0, "string": ""}


class UnsupportedOperatorError(ValueError):
    """No workload can be made up for this operator; the message says why in one sentence."""


def infer_workload(definition: Mapping[str, object]) -> Workload:
    """Cases for one entry of a describe answer's ``ops``: each dtype column in tiny, aligned, tail and large.

    Every output is shaped like the first input, as in elementwise operators; one-element tensors stand for
    scalar inputs. Raises UnsupportedOperatorError.
    """
    name = str(definition["name"])
    inputs = cast("Sequence[Mapping[str, object]]", definition["inputs"])
    outputs = cast("Sequence[Mapping[str, object]]", definition["outputs"])
    if not inputs or not outputs:
        raise UnsupportedOperatorError(f"{name} has no inputs or no outputs; describe its cases in ascendopt.toml.")
    columns = len(_dtypes(inputs[0]))
    attrs = _attrs(name, cast("Sequence[Mapping[str, object]]", definition["attrs"]))
    cases: dict[str, Case] = {}
    for column in range(columns):
        dtypes = [_dtype(item, column) for item in (*inputs, *outputs)]
        if not _RUNNABLE.issuperset(dtypes):
            continue
        label = "-".join(dict.fromkeys(dtypes))
        if any(known.endswith(f"/{label}") for known in cases):
            label += f"-{column}"
        for size in ELEMENTWISE:
            case = _case(size, label, column, inputs, outputs, attrs)
            cases[case.name] = case
    if not cases:
        raise UnsupportedOperatorError(
            f"none of the dtypes of {name} can be run; describe its cases in ascendopt.toml."
        )
    return Workload(cases=tuple(cases.values()))


def _case(
    size: Size,
    label: str,
    column: int,
    inputs: Sequence[Mapping[str, object]],
    outputs: Sequence[Mapping[str, object]],
    attrs: Mapping[str, AttrValue],
) -> Case:
    first_is_list = inputs[0]["kind"] == "dynamic"
    return Case(
        name=f"{size.name}/{label}",
        inputs=tuple(_tensor(item, column, size, "positive") for item in inputs),
        outputs=tuple(
            _tensor(item, column, size, "normal", as_list=first_is_list and item["kind"] == "dynamic")
            for item in outputs
        ),
        attrs=attrs,
        correctness_only=size.checked_only,
    )


def _tensor(
    item: Mapping[str, object], column: int, size: Size, distribution: str, as_list: bool | None = None
) -> TensorSpec:
    dtype = _dtype(item, column)
    is_list = item["kind"] == "dynamic" if as_list is None else as_list
    shapes: tuple[Shape, ...] = (size.shape,)
    if is_list:
        shapes = (size.shape, *_LIST_TAIL)
    if item.get("scalar") or item.get("scalar_list"):
        shapes = ((1,),)
    if item["kind"] == "optional":
        shapes = ()
    if dtype == "bool":
        distribution = "integers(0, 1)"
    elif "int" in dtype:
        distribution = "integers(1, 10)"
    return TensorSpec(str(item["name"]), dtype, shapes, is_list, distribution)


def _dtypes(item: Mapping[str, object]) -> Sequence[str]:
    return cast("Sequence[str]", item["dtypes"])


def _dtype(item: Mapping[str, object], column: int) -> str:
    """Column ``column`` of the parallel dtype lists; a shorter list repeats."""
    dtypes = _dtypes(item)
    return dtypes[column % len(dtypes)] if dtypes else "undefined"


def _attrs(name: str, attrs: Sequence[Mapping[str, object]]) -> dict[str, AttrValue]:
    """Values for attributes without a default; the others are left to the operator."""
    chosen: dict[str, AttrValue] = {}
    for attr in attrs:
        if not attr["required"]:
            continue
        value = _PLACEHOLDERS.get(str(attr["type"]))
        if value is None:
            raise UnsupportedOperatorError(
                f"{name} needs a value for '{attr['name']}'; describe its cases in ascendopt.toml."
            )
        chosen[str(attr["name"])] = value
    return chosen
