"""Builds the native runtime (``ascend-device``) once into the user cache.

Two processes may build at the same time: a lock lets the second wait for the first, and a file appears in
the cache only when it is complete. Objects are kept one by one, with the headers that they were made from, so
that an edit of the runtime compiles only what it touches.
"""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ascendopt.harness.devices.model.cache import locked, replacing
from ascendopt.harness.devices.model.compiler import ToolchainError
from ascendopt.harness.devices.model.object_cache import ObjectCache, read_dependencies
from ascendopt.harness.devices.model.toolchain import NATIVE, Toolchain, first_error
from ascendopt.harness.sandbox import Completed, Limits, run_limited

Progress = Callable[[int, int, str], None]
"""Called with (done, total, what) while the runtime is built."""

# Only what runs once per element or per trace record is worth the compiler's time on the first start.
_OPTIMISE = {"rt": "-O2", "sim": "-O2", "host": "-O0", "run": "-O0", "program": "-O0"}
_PER_ELEMENT = "-O3"
_FLAGS = ("-std=c++17", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-pthread")
_LINK_FLAGS = ("-rdynamic", "-pthread", "-ldl")
_LIMITS = Limits(wall_s=1800, cpu_s=900, memory_mb=1 << 16)


def native_digest(toolchain: Toolchain) -> str:
    """A key over every source and header that the runtime consists of, and the compiler."""
    parts: list[str | bytes] = []
    for path in sorted(NATIVE.rglob("*")):
        relative = path.relative_to(NATIVE)
        if (
            path.suffix in (".cpp", ".h")
            and relative.parts[:2] != ("include", "kernel")
            and relative.parts[0] != "launcher"
        ):
            parts += [relative.as_posix(), path.read_bytes()]
    return toolchain.key(*_FLAGS, *_OPTIMISE.values(), _PER_ELEMENT, *_LINK_FLAGS, *parts)


def build_runtime(toolchain: Toolchain, progress: Progress | None = None) -> Path:
    """The ``ascend-device`` program, built if anything changed. Raises ToolchainError."""
    sources = [path for folder in _OPTIMISE for path in sorted((NATIVE / folder).glob("*.cpp"))]
    if not sources:
        raise ToolchainError(f"the runtime's sources are missing from {NATIVE}; reinstall ascendopt.")
    program = toolchain.root / "runtime" / native_digest(toolchain) / "ascend-device"
    if program.is_file():
        return program
    with locked(toolchain.root / "runtime" / "lock"):
        if not program.is_file():
            _build(toolchain, sources, program, progress)
    return program


def _build(toolchain: Toolchain, sources: Sequence[Path], program: Path, progress: Progress | None) -> None:
    total = len(sources) + 1
    objects: list[Path] = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = {pool.submit(_object, toolchain, source): source for source in sources}
        try:
            for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                objects.append(job.result())
                if progress:
                    progress(done, total, jobs[job].name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    with replacing(program) as linked:
        inputs = [str(path) for path in sorted(objects)]
        command = [*toolchain.compiler.argv, *inputs, *_LINK_FLAGS, "-o", str(linked)]
        done = run_limited(command, _LIMITS, isolate=False, env={"TMPDIR": str(linked.parent)})
        _check(done, "the runtime does not link")
        linked.chmod(0o755)
    if progress:
        progress(total, total, program.name)


def _object(toolchain: Toolchain, source: Path) -> Path:
    """Compile one source, or find its object: same text, flags and headers give the same object."""
    relative = source.relative_to(NATIVE)
    level = _PER_ELEMENT if source.name.startswith("ops_") else _OPTIMISE[relative.parts[0]]
    flags = (*_FLAGS, level, f"-I{NATIVE}", f"-I{NATIVE / 'include' / 'host'}")
    cache = ObjectCache(toolchain.root / "objects", NATIVE)
    key = toolchain.key(*flags, relative.as_posix(), source.read_bytes())
    if (found := cache.find(key)) is not None:
        return found
    with cache.scratch() as scratch:
        depfile, output = scratch / "d", scratch / "runtime.o"
        command = [*toolchain.compiler.argv, *flags, "-MMD", "-MF", str(depfile)]
        command += ["-c", str(source), "-o", str(output)]
        done = run_limited(command, _LIMITS, isolate=False, env={"TMPDIR": str(scratch)})
        _check(done, f"{source.name} of the runtime does not compile")
        return cache.store(key, output, read_dependencies(depfile))


def _check(done: Completed, what: str) -> None:
    if done.returncode == 0:
        return
    error = first_error(done.stderr, ours="\0")
    if error is None:
        tail = (done.stderr.strip().splitlines() or [""])[-1]
        raise ToolchainError(f"{what}: the compiler {done.ending()}. {tail}".strip())
    place = f" ({error.file}:{error.line})" if error.file else ""
    raise ToolchainError(f"{what}: {error.message}{place}.")
