"""Everything that a worker on another machine needs of this one's files, as plain data.

A setup names files: the operator's surroundings, from which it includes headers; the numpy reference of its workload;
what the static rules compare with. A worker that has the same operator at the same place (a shared file system, this
very machine) uses what is there. Any other unpacks the sources that came along.
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ascendopt.harness.executors
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.executors.base import GateSetup
from ascendopt.harness.operator_copy import SOURCE_SUFFIXES, OperatorError, OperatorSources, ancestors, read_operator

MAX_BYTES = 64 << 20
MAX_ENTRIES = 100_000
# What a reference may load, and what says how an operator is built.
_DATA_SUFFIXES = frozenset({".cmake", ".csv", ".json", ".npy", ".npz", ".py", ".toml", ".txt"})
_HARNESS = Path(ascendopt.harness.executors.__file__).parents[1]
_REPOSITORY = ".git"


@dataclass(frozen=True)
class Shipment:
    """A ``GateSetup`` to be sent. ``top`` is the folder here that holds all that the operator can include."""

    top: Path
    target: Path
    digest: str
    setup: bytes
    archive: bytes
    repository: bool
    too_large: bool

    def unpack(self, folder: Path) -> GateSetup:
        """The setup for this machine, with sources in ``folder`` where they are needed. Raises DeviceFailure."""
        if self._is_here():
            return self._setup(self.top)
        if self.too_large:
            reason = (
                f"too much surrounds the operator in {self.top} to be sent (more than {MAX_BYTES >> 20} MB of sources "
                f"or {MAX_ENTRIES} files); keep it where all worker nodes see it, at the same path."
            )
            raise DeviceFailure("compile", reason)
        top = folder / self.top.name
        with zipfile.ZipFile(io.BytesIO(self.archive)) as archive:
            archive.extractall(top)
        if self.repository:
            # Where an operator's surroundings end is told by this folder.
            (top / _REPOSITORY).mkdir()
        return self._setup(top)

    def _is_here(self) -> bool:
        try:
            return read_operator(self.target).digest == self.digest
        except (OperatorError, OSError):
            return False

    def _setup(self, top: Path) -> GateSetup:
        setup = _Arrival(io.BytesIO(self.setup), top).load()
        assert isinstance(setup, GateSetup)
        return setup


def ship(setup: GateSetup) -> Shipment:
    """Pack ``setup`` with the sources around its operator. What was found by other runs stays here."""
    sources = setup.sources
    top = _top(sources)
    stream = io.BytesIO()
    _Departure(stream, top).dump(replace(setup, memory=None))
    archive, too_large = _archive(top)
    return Shipment(
        top, sources.target, sources.digest, stream.getvalue(), archive, (top / _REPOSITORY).exists(), too_large
    )


def _top(sources: OperatorSources) -> Path:
    """The outermost folder from which the operator can include."""
    return next(reversed(ancestors(sources.root)), sources.root)


def _archive(top: Path) -> tuple[bytes, bool]:
    """A ZIP of the sources below ``top``; empty, and True, when they are too many."""
    stream = io.BytesIO()
    room = MAX_BYTES
    seen = 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in _files(top):
            seen += 1
            wanted = file.suffix in SOURCE_SUFFIXES | _DATA_SUFFIXES and file.is_file()
            data = file.read_bytes() if wanted and os.access(file, os.R_OK) else b""
            room -= len(data)
            if room < 0 or seen > MAX_ENTRIES:
                return b"", True
            if wanted:
                archive.writestr(file.relative_to(top).as_posix(), data)
    return stream.getvalue(), False


def _files(top: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in sorted(files) if not name.startswith("."))


class _Departure(pickle.Pickler):
    """Writes paths below ``top``, and those of the package, so that they can lie elsewhere on the other side."""

    def __init__(self, stream: io.BytesIO, top: Path) -> None:
        super().__init__(stream)
        self._roots = {"top": top, "harness": _HARNESS}

    def persistent_id(self, obj: Any) -> tuple[str, str] | None:
        if not isinstance(obj, Path):
            return None
        found = (name for name, root in self._roots.items() if obj.is_relative_to(root))
        name = next(found, None)
        return None if name is None else (name, obj.relative_to(self._roots[name]).as_posix())


class _Arrival(pickle.Unpickler):
    """Reads what ``_Departure`` wrote."""

    def __init__(self, stream: io.BytesIO, top: Path) -> None:
        super().__init__(stream)
        self._roots = {"top": top, "harness": _HARNESS}

    def persistent_load(self, pid: tuple[str, str]) -> Path:
        return self._roots[pid[0]] / pid[1]
