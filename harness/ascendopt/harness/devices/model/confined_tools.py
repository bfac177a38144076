"""Compilers and linkers that can open nothing but what a compilation needs.

A candidate's text decides what a compiler reads (``#include``, ``.incbin``) and may ask it to write. The system itself
(Landlock) keeps it to the tool's own files, the operator and what lies around it, and the folder of the result.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from ascendopt.harness.devices.model.cache import digest, locked, replacing
from ascendopt.harness.devices.model.compiler import Compiler
from ascendopt.harness.sandbox import Limits, run_limited

NATIVE = Path(__file__).parent / "native"
_SOURCES = tuple(NATIVE / name for name in ("launcher/confine_command.cpp", "run/confine.cpp", "run/confine_files.cpp"))
_FLAGS = ("-std=c++17", "-O1", "-w")
_LIMITS = Limits(wall_s=120, cpu_s=60)
# Programs, libraries and headers of the system; temporary files go to the folder of the result.
_SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/usr", "/opt", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives")
_DEVICES = ("/dev/null",)
_MAX_LEVELS = 6


class ConfinedTools:
    """Command prefixes that confine one compiler's runs; nothing is confined where the system can't."""

    def __init__(self, compiler: Compiler, root: Path) -> None:
        self._compiler = compiler
        self._root = root

    def prefix(self, reads: Iterable[Path], output: Path) -> list[str]:
        """What to put before a command that reads below ``reads`` and writes beside ``output``."""
        if self._launcher is None:
            return []
        return [str(self._launcher), *self._options((*reads, NATIVE, self._root), (output.parent,)), "--"]

    @property
    def works(self) -> bool:
        """Whether compilers are confined on this system."""
        return self._launcher is not None

    def _options(self, reads: Iterable[Path], writes: Iterable[Path]) -> list[str]:
        own = {Path(sys.prefix), Path(sys.base_prefix)} if self._compiler.kind == "zig" else set[Path]()
        tools = [*map(Path, _SYSTEM), *own, Path(self._compiler.argv[0]).resolve().parent.parent]
        options = [part for path in dict.fromkeys(tools) for part in ("--execute", str(path))]
        options += [part for path in dict.fromkeys(reads) for part in ("--read", str(path))]
        return options + [part for path in (*writes, *map(Path, _DEVICES)) for part in ("--write", str(path))]

    @cached_property
    def _launcher(self) -> Path | None:
        if not sys.platform.startswith("linux"):
            return None
        texts = [path.read_bytes() for path in (*_SOURCES, *sorted((NATIVE / "run").glob("confine*.h")))]
        program = self._root / "launcher" / digest([self._compiler.identity, *_FLAGS, *texts]) / "ascend-confine"
        if not program.is_file():
            with locked(program.parent / "lock"):
                if not program.is_file() and not self._build(program):
                    return None
        probe = [str(program), *self._options((), ()), "--", "true"]
        return program if run_limited(probe, _LIMITS, isolate=False).returncode == 0 else None

    def _build(self, program: Path) -> bool:
        with replacing(program) as made:
            command = [*self._compiler.argv, *_FLAGS, *map(str, _SOURCES), "-o", str(made)]
            done = run_limited(command, _LIMITS, isolate=False, env={"TMPDIR": str(made.parent)})
            if done.returncode != 0:
                made.unlink(missing_ok=True)
                return False
            made.chmod(0o755)
        return True


def readable_around(operator: Path) -> list[Path]:
    """What the sources of ``operator`` (a folder) may include: its folder and its repository, else its neighbours.

    Where the folder is a copy whose surroundings are links, the targets of the links count.
    """
    found = [operator]
    parents = folders_above(operator)
    repository = next((parent for parent in parents if (parent / ".git").exists()), None)
    if repository is not None:
        return [repository]
    for parent in (operator, *parents):
        found += [entry.resolve() for entry in _visible(parent) if entry.is_symlink()]
    if parents:
        found += [entry for entry in _visible(parents[0]) if not entry.is_symlink()]
    return found


def folders_above(operator: Path) -> list[Path]:
    """The folders around an operator, the nearest first, up to those that hold much more than what belongs to it."""
    wide = _too_wide()
    return list(takewhile(lambda parent: parent not in wide, list(operator.parents)[:_MAX_LEVELS]))


def _too_wide() -> set[Path]:
    return {
        Path("/"),
        Path.home(),
        Path(tempfile.gettempdir()).resolve(),
        *map(Path, ("/tmp", "/home", "/etc", "/var")),
    }


def _visible(folder: Path) -> Sequence[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        return []
