"""Vector operators in the manner of BLAS: ``n`` elements, ``incx`` apart. Indices count from 1.

Their tiling data has room for 40 vector cores; on a chip with more of them their host code asks for all and the
kernels read past its end. So they are judged on a chip with 40.
"""

# Formulas over arrays of any dtype: numpy's stubs leave their lambdas without types.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import Size, tensor
from ascendopt.harness.workloads.numeric import Array, plain

_SOC = "Ascend910B3"
_SIZES = (Size("tiny", (7,)), Size("tail", (2043,)), Size("large", (1 << 20,), checked_only=False))


# Cores without elements leave before the SyncAll of the others, which then wait for ever.
_ON_ALL_CORES = (Size("small", (331,)), *_SIZES[1:])


def _reduced(function: str, dtype: str, result: str, sizes: Sequence[Size] = _SIZES) -> Workload:
    return Workload(
        tuple(
            Case(
                f"{size.name}/{dtype}",
                (tensor("x", dtype, size.shape),),
                (tensor("result", result, (1,)),),
                {"n": size.shape[0], "incx": 1},
                correctness_only=size.checked_only,
            )
            for size in sizes
        ),
        function=function,
        soc=_SOC,
    )


def _copied(dtype: str) -> Workload:
    return Workload(
        tuple(
            Case(
                f"{size.name}/{dtype}",
                (tensor("x", dtype, size.shape),),
                (tensor("y", dtype, size.shape),),
                {"n": size.shape[0], "incx": 1, "incy": 1},
                correctness_only=size.checked_only,
            )
            for size in _SIZES
        ),
        function="copy",
        soc=_SOC,
    )


def _products() -> Workload:
    shapes = (("tiny", (3, 5)), ("tail", (37, 333)), ("example", (156, 1024)), ("large", (1024, 1024)))
    return Workload(
        tuple(
            Case(
                f"{name}/complex64",
                tuple(tensor(matrix, "complex64", shape, "uniform(-1, 1)") for matrix in ("matx", "maty")),
                (tensor("result", "complex64", shape),),
                {"m": shape[0], "n": shape[1]},
                correctness_only=name != "large",
            )
            for name, shape in shapes
        ),
        function="multiply",
        soc=_SOC,
    )


WORKLOADS: Mapping[str, Workload] = {
    "ComplexMatDot": _products(),
    "Ccopy": _copied("complex64"),
    "Scopy": _copied("float32"),
    "Sscal": Workload(
        tuple(
            Case(
                f"{size.name}/float32",
                (tensor("x", "float32", size.shape),),
                (tensor("x", "float32", size.shape),),
                {"alpha": 2.5, "n": size.shape[0], "incx": 1},
                correctness_only=size.checked_only,
            )
            for size in _SIZES
        ),
        function="scale",
        soc=_SOC,
    ),
    "Sasum": _reduced("absolute_sum", "float32", "float32"),
    "Scasum": _reduced("absolute_sum", "complex64", "float32"),
    "Snrm2": _reduced("norm", "float32", "float32", _ON_ALL_CORES),
    "Scnrm2": _reduced("norm", "complex64", "float32", _ON_ALL_CORES),
    "Isamax": _reduced("index_of_largest", "float32", "int32"),
    "Isamin": _reduced("index_of_smallest", "float32", "int32"),
    "Icamax": _reduced("index_of_largest", "complex64", "int32"),
    "Icamin": _reduced("index_of_smallest", "complex64", "int32"),
}


def _sizes(x: Array) -> Array:
    """|x|, and for complex numbers |real| + |imaginary|, as BLAS has it."""
    return np.abs(np.real(x)) + np.abs(np.imag(x)) if np.iscomplexobj(x) else np.abs(x)


multiply = plain(lambda x, y, m, n: x * y)
copy = plain(lambda x, n, incx, incy: x)
scale = plain(lambda x, alpha, n, incx: np.float32(alpha) * x)
absolute_sum = plain(lambda x, n, incx: np.asarray([_sizes(x).sum(dtype=np.float64)], np.float32))
norm = plain(lambda x, n, incx: np.asarray([np.sqrt(np.sum(np.abs(x).astype(np.float64) ** 2))], np.float32))
index_of_largest = plain(lambda x, n, incx: np.asarray([np.argmax(_sizes(x)) + 1], np.int32))
index_of_smallest = plain(lambda x, n, incx: np.asarray([np.argmin(_sizes(x)) + 1], np.int32))
