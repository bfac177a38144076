"""Compiled files found again by the texts that they were made from, headers included.

A key stands for the main source, the flags and the compiler. Below it lie a few entries, each with the
headers that the compiler read and their digests: the entry whose headers still have the same text is the
answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import TypedDict, cast

from ascendopt.harness.devices.model.cache import digest, write_atomically
from ascendopt.harness.devices.model.portable_names import located, portable_name
from ascendopt.harness.private_folders import PrivateFolder

_MAX_ENTRIES = 8


class _Entry(TypedDict):
    headers: dict[str, str]
    file: str


class ObjectCache:
    """Files under ``folder``. Headers in and around ``base`` are named from there, so that a copy of the same
    sources elsewhere finds the same file; those inside ``ignored`` folders are in the key already."""

    def __init__(self, folder: Path, base: Path, ignored: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._base = base
        self._ignored = tuple(str(path) + os.sep for path in ignored)

    def find(self, key: str) -> Path | None:
        """The file that was stored under ``key`` from the headers as they are now, or None."""
        for entry in self._entries(key):
            file = self._folder / entry["file"]
            if file.is_file() and all(self._digest(name) == was for name, was in entry["headers"].items()):
                return file
        return None

    def store(self, key: str, output: Path, headers: Iterable[str]) -> Path:
        """Move ``output`` into the cache under ``key``, made from ``headers`` (paths). Returns its place."""
        names = {
            portable_name(header, self._base) for header in headers if not header.startswith(self._ignored or "\0")
        }
        known = {name: self._digest(name) for name in sorted(names)}
        file = f"{digest([key, json.dumps(known)])}{output.suffix}"
        output.replace(self._folder / file)
        entries = [entry for entry in self._entries(key) if entry["file"] != file]
        write_atomically(
            self._folder / f"{key}.json",
            json.dumps([{"headers": known, "file": file}, *entries[:_MAX_ENTRIES]]),
        )
        return self._folder / file

    @contextlib.contextmanager
    def scratch(self) -> Generator[Path]:
        """A folder beside the files, removed at the end: what is in it can be moved into the cache."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with PrivateFolder(self._folder, ".build-") as folder:
            yield folder

    def _entries(self, key: str) -> list[_Entry]:
        try:
            return cast("list[_Entry]", json.loads((self._folder / f"{key}.json").read_text()))
        except (OSError, ValueError):
            return []

    def _digest(self, name: str) -> str:
        try:
            return digest([located(name, self._base).read_bytes()])
        except OSError:
            return "missing"


def read_dependencies(depfile: Path) -> list[str]:
    """The prerequisites of the rule in a make-style dependency file: the source and its headers."""
    return shlex.split(depfile.read_text().replace("\\\n", " ").split(":", 1)[1])
