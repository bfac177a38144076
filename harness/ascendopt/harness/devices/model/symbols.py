"""Addresses in a kernel object -> file and line, by the line table that ``-g1`` leaves in it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from ascendopt.harness.devices.model.toolchain import NATIVE
from ascendopt.harness.sandbox import Limits, run_limited

_PLACE = re.compile(r"^(?P<file>.+):(?P<line>\d+)(?: \(discriminator \d+\))?$")
_LIMITS = Limits(wall_s=20, cpu_s=10, memory_mb=2048)

Place = tuple[str, int]


class Symbols:
    """Looks up lines with addr2line or llvm-symbolizer; knows nothing where neither is installed."""

    def __init__(self) -> None:
        tool = shutil.which("addr2line")
        self._command = [tool, "-i", "-e"] if tool else None
        if tool is None and (llvm := shutil.which("llvm-symbolizer")):
            self._command = [llvm, "--output-style=GNU", "--no-demangle", "--functions=none", "-e"]
        self._known: dict[tuple[Path, int], Place | None] = {}

    def place(self, shared: Path, sites: Sequence[int]) -> Place | None:
        """The first of ``sites`` (return addresses as offsets, innermost first) in the operator's own files."""
        for site in sites:
            key = (shared, site)
            if key not in self._known:
                self._known[key] = self._look_up(shared, site)
            if self._known[key] is not None:
                return self._known[key]
        return None

    def _look_up(self, shared: Path, site: int) -> Place | None:
        if self._command is None or site <= 0:
            return None
        # The address after a call may belong to the next line.
        command = [*self._command, str(shared), hex(site - 1)]
        try:
            done = run_limited(command, _LIMITS, isolate=False)
        except OSError:
            return None
        for text in done.stdout.splitlines():
            found = _PLACE.match(text.strip())
            if found and int(found["line"]) > 0 and not _ours(found["file"]):
                return (found["file"], int(found["line"]))
        return None


def _ours(file: str) -> bool:
    return file.startswith(("?", str(NATIVE), "/usr/", "/scratch/"))
