"""What the references share: computing in single precision, rounding once, and functions that numpy lacks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Reference = Callable[[Sequence[Array], Mapping[str, Any]], list[Array]]


def wide(array: Array) -> Array:
    """The array in single precision; float64, integers and complex numbers as they are."""
    if array.dtype.itemsize >= 4 or np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_:
        return array
    return array.astype(np.float32)


def rounded(function: Callable[..., Any]) -> Reference:
    """A reference with one output: ``function`` of the widened inputs, rounded once to the first one's dtype."""

    def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
        with np.errstate(all="ignore"):
            result = function(*(wide(array) for array in inputs), **attrs)
        return [np.asarray(result).astype(inputs[0].dtype)]

    return reference


def plain(function: Callable[..., Any]) -> Reference:
    """A reference with one output, in the dtype that ``function`` of the inputs has."""

    def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
        with np.errstate(all="ignore"):
            return [np.asarray(function(*inputs, **attrs))]

    return reference


def scalar(array: Array) -> Any:
    """The value of a one-element input."""
    return np.reshape(array, -1)[0]


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def erf(x: Array) -> Array:
    """The error function, element by element: numpy has none."""
    return np.vectorize(math.erf, otypes=[np.float64])(x.astype(np.float64))


def erfc(x: Array) -> Array:
    """The complement of the error function, without the cancellation of ``1 - erf(x)``."""
    return np.vectorize(math.erfc, otypes=[np.float64])(x.astype(np.float64))


def quantised(values: Array) -> Array:
    """What is rounded to int8, before that: the gates then take both neighbours of a middle for right."""
    return np.minimum(np.maximum(values, -128), 127).astype(np.float32)
