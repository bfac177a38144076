"""Finds a C++ compiler that knows ``_Float16`` and a linker."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ascendopt.harness.devices.model.cache import cache_root, digest, write_atomically
from ascendopt.harness.sandbox import Limits, run_limited

_MINIMUM = {"gcc": 12, "clang": 15}
_NAMES = (
    "g++",
    *(f"g++-{version}" for version in range(16, 11, -1)),
    "clang++",
    *(f"clang++-{version}" for version in range(22, 14, -1)),
)
# zig's first call builds its C++ library.
_ZIG = (sys.executable, "-m", "ziglang")
_PROBE_LIMITS = Limits(wall_s=300, cpu_s=240, memory_mb=1 << 16)


class ToolchainError(RuntimeError):
    """No usable compiler, or the runtime does not build. The message is one sentence for the user."""


@dataclass(frozen=True)
class Compiler:
    """A C++ driver: ``argv`` starts it, ``kind`` is ``gcc``, ``clang`` or ``zig``.

    ``identity`` changes when the program behind it changes; it is part of every cache key. ``linker`` links
    shared objects directly (GNU ld or lld), which is many times faster than through the driver; None
    means: the driver links. ``startup`` are the objects that such a link needs around code with destructors
    to run at exit (the first defines ``__dso_handle``).
    """

    argv: tuple[str, ...]
    kind: str
    version: str
    identity: str
    linker: tuple[str, ...] | None
    startup: tuple[str, str] | None

    @property
    def display(self) -> str:
        """Name and version for people."""
        return f"{Path(self.argv[0]).name} {self.version}" if self.kind != "zig" else f"zig {self.version}"


def find_compiler(preferred: str | None = None) -> Compiler:
    """The compiler to use: ``preferred`` (a path or name that the user set), else the first new enough.

    The environment variable CXX is not looked at: it usually means the compiler of another project.
    Raises ToolchainError.
    """
    if preferred is not None:
        path = shutil.which(preferred)
        if path is None:
            raise ToolchainError(f"the compiler '{preferred}' is not installed; correct the setting or drop it.")
        found, why = _probe((path,))
        if found is None:
            raise ToolchainError(f"the compiler '{preferred}' can't be used: {why}.")
        return found
    rejected: list[str] = []
    for name in _NAMES:
        if path := shutil.which(name):
            found, why = _probe((path,))
            if found is not None:
                return found
            rejected.append(f"{name}: {why}")
    if find_spec("ziglang") is not None:
        # Without optimisation Zig checks for undefined behaviour, with calls that no kernel may make.
        found, why = _probe((*_ZIG, "c++", "-fno-sanitize=undefined"))
        if found is not None:
            return found
        rejected.append(f"zig: {why}")
    tried = f" ({'; '.join(rejected)})" if rejected else ""
    raise ToolchainError(
        f"no C++ compiler found{tried}; install g++ 12 or newer, or clang 15 or newer, "
        "or run 'pip install ascendopt[zig]'."
    )


def _probe(argv: tuple[str, ...]) -> tuple[Compiler | None, str]:
    """Try the compiler; the answer is kept in the cache under its path, size and time of change."""
    real = Path(argv[0]).resolve()
    stat = real.stat()
    identity = digest([*argv, str(real), str(stat.st_size), str(stat.st_mtime_ns), "probe-5"])
    note = cache_root() / "compilers" / f"{identity}.json"
    try:
        known = json.loads(note.read_text())
    except (OSError, ValueError):
        known = _ask(argv)
        write_atomically(note, json.dumps(known))
    if known["why"]:
        return None, known["why"]
    linker = (*_ZIG, "ld.lld") if known["kind"] == "zig" else _find_linker()
    startup = (known["startup"], known["shutdown"]) if known["startup"] else None
    return Compiler(argv, known["kind"], known["version"], identity, linker, startup), ""


def _ask(argv: tuple[str, ...]) -> dict[str, str]:
    try:
        told = run_limited([*argv, "--version"], _PROBE_LIMITS, isolate=False)
    except OSError as error:
        return {"kind": "", "version": "", "startup": "", "why": f"does not start ({error.strerror})"}
    first = told.stdout.splitlines()[0] if told.stdout else ""
    kind = "zig" if "ziglang" in argv else "clang" if "clang" in told.stdout.lower() else "gcc"
    numbers = re.findall(r"\b(\d+)\.(\d+)(?:\.\d+)?", first)
    version = ".".join(numbers[-1 if kind == "gcc" else 0]) if numbers else "?"
    if kind in _MINIMUM and numbers and int(version.split(".")[0]) < _MINIMUM[kind]:
        why = f"version {version} is older than {_MINIMUM[kind]}"
        return {"kind": kind, "version": version, "startup": "", "why": why}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "probe.cpp"
        program.write_text("#include <type_traits>\nstatic_assert(sizeof(_Float16) == 2);\n")
        command = [*argv, "-std=c++17", "-c", str(program), "-o", str(program.with_suffix(".o"))]
        tried = run_limited(command, _PROBE_LIMITS, isolate=False)
    why = "" if tried.returncode == 0 else "it does not know _Float16"
    startup, shutdown = (_startup_object(argv, name) for name in ("crtbeginS.o", "crtendS.o"))
    if kind == "zig" or not shutdown:
        startup = ""
    return {"kind": kind, "version": version, "startup": startup, "shutdown": shutdown, "why": why}


def _startup_object(argv: tuple[str, ...], name: str) -> str:
    told = run_limited([*argv, f"-print-file-name={name}"], _PROBE_LIMITS, isolate=False).stdout.strip()
    return told if Path(told).is_absolute() and Path(told).is_file() else ""


def _find_linker() -> tuple[str, ...] | None:
    for name in ("ld", "ld.bfd", "ld.lld", "ld.gold"):
        if path := shutil.which(name):
            try:
                told = run_limited([path, "--version"], Limits(wall_s=30), isolate=False).stdout
            except OSError:
                continue
            if "GNU" in told or "LLD" in told:
                return (path,)
    return None
