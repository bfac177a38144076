"""Runs a workload's numpy reference in a process of its own.

The reference belongs to the workspace, so it does not run in this process: a child of ``reference_child.py`` (limits,
no network where that is possible) loads the file, calls ``reference(inputs, attrs)`` and leaves its arrays in files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.dtypes import numpy_dtype
from ascendopt.harness.gates.evaluator import ReferenceFailure
from ascendopt.harness.private_folders import PrivateFolder
from ascendopt.harness.sandbox.fork_server import ForkServer
from ascendopt.harness.sandbox.limited import Limits
from ascendopt.harness.workload import Case, TensorSpec

_CHILD = Path(__file__).with_name("reference_child.py")
_LIMITS = Limits(wall_s=900, cpu_s=600, memory_mb=16384, file_mb=16384, processes=32)
# One thread: the bytes must not depend on how many cores the machine has.
_ENVIRONMENT: dict[str, str] = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_SHARED_MEMORY = Path("/dev/shm")
_BITS = {"bfloat16": np.uint16, "int4": np.uint8}

Array = NDArray[Any]


class ReferenceRunner:
    """Calls the reference of one workload: ``runner(case, inputs) -> outputs``."""

    def __init__(self, reference: Path, limits: Limits = _LIMITS, function: str = "reference") -> None:
        self._reference = reference
        self._function = function
        self._server = ForkServer(_CHILD, limits, _ENVIRONMENT)

    def __call__(self, case: Case, inputs: Sequence[Array]) -> list[Array]:
        """The outputs for ``inputs`` (lists flattened). Raises ReferenceFailure with one sentence."""
        total = sum(array.nbytes for array in inputs)
        with PrivateFolder(_base(4 * total)) as folder:
            entries = [_write(folder / f"in{index}.npy", array) for index, array in enumerate(inputs)]
            request = {
                "reference": str(self._reference.resolve()),
                "function": self._function,
                "golden": self._golden(case),
                "reads": [str(path) for path in self._surroundings()],
                "inputs": entries,
                "attrs": dict(case.attrs),
            }
            (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
            done = self._server.run(str(folder))
            if done.returncode != 0:
                raise ReferenceFailure(self._reason(done.ending(), folder / "failure.txt", case))
            try:
                answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
                return [_read(folder / f"out{index}.npy", dtype) for index, dtype in enumerate(answer)]
            except (OSError, ValueError, TypeError) as error:
                raise ReferenceFailure(
                    f"{self._reference.name} left no readable outputs for case {case.name}: {error}."
                ) from error

    def _surroundings(self) -> list[Path]:
        """What a reference may read: its own folder, where its data and its helpers are."""
        return [self._reference.resolve().parent]

    def _golden(self, case: Case) -> dict[str, object] | None:
        """What a golden is called with besides the arrays; None for a reference of a workload."""
        return None

    def _reason(self, ending: str, note: Path, case: Case) -> str:
        try:
            text = note.read_text(encoding="utf-8")[:500].strip()
        except OSError:
            text = ""
        what = text or f"it {ending}"
        return f"the reference {self._reference.name} failed on case {case.name}: {what}."


class GoldenRunner(ReferenceRunner):
    """Calls a kernel golden of the public operator repositories: a file with ``__golden__ = {"kernel": {..}}``.

    ``operator`` is the name of the operator's folder, which is the key in that table.
    """

    def __init__(self, golden: Path, operator: str, soc: str, limits: Limits = _LIMITS) -> None:
        super().__init__(golden, limits)
        self._operator = operator
        self._soc = soc

    def _surroundings(self) -> list[Path]:
        """Goldens share helpers across their repository."""
        own = self._reference.resolve().parent
        return [next((folder for folder in (own, *own.parents) if (folder / ".git").exists()), own)]

    def _golden(self, case: Case) -> dict[str, object]:
        return {
            "operator": self._operator,
            "soc": self._soc,
            "inputs": [_port(spec) for spec in case.inputs],
            "outputs": [_port(spec) for spec in case.outputs],
        }


def _port(spec: TensorSpec) -> dict[str, object]:
    return {"name": spec.name, "dtype": spec.dtype, "shapes": spec.shapes, "list": spec.is_list}


def _base(size: int) -> Path | None:
    """Shared memory when it is large enough, else the default for temporary files."""
    if _SHARED_MEMORY.is_dir() and os.access(_SHARED_MEMORY, os.W_OK):
        stat = os.statvfs(_SHARED_MEMORY)
        if stat.f_bavail * stat.f_frsize > size + (64 << 20):
            return _SHARED_MEMORY
    return None


def _write(path: Path, array: Array) -> str:
    """Write ``array``; ``.npy`` knows none of the dtypes of ml_dtypes, so these travel as their bits."""
    # numpy's stubs use LiteralString and Self, which typing has from 3.11 on.
    name = cast("str", array.dtype.name)  # pyright: ignore[reportUnknownMemberType]
    bits = array.view(_BITS[name]) if name in _BITS else array  # pyright: ignore[reportUnknownMemberType]
    np.save(path, bits, allow_pickle=False)
    return name


def _read(path: Path, dtype: str) -> Array:
    array = cast("Array", np.load(path, allow_pickle=False))
    if dtype not in _BITS:
        return array
    # As above: Self in numpy's stubs.
    return array.view(numpy_dtype(dtype))  # pyright: ignore[reportUnknownMemberType]
