"""The arrays of a case as files that the native server maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.arguments import Definition, initial_value, tensor_bytes, told_inputs
from ascendopt.harness.devices.model.arrays import ArrayFiles
from ascendopt.harness.dtypes import numpy_dtype, packed_bytes
from ascendopt.harness.workload import Case

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Placing:
    """Puts values of one operator's cases, aligned to its ``definition``, into ``files``, which the caller clears.

    ``seed`` generates the values that host code is told where nobody gives any.
    """

    def __init__(self, files: ArrayFiles, definition: Definition, seed: int) -> None:
        self._files = files
        self._definition = definition
        self._seed = seed

    def values(self, case: Case, *, short: bool = True) -> list[list[Path]] | None:
        """Files with generated values for the inputs of which the host code is told the values."""
        from ascendopt.harness.gates.inputs import make_inputs

        wanted = told_inputs(case, self._definition, short=short)
        if not wanted:
            return None
        arrays = iter(make_inputs(case, self._seed, names=wanted))
        return [
            [self._files.put(next(arrays), spec.dtype) for _ in spec.shapes] if spec.name in wanted else []
            for spec in case.inputs
        ]

    def inputs(self, case: Case, inputs: Sequence[NDArray[Any]]) -> list[list[Path]]:
        """Files with ``inputs``, by tensor of each input. Raises DeviceFailure where they do not fit the case."""
        expected = sum(len(spec.shapes) for spec in case.inputs)
        if len(inputs) != expected:
            raise DeviceFailure("run", f"case {case.name} has {expected} input tensors, got {len(inputs)} arrays.")
        arrays = iter(inputs)
        placed: list[list[Path]] = []
        for spec in case.inputs:
            paths: list[Path] = []
            for size in tensor_bytes(spec):
                array = next(arrays)
                if packed_bytes(spec.dtype, array.shape) != size or array.dtype != numpy_dtype(spec.dtype):
                    raise DeviceFailure(
                        "run", f"the array for {spec.name} is {array.dtype}{array.shape}, not what the case says."
                    )
                paths.append(self._files.put(array, spec.dtype))
            placed.append(paths)
        return placed

    def outputs(self, case: Case) -> list[list[Path]]:
        """Files for the outputs, by tensor of each output, with the initial values that the definition states."""
        placed: list[list[Path]] = []
        for index, spec in enumerate(case.outputs):
            value = initial_value(case, self._definition, index)
            if value is None:
                placed.append([self._files.reserve(size) for size in tensor_bytes(spec)])
            else:
                arrays = (np.full(shape, value, numpy_dtype(spec.dtype)) for shape in spec.shapes)
                placed.append([self._files.put(array, spec.dtype) for array in arrays])
        return placed
