"""Constants of the timing model refitted to times that the user measured with msprof.

The rows of an op_summary export are matched to the cases of a workload by operator type and input shapes. A few
constants move, on a log scale, each held to its present value by its stated uncertainty; rows that fit nothing are
held to a linear pull (Huber), so that one bad row moves little.
"""

# numpy's linear algebra is typed too loosely for strict mode.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import csv
import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case

CONSTANTS = ("hbm_gbps", "port_gbps", "load_latency_hbm", "store_bandwidth", "vector_startup", "kernel_start_us",
             "launch_base_us", "launch_core_us")  # fmt: skip
"""What a handful of times can tell: memory, the starts of transfers and vector calls, the start of a kernel."""
_SPREAD = 0.03
"""Relative spread of a measured time that is taken for granted."""
_HUBER = 2.0
_STEP = 0.05
_ROUNDS = 12
_REACH = 3.0

_Vector = NDArray[np.float64]
Times = Callable[[Mapping[str, float]], Sequence[float]]


class CalibrationError(Exception):
    """The export cannot be used; the message names file and line."""


@dataclass(frozen=True)
class Measured:
    """One kernel of the export."""

    type: str
    shapes: tuple[tuple[int, ...], ...]
    duration_us: float
    dtypes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fit:
    """New values of the constants that moved, how uncertain they are now, and the modelled times before and after."""

    values: Mapping[str, float]
    uncertainty: Mapping[str, float]
    before_us: Sequence[float]
    after_us: Sequence[float]


def read_export(path: Path) -> list[Measured]:
    """The kernels of an msprof op_summary CSV. Raises CalibrationError."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as handle:
            lines = list(csv.reader(handle))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CalibrationError(f"{path}: cannot be read as CSV: {error}.") from error
    if not lines:
        raise CalibrationError(f"{path}:1: the file is empty.")
    names = {name.strip().lower(): index for index, name in enumerate(lines[0])}
    columns = [_column(path, names, *wanted) for wanted in _COLUMNS]
    types = names.get("input data types")
    return [_row(path, number, line, columns, types) for number, line in enumerate(lines[1:], 2) if any(line)]


_COLUMNS = (("op type", "type"), ("input shapes",), ("task duration(us)", "duration(us)"))


def _column(path: Path, names: Mapping[str, int], *wanted: str) -> int:
    for name in wanted:
        if name in names:
            return names[name]
    raise CalibrationError(f"{path}:1: there is no column '{wanted[0]}' in the heading.")


def _row(path: Path, number: int, line: Sequence[str], columns: Sequence[int], types: int | None) -> Measured:
    if max(*columns, types or 0) >= len(line):
        raise CalibrationError(f"{path}:{number}: the line has {len(line)} fields, the heading more.")
    kind, shapes, duration = (line[column].strip() for column in columns)
    try:
        value = float(duration)
        if not (math.isfinite(value) and value > 0):
            raise ValueError
    except ValueError:
        raise CalibrationError(f"{path}:{number}: '{duration}' is not a duration in microseconds.") from None
    dtypes = _dtypes(line[types]) if types is not None else ()
    return Measured(kind, _shapes(path, number, shapes), value, dtypes)


def _dtypes(text: str) -> tuple[str, ...]:
    """`FLOAT16;FLOAT;DT_BF16` by numpy's names."""
    names = [name.strip().lower().removeprefix("dt_") for name in text.strip().strip('"').split(";")]
    return tuple({"float": "float32", "bf16": "bfloat16"}.get(name, name) for name in names if name not in ("", "n/a"))


def _shapes(path: Path, number: int, text: str) -> tuple[tuple[int, ...], ...]:
    bare = text.strip().strip('"').strip()
    if bare in ("", "N/A"):
        return ()
    try:
        return tuple(tuple(int(size) for size in shape.split(",") if size.strip()) for shape in bare.split(";"))
    except ValueError:
        raise CalibrationError(f"{path}:{number}: '{text}' is not a list of shapes like 8,2048;2048.") from None


def match(rows: Sequence[Measured], op: str, cases: Sequence[Case]) -> list[tuple[Case, float]]:
    """The cases that were measured, with the median of their times. Raises CalibrationError when there is none."""
    found: list[tuple[Case, float]] = []
    for case in cases:
        shapes = tuple(shape for spec in case.inputs for shape in spec.shapes)
        dtypes = tuple(spec.dtype for spec in case.inputs for _ in spec.shapes)
        times = [
            row.duration_us for row in rows if row.type == op and row.shapes == shapes and row.dtypes in ((), dtypes)
        ]
        if times:
            found.append((case, statistics.median(times)))
    if not found:
        raise CalibrationError(f"no row is of type {op} with the input shapes of one of the {len(cases)} cases.")
    return found


def load_constants(path: Path) -> dict[str, Any]:
    """A timing file with everything that its bases say: ``constants`` and ``vector`` by name."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if "base" not in data:
        return data
    base = load_constants(path.parent / data.pop("base"))
    for section in ("constants", "vector"):
        base[section] = {**base[section], **data.pop(section, {})}
    return {**base, **data}


def changed(
    constants: Mapping[str, Any], values: Mapping[str, float], note: str, uncertainty: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """A copy with new ``values``, fitted, as uncertain as ``uncertainty`` says or as they were."""
    entries = dict(constants["constants"])
    for name, value in values.items():
        old = entries[name]
        entries[name] = {
            **old,
            "value": value,
            "uncertainty": (uncertainty or {}).get(name, old["uncertainty"]),
            "source": "fitted",
            "note": note,
        }
    return {**constants, "constants": entries}


def refit(constants: Mapping[str, Any], measured_us: Sequence[float], times: Times) -> Fit:
    """Gauss-Newton on the logarithms of CONSTANTS. ``times`` models the cases under changed constants."""
    entries = constants["constants"]
    names = [name for name in CONSTANTS if entries[name]["uncertainty"] > 0 and entries[name]["value"] > 0]
    centre = np.array([entries[name]["value"] for name in names])
    prior = np.array([entries[name]["uncertainty"] for name in names])
    target = np.log(np.array(measured_us))

    def model(shift: _Vector) -> _Vector:
        return np.log(np.array(times(dict(zip(names, (centre * np.exp(shift)).tolist(), strict=True)))))

    def slopes_at(shift: _Vector, now: _Vector) -> tuple[_Vector, _Vector]:
        """Derivatives of the model there, and the weight of each measured time."""
        units: _Vector = np.eye(len(names))
        slopes: _Vector = np.stack([(model(shift + _STEP * unit) - now) / _STEP for unit in units], axis=1)
        residual = (target - now) / _SPREAD
        return slopes, np.minimum(1.0, _HUBER / np.maximum(np.abs(residual), 1e-9)) / _SPREAD**2

    shift: _Vector = np.zeros(len(names))
    now = before = model(shift)
    cost = _cost(target - now, shift, prior)
    for _ in range(_ROUNDS):
        slopes, weight = slopes_at(shift, now)
        normal: _Vector = slopes.T @ (weight[:, None] * slopes) + np.diag(1 / prior**2)
        better, new = False, now
        trial = shift
        step: _Vector = np.linalg.solve(normal, slopes.T @ (weight * (target - now)) - shift / prior**2)
        for part in (1.0, 0.5, 0.25, 0.1):
            trial = np.clip(shift + part * step, -_REACH * prior, _REACH * prior)
            new = model(trial)
            better = _cost(target - new, trial, prior) < cost * (1 - 1e-4)
            if better:
                break
        if not better:
            break
        shift, now, cost = trial, new, _cost(target - new, trial, prior)
    values = {name: value for name, value, moved in zip(names, (centre * np.exp(shift)).tolist(), shift, strict=True)
              if abs(moved) > 1e-3}  # fmt: skip
    # What the measured times and the prior together leave open: a constant that they don't tell stays as it was.
    slopes, weight = slopes_at(shift, now)
    spread = np.sqrt(np.diag(np.linalg.inv(slopes.T @ (weight[:, None] * slopes) + np.diag(1 / prior**2))))
    uncertainty = {name: float(value) for name, value in zip(names, spread, strict=True) if name in values}
    return Fit(
        values, uncertainty, cast("list[float]", np.exp(before).tolist()), cast("list[float]", np.exp(now).tolist())
    )


def _cost(residual: _Vector, shift: _Vector, prior: _Vector) -> float:
    size = np.abs(residual / _SPREAD)
    huber: _Vector = np.where(size <= _HUBER, 0.5 * size**2, _HUBER * (size - 0.5 * _HUBER))
    return float(huber.sum() + 0.5 * ((shift / prior) ** 2).sum())
