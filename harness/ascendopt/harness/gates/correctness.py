"""Gate 2: are the outputs right?

The relative error of an element is ``|got - want| / max(|want|, floor)``. The floor is 1/4 of the median
of the non-zero ``|want|`` of that output, and at least the smallest normal number of its dtype: an element
that is tiny beside its neighbours only because terms cancelled is judged at their scale. Tolerances are
those of DESIGN section 5: mean relative error, with ten times that for the largest; integers must be equal.

A quantised output has no one right value where the value before rounding lies close to the middle between two
integers. A reference says so by giving that value, as floats: then every integer that is at most ``ROUNDED`` away is
right, half a step for the rounding and a quarter for what was computed before it. Of whole numbers only they are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.dtypes import is_integer, numpy_dtype
from ascendopt.harness.workload import Case

Array = NDArray[Any]
MAXIMUM_FACTOR = 10.0
FLOOR_SHARE = 1.0 / 4.0
ROUNDED = 0.75
MEDIAN_SAMPLE = 1 << 16
_PARTS = {"complex64": "float32", "complex128": "float64"}
_MEAN_TOLERANCE = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-13, "float64": 2.0**-13}


@dataclass(frozen=True)
class Tolerance:
    """Largest allowed mean and maximum relative error of one dtype; zero for integers."""

    mean: float
    maximum: float


@dataclass(frozen=True)
class Comparison:
    """How far one or several outputs are from what they should be. ``reason`` is empty when correct."""

    correct: bool
    mean_rel_error: float
    max_rel_error: float
    reason: str = ""


def tolerance(dtype: str) -> Tolerance:
    """The tolerance of a dtype name, of the parts for a complex one. Raises KeyError for one that has none."""
    if is_integer(dtype):
        return Tolerance(0.0, 0.0)
    mean = _MEAN_TOLERANCE[_PARTS.get(dtype, dtype)]
    return Tolerance(mean, mean * MAXIMUM_FACTOR)


def compare_outputs(case: Case, got: Sequence[Array], want: Sequence[Array]) -> Comparison:
    """Compare the outputs of a case (lists flattened) with the reference's, rounded to the output's dtype.

    The result holds the worst mean and maximum over the outputs, and the first reason found.
    """
    specs = [(spec, shape) for spec in case.outputs for shape in spec.shapes]
    if len(got) != len(specs) or len(want) != len(specs):
        reason = f"expected {len(specs)} outputs, got {len(got)} and the reference gave {len(want)}"
        return Comparison(False, 0.0, 0.0, reason)
    worst = Comparison(True, 0.0, 0.0)
    for (spec, shape), mine, theirs in zip(specs, got, want, strict=True):
        if not spec.checked:
            continue
        result = compare_arrays(spec.name, spec.dtype, shape, mine, theirs)
        worst = Comparison(
            worst.correct and result.correct,
            max(worst.mean_rel_error, result.mean_rel_error),
            max(worst.max_rel_error, result.max_rel_error),
            worst.reason or result.reason,
        )
    return worst


def compare_arrays(name: str, dtype: str, shape: tuple[int, ...], got: Array, want: Array) -> Comparison:
    """Compare one output tensor. NaN and infinities must stand at the same places, with the same sign."""
    if got.size != want.size:
        return Comparison(False, 0.0, 0.0, f"{name} has {got.size} elements, the reference gave {want.size}")
    got, want = np.reshape(np.asarray(got), -1), np.reshape(np.asarray(want), -1)
    if got.size == 0:
        return Comparison(True, 0.0, 0.0)
    if is_integer(dtype):
        before_rounding = np.issubdtype(want.dtype, np.floating)
        wrong = np.flatnonzero(~(np.abs(got.astype(np.float64) - want) <= ROUNDED) if before_rounding else got != want)
        if not wrong.size:
            return Comparison(True, 0.0, 0.0)
        place = _place(int(wrong[0]), shape)
        reason = f"{name}{place} is {got[wrong[0]]}, not {want[wrong[0]]} ({wrong.size} of {got.size} differ)"
        return Comparison(False, 1.0, 1.0, reason)
    if dtype in _PARTS:
        # Real and imaginary parts, each judged at the scale of all of them.
        return _compare_floats(name, _PARTS[dtype], (*shape, 2), _parts(got, dtype), _parts(want, dtype))
    return _compare_floats(name, dtype, shape, got, want)


def _parts(values: Array, dtype: str) -> Array:
    exact = values.astype(numpy_dtype(dtype), copy=False)
    return np.reshape(np.stack([np.real(exact), np.imag(exact)], axis=-1), -1)


def _compare_floats(name: str, dtype: str, shape: tuple[int, ...], got: Array, want: Array) -> Comparison:
    # Single precision represents every 16- and 32-bit value exactly; its own rounding is 2^-24.
    wide = np.float64 if dtype == "float64" else np.float32
    with np.errstate(over="ignore", invalid="ignore"):
        mine = got.astype(wide, copy=False)
        theirs = want.astype(numpy_dtype(dtype), copy=False).astype(wide, copy=False)
        error = np.abs(mine - theirs)
    finite: Array | None = None
    if not np.isfinite(error).all():
        finite = np.isfinite(theirs)
        special = np.where(np.isnan(theirs), ~np.isnan(mine), mine != theirs)
        odd = np.flatnonzero(np.where(finite, ~np.isfinite(mine), special))
        if odd.size:
            place = _place(int(odd[0]), shape)
            reason = f"{name}{place} is {mine[odd[0]]}, not {theirs[odd[0]]} ({odd.size} of {got.size} such)"
            return Comparison(False, float("inf"), float("inf"), reason)
        if not finite.any():
            return Comparison(True, 0.0, 0.0)
        error = error[finite]
    scale = np.abs(theirs if finite is None else theirs[finite])
    error /= np.maximum(scale, wide(_floor(scale, dtype)))
    mean, largest = float(error.mean(dtype=np.float64)), float(error.max())
    allowed = tolerance(dtype)
    reason = ""
    if mean > allowed.mean:
        reason = f"{name}: mean relative error {mean:.3g} is above {allowed.mean:.3g} ({dtype})"
    elif largest > allowed.maximum:
        at = _index(int(error.argmax()), finite)
        reason = (
            f"{name}{_place(at, shape)} is {mine[at]:.6g}, not {theirs[at]:.6g}: "
            f"relative error {largest:.3g} is above {allowed.maximum:.3g} ({dtype})"
        )
    return Comparison(not reason, mean, largest, reason)


def _index(position: int, finite: Array | None) -> int:
    """Index in the whole output of a position among its finite elements."""
    return position if finite is None else int(np.flatnonzero(finite)[position])


def _floor(scale: Array, dtype: str) -> float:
    """The denominator's floor; the median comes from at most about MEDIAN_SAMPLE evenly spaced elements."""
    sample = scale[:: max(1, scale.size // MEDIAN_SAMPLE)]
    nonzero = sample[sample > 0]
    median = float(np.median(nonzero)) if nonzero.size else 0.0
    return max(median * FLOOR_SHARE, _tiny(dtype))


def _tiny(dtype: str) -> float:
    """Smallest normal number: 2^-14 for float16, 2^-126 for float32 and bfloat16."""
    return {"float16": 2.0**-14, "float64": 2.0**-1022}.get(dtype, 2.0**-126)


def _place(index: int, shape: tuple[int, ...]) -> str:
    where = np.unravel_index(index, shape) if shape else ()
    return f"[{', '.join(str(int(i)) for i in where)}]"
