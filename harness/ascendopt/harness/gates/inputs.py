"""Input arrays of a case, drawn from the distributions that docs/workloads.md names.

Every array depends on the seed, the case and the position alone, so that a case gives the same inputs in any
order, in any run and for both sides of a comparison.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.dtypes import COMPLEXES, is_integer, numpy_dtype
from ascendopt.harness.workload import Case, TensorSpec

Array = NDArray[Any]
RANDOM = "random"
EXTREME = "extreme"
_CALL = re.compile(r"(\w+)(?:\(([^)]*)\))?")
# Plain normal integers use a range that every integer type but bool holds.
_INTEGER_RANGE = (-100, 100)
# Distributions that mean just the values that they say: boundary values have no place in them.
_EXACT = frozenset({"constant", "zeros", "ones", "sorted", "range", "values", "special"})


def make_inputs(case: Case, seed: int, variant: str = RANDOM, names: Collection[str] | None = None) -> list[Array]:
    """One array per input tensor in OpDef order, tensor lists flattened, absent inputs left out.

    ``variant`` is ``random`` (the declared distributions) or ``extreme`` (zeros, both signs, tiny and large
    values sprinkled over them, inside the declared range). With ``names`` only these inputs are drawn.
    """
    arrays: list[Array] = []
    position = -1
    for spec in case.inputs:
        for shape in spec.shapes:
            position += 1
            if names is not None and spec.name not in names:
                continue
            rng = _rng(seed, case.name, variant, position)
            values = _values(spec, shape, rng, variant)
            if spec.dtype in COMPLEXES:
                values = values + 1j * _values(spec, shape, rng, variant)
            arrays.append(_cast(values, spec.dtype))
    return arrays


def _values(spec: TensorSpec, shape: tuple[int, ...], rng: np.random.Generator, variant: str) -> Array:
    values = _draw(spec, shape, rng)
    if variant == EXTREME:
        _sprinkle(values, spec, rng)
    return values


def _rng(seed: int, *names: object) -> np.random.Generator:
    text = "\0".join([str(seed), *map(str, names)])
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))


def _cast(values: Array, dtype: str) -> Array:
    target = numpy_dtype(dtype)
    if dtype == "bool":
        return (values != 0).astype(target)
    if is_integer(dtype):
        low, high = (-8, 7) if dtype == "int4" else (np.iinfo(target).min, np.iinfo(target).max)
        # numpy's stubs type the keywords of clip with Unpack, which typing has from 3.11 on.
        whole = np.clip(np.rint(values), low, high)  # pyright: ignore[reportUnknownMemberType]
        return whole.astype(target)
    return values.astype(target)


def _parse(distribution: str) -> tuple[str, list[float]]:
    match = _CALL.fullmatch(distribution.strip())
    if match is None:
        raise ValueError(f"unknown distribution {distribution!r}")
    arguments = [float(part) for part in (match.group(2) or "").split(",") if part.strip()]
    return match.group(1), arguments


def _draw(spec: TensorSpec, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    kind, arguments = _parse(spec.distribution)
    if kind == "normal" and is_integer(spec.dtype) and not arguments:
        return rng.integers(*_INTEGER_RANGE, size=shape, endpoint=True).astype(np.float64)
    if kind == "normal":
        mean, deviation = (*arguments, 0.0, 1.0)[:2] if len(arguments) != 1 else (arguments[0], 1.0)
        # Drawn in single precision: half the time and memory of double for large cases.
        return rng.standard_normal(shape, dtype=np.float32) * np.float32(deviation) + np.float32(mean)
    if kind == "positive":
        return rng.uniform(0.01, 10.0, shape)
    if kind == "uniform":
        low, high = arguments if len(arguments) == 2 else (0.0, 1.0)
        return rng.uniform(low, high, shape)
    if kind == "integers":
        low, high = arguments if len(arguments) == 2 else _INTEGER_RANGE
        return rng.integers(int(low), int(high), size=shape, endpoint=True).astype(np.float64)
    if kind == "sorted":
        low, high = arguments
        return np.reshape(np.sort(rng.integers(int(low), int(high), size=math.prod(shape), endpoint=True)), shape) * 1.0
    if kind == "range":
        start, step = (*arguments, 0.0, 1.0)[:2] if len(arguments) != 1 else (arguments[0], 1.0)
        return np.reshape(start + step * np.arange(math.prod(shape), dtype=np.float64), shape)
    if kind == "values":
        return np.resize(np.asarray(arguments, dtype=np.float64), shape)
    if kind == "special":
        values = rng.standard_normal(shape)
        odd = rng.random(shape) < 0.25
        return np.where(odd, rng.choice(np.asarray([np.inf, -np.inf, np.nan]), size=shape), values)
    constant = {"zeros": 0.0, "ones": 1.0}.get(kind, arguments[0] if arguments else 0.0)
    return np.full(shape, constant, dtype=np.float64)


def _sprinkle(values: Array, spec: TensorSpec, rng: np.random.Generator) -> None:
    """Replace about a quarter of ``values`` in place by boundary values of the declared range."""
    kind, arguments = _parse(spec.distribution)
    if kind in _EXACT or values.size == 0:
        return
    if kind == "positive":
        extremes = [0.01, 1.0, 10.0]
    elif kind in ("uniform", "integers") and len(arguments) == 2:
        extremes = [arguments[0], arguments[1]]
    elif is_integer(spec.dtype):
        extremes = [0.0, 1.0, -1.0, *map(float, _INTEGER_RANGE)]
    else:
        extremes = [0.0, -0.0, 1.0, -1.0, 2.0**-12, -(2.0**-12), 10.0, -10.0]
    flat = np.reshape(values, -1)
    chosen = rng.random(flat.size) < 0.25
    flat[chosen] = rng.choice(np.asarray(extremes), size=int(chosen.sum()))
