"""Dtype names of OpDefs as numpy dtypes, and how many bytes their tensors take on a device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int4", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEXES = ("complex64", "complex128")
DTYPES = frozenset((*FLOATS, *INTEGERS, *COMPLEXES, "bool"))

_ML_DTYPES = frozenset({"bfloat16", "int4"})


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy dtype of a dtype name; ``bfloat16`` and ``int4`` come from ml_dtypes. Raises TypeError if unknown."""
    if name in _ML_DTYPES:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def is_integer(name: str) -> bool:
    """Whether values of this dtype are compared exactly."""
    return name == "bool" or name.startswith(("int", "uint"))


def packed_bytes(dtype: str, shape: tuple[int, ...]) -> int:
    """Bytes of a tensor in device memory: two ``int4`` share a byte."""
    count = int(np.prod(shape, dtype=np.int64))
    return (count + 1) // 2 if dtype == "int4" else count * numpy_dtype(dtype).itemsize


def pack(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    """``array`` as a device holds it: unchanged, or for ``int4`` two elements a byte, the first in the low half."""
    if dtype != "int4":
        return array
    flat = np.reshape(array, -1).astype(np.int8).astype(np.uint8) & 0xF
    padded = np.concatenate([flat, np.zeros(flat.size % 2, dtype=np.uint8)])
    return padded[0::2] | (padded[1::2] << 4)


def unpack(raw: NDArray[np.uint8], dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """The inverse of ``pack`` for the bytes of a tensor of ``shape``."""
    target = numpy_dtype(dtype)
    if dtype != "int4":
        return np.reshape(raw.view(target), shape)  # pyright: ignore[reportUnknownMemberType]  # stubs: no Self in 3.10
    halves = np.stack([raw & 0xF, raw >> 4], axis=-1)
    count = int(np.prod(shape, dtype=np.int64))
    signed = ((np.reshape(halves, -1)[:count].astype(np.int8) ^ 8) - 8).astype(np.int8)
    return np.reshape(signed, shape).astype(target)
