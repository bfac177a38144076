"""Shapes that a search never saw, derived from the cases it saw: a champion has to be right on them too."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

from ascendopt.harness.dynamic_shapes import parse_sizes
from ascendopt.harness.evaluation import elements
from ascendopt.harness.workload import Case, TensorSpec, Workload

MAX_ELEMENTS = 1 << 22
MAX_CASES = 8
MAX_CUTS = 12


def holdout(workload: Workload) -> Workload:
    """Other sizes with other tails for each case whose sizes can be changed consistently.

    A dimension is changed in every tensor in which it stands first (rows), or, when all tensors have one
    shape, last (columns). Sizes that could stand for two things are left alone. Large sizes are cut, so that
    values can be computed quickly. A member of a case with ranges stays within them, and keeps its fixed sizes.
    """
    found: dict[str, Case] = {}
    for case in workload.cases:
        for label, change in (("rows", _change_rows), ("columns", _change_columns)):
            derived = _fitting(case, change)
            if derived is None:
                continue
            shapes = [spec.shapes for spec in (*derived.inputs, *derived.outputs)]
            dtypes = [spec.dtype for spec in derived.inputs]
            key = repr((shapes, dtypes, sorted(derived.attrs.items())))
            found.setdefault(key, replace(derived, name=f"unseen-{label}-of-{case.name}", sampled=None))
    known = {repr([s.shapes for s in (*c.inputs, *c.outputs)]) for c in workload.cases}
    fresh = [
        case for case in found.values() if repr([spec.shapes for spec in (*case.inputs, *case.outputs)]) not in known
    ]
    fresh.sort(key=lambda case: (-elements(case), case.name))
    return replace(workload, cases=tuple(fresh[:MAX_CASES]))


def _fitting(case: Case, change: Callable[[Case], Case | None]) -> Case | None:
    """``case`` changed, and changed again while it is too large; None when that does not help."""
    derived = change(case)
    for _ in range(MAX_CUTS):
        if derived is None or elements(derived) <= MAX_ELEMENTS:
            return derived
        # What ``sampled`` says of the sizes was true before the change.
        derived = None if case.sampled is not None else change(derived)
    return None


def other_size(size: int) -> int:
    """A size of another magnitude that divides by no power of two: about a third, and odd."""
    return max(1, size // 3) | 1 if size > 3 else size + 2


def _other(case: Case, size: int) -> int:
    """Another size for a dimension of ``case``: of the sizes that it may have, the one nearest to ``other_size``.

    The same size where it may have no other, or where that can't be told.
    """
    wanted = other_size(size)
    if case.sampled is None:
        return wanted
    values = dict(case.sampled.sizes)
    ranges = [parse_sizes(text) for name, text in case.sampled.ranges if values[name] == size]
    if len(ranges) != 1:
        return size
    at = bisect_left(ranges[0], wanted)
    near = [other for other in ranges[0][max(0, at - 2) : at + 2] if other != size]
    return min(near, key=lambda other: abs(other - wanted), default=size)


def _change_rows(case: Case) -> Case | None:
    specs = (*case.inputs, *case.outputs)
    if any(spec.is_list for spec in specs):
        return _map(case, lambda shape: (_other(case, shape[0]), *shape[1:]) if shape else shape)
    shapes = [spec.shape for spec in specs if spec.shapes and spec.shape]
    if not shapes:
        return None
    rows = max(shapes, key=len)[0]
    # A size that also stands elsewhere may mean something else there, unless all tensors have one shape.
    if len(set(shapes)) > 1 and any(dim == rows for shape in shapes for dim in shape[1:]):
        return None
    other = _other(case, rows)
    return _map(case, lambda shape: (other, *shape[1:]) if shape and shape[0] == rows else shape)


def _change_columns(case: Case) -> Case | None:
    specs = (*case.inputs, *case.outputs)
    shapes = {shape for spec in specs for shape in spec.shapes}
    if any(spec.is_list for spec in specs) or len(shapes) != 1:
        return None
    shape = shapes.pop()
    if len(shape) < 2:
        return None
    return _map(case, lambda shape: (*shape[:-1], _other(case, shape[-1])))


def _map(case: Case, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Case:
    def spec(original: TensorSpec) -> TensorSpec:
        return replace(original, shapes=tuple(change(shape) for shape in original.shapes))

    return replace(case, inputs=tuple(map(spec, case.inputs)), outputs=tuple(map(spec, case.outputs)))
