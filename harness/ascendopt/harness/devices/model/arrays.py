"""Arrays as files in shared memory: how inputs reach a run and how outputs come back."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.dtypes import pack, packed_bytes, unpack
from ascendopt.harness.private_folders import PrivateFolder, remove_abandoned

_SHARED_MEMORY = Path("/dev/shm")
_RESERVE = 64 << 20


class ArrayFiles:
    """A folder for the arrays of one run at a time. ``close`` (or the end of the process) removes it."""

    def __init__(self) -> None:
        self._folders: dict[Path, PrivateFolder] = {}
        self._count = 0
        if _SHARED_MEMORY.is_dir():
            # Of a run that was killed, also when the one that goes on has nothing left to compute.
            remove_abandoned(_SHARED_MEMORY)

    def put(self, array: NDArray[Any], dtype: str) -> Path:
        """Write the array in C order, as a device holds it, to a new file."""
        array = pack(array, dtype)
        path = self._new(array.nbytes)
        with path.open("wb") as file:
            # ml_dtypes arrays have no buffer interface of their own.
            flat = np.reshape(np.ascontiguousarray(array), -1)
            file.write(flat.view(np.uint8).data)  # pyright: ignore[reportUnknownMemberType]  # stubs: no Self in 3.10
        return path

    def reserve(self, size: int) -> Path:
        """A new file of ``size`` bytes for an output."""
        path = self._new(size)
        with path.open("wb") as file:
            file.truncate(size)
        return path

    def get(self, path: Path, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """The file as an array of its own. Raises ValueError when the file has another size."""
        raw = np.fromfile(path, dtype=np.uint8)
        if raw.nbytes != packed_bytes(dtype, shape):
            raise ValueError(f"{path.name} has {raw.nbytes} bytes")
        return unpack(raw, dtype, shape)

    def clear(self) -> None:
        """Remove all files."""
        for folder in self._folders.values():
            for path in folder.path.iterdir():
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folders."""
        for folder in self._folders.values():
            folder.close()

    def _new(self, size: int) -> Path:
        base = Path(tempfile.gettempdir())
        if _SHARED_MEMORY.is_dir() and shutil.disk_usage(_SHARED_MEMORY).free > size + _RESERVE:
            base = _SHARED_MEMORY
        folder = self._folders.get(base)
        if folder is None:
            folder = self._folders[base] = PrivateFolder(base)
        self._count += 1
        return folder.path / f"{self._count}.bin"
