"""Runs the compiler and the linker for operators: sandboxed, cached, with the first error told apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.cache import cache_root, digest, locked, replacing, write_atomically
from ascendopt.harness.devices.model.compiler import Compiler, find_compiler
from ascendopt.harness.devices.model.confined_tools import ConfinedTools
from ascendopt.harness.sandbox import Completed, Limits, run_limited

NATIVE = Path(__file__).parent / "native"
# Untrusted text: template bombs and endless includes end here.
COMPILE_LIMITS = Limits(wall_s=120, cpu_s=60, memory_mb=4096, file_mb=256)
LOG_CHARACTERS = 8000

_ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?[Ee]rror: (?P<message>.+)$", re.M)
# The answer to a file that the sandbox keeps from the compiler (gcc, clang).
_REFUSED = re.compile(r"(?:cannot open file )?'?(?P<name>[^':]+)'?: Permission denied")
_UNDEFINED = re.compile(
    r"^(?:\S+: )?(?P<file>[^\s:][^:\n]*):(?P<line>\d+): undefined reference to `(?P<symbol>[^'\n]+)'", re.M
)
_BARE_ERROR = re.compile(r"^(?:\S+: )?(?:fatal )?[Ee]rror: (?P<message>.+)$", re.M)
# "In file included from a.cpp:3," and "a.cpp:12:5:   required from here": places in the user's files that led
# to an error inside our headers.
_PLACE = re.compile(r"^(?:In file included from |\s+from )?(?P<file>[^\s:][^:\n]*):(?P<line>\d+)[:,]", re.M)


@cache
def headers_key(*folders: Path) -> str:
    """What the shipped headers in ``folders`` and those of the ABI say: a process reads them once."""
    parts: list[str | bytes] = []
    for header in sorted(path for folder in (*folders, NATIVE / "abi") for path in folder.rglob("*.h*")):
        parts += [header.relative_to(NATIVE).as_posix(), header.read_bytes()]
    return digest(parts)


@dataclass(frozen=True)
class Diagnostic:
    """The first error of a compiler's output."""

    file: str | None
    line: int | None
    message: str


def first_error(log: str, ours: str = str(NATIVE)) -> Diagnostic | None:
    """The first error in the output of g++ or clang++, or None.

    An error inside our own headers is reported at the first place outside of them that the compiler names:
    that is the call which did not fit.
    """
    found = _ERROR.search(log)
    if found is None:
        bare = _BARE_ERROR.search(log)
        return Diagnostic(None, None, bare["message"].strip()) if bare else None
    file, line = found["file"], int(found["line"])
    if file.startswith(ours):
        places = [
            place
            for place in _PLACE.finditer(log)
            if not place["file"].startswith(ours) and not place["file"].startswith("<")
        ]
        before = [place for place in places if place.start() < found.start()]
        chosen = (before[-1:] or places[:1] or [None])[0]
        if chosen is not None:
            file, line = chosen["file"], int(chosen["line"])
    return Diagnostic(file, line, found["message"].strip())


def compile_failure(what: str, done: Completed) -> DeviceFailure:
    """The failure that a compiler run stands for: one sentence, the place, the truncated log."""
    log = (done.stderr or done.stdout)[:LOG_CHARACTERS]
    error = first_error(done.stderr)
    refused = _REFUSED.search(error.message) if error else None
    if error is not None and refused is not None:
        reason = f"{what} includes {refused['name']}, which is no file of the operator and its surroundings."
        return DeviceFailure("compile", reason, error.file, error.line, log)
    if error is None:
        return DeviceFailure("compile", f"{what} does not compile: the compiler {done.ending()}.", log=log)
    return DeviceFailure("compile", f"{what} does not compile: {error.message}.", error.file, error.line, log)


class Toolchain:
    """One compiler and the cache that its results go to."""

    def __init__(
        self, compiler: Compiler | None = None, root: Path | None = None, limits: Limits = COMPILE_LIMITS
    ) -> None:
        self.limits = limits
        self.compiler = compiler or find_compiler()
        self.root = root or cache_root()
        self._confined = ConfinedTools(self.compiler, self.root)

    @property
    def sandbox(self) -> str:
        """What keeps compilers and linkers from harm here, for reports."""
        return "rlimits+seccomp+landlock" if self._confined.works else "rlimits"

    def key(self, *parts: str | bytes) -> str:
        """A cache key over ``parts`` and the compiler."""
        return digest([self.compiler.identity, *parts])

    def compile_object(
        self,
        source: Path,
        target: Path,
        flags: Sequence[str],
        *,
        what: str,
        reads: Sequence[Path] = (),
        cwd: Path | None = None,
    ) -> None:
        """Compile ``source`` to ``target``, with no other text than what lies below ``reads``, beside ``source`` and
        the system's headers. Raises DeviceFailure(stage="compile") about ``what``.
        """
        command = [*self.compiler.argv, *flags, "-c", str(source), "-o", str(target)]
        done = self._run(command, (*reads, source.parent), target, cwd)
        if done.returncode != 0:
            raise compile_failure(what, done)

    def link_shared(
        self,
        objects: Sequence[Path],
        target: Path,
        *,
        what: str,
        exports: Path | None = None,
        options: Sequence[str] = (),
    ) -> None:
        """Link ``objects`` to the shared object ``target``; symbols may stay open.

        ``exports`` is a linker version script: all that it does not name stays inside the object.
        ``options`` are further ones of the linker.
        Raises DeviceFailure(stage="compile") about ``what``.
        """
        files = [str(path) for path in objects]
        compiler = self.compiler
        if compiler.linker is None or (exports is None and compiler.startup is None):
            script = [f"-Wl,--version-script={exports}"] if exports else []
            script += [f"-Wl,{option}" for option in options]
            command = [*compiler.argv, "-shared", *script, *files, "-o", str(target)]
        else:
            script = [f"--version-script={exports}"] if exports else []
            script += options
            if exports is not None:
                # A kernel that needs it is refused later, by the name of what it calls.
                script.append("--defsym=__dso_handle=0")
            elif compiler.startup is not None:
                # Host code may have static objects: their destructors need __dso_handle.
                files = [compiler.startup[0], *files, compiler.startup[1]]
            command = [*compiler.linker, "-shared", "--eh-frame-hdr", "--hash-style=gnu"]
            command += [*script, *files, "-o", str(target)]
        done = self._run(command, [path.parent for path in objects], target)
        if done.returncode != 0:
            raise DeviceFailure(
                "compile", f"{what} does not link: {_last_line(done)}.", log=done.stderr[:LOG_CHARACTERS]
            )

    def reference_to(self, symbol: str, object_file: Path, scratch: Path) -> Diagnostic | None:
        """Where ``object_file`` refers to the undefined ``symbol`` (mangled), as far as GNU ld can tell from its line
        table. Nothing stays in the folder ``scratch``."""
        if self.compiler.linker is None:
            return None
        target = scratch / "strict.so"
        options = ["-shared", "--no-undefined", "--no-demangle"]
        done = self._run(
            [*self.compiler.linker, *options, str(object_file), "-o", str(target)], [object_file.parent], target
        )
        for found in _UNDEFINED.finditer(done.stderr):
            if found["symbol"] == symbol:
                return Diagnostic(found["file"], int(found["line"]), found[0])
        return None

    def _run(self, command: Sequence[str], reads: Sequence[Path], target: Path, cwd: Path | None = None) -> Completed:
        prefix = self._confined.prefix(reads, target)
        env = {"LC_ALL": "C", "TMPDIR": str(target.parent)}
        return run_limited([*prefix, *command], self.limits, cwd=cwd, isolate=False, env=env)

    def precompiled(self, header: Path, flags: Sequence[str], content_key: str) -> Path:
        """A header to ``-include`` in place of ``header``, precompiled where the compiler can.

        ``content_key`` stands for the text of everything that ``header`` includes. Flags must be the same
        in every use, else the compiler ignores the precompiled form. Raises DeviceFailure when the header
        itself does not compile.
        """
        if self.compiler.kind == "zig":
            return header
        key = self.key("pch-1", *flags, str(header), content_key)
        stub = self.root / "pch" / key / header.name
        compiled = stub.with_name(stub.name + (".gch" if self.compiler.kind == "gcc" else ".pch"))
        if compiled.is_file():
            return stub
        with locked(stub.parent / "lock"):
            if not compiled.is_file():
                write_atomically(stub, f'#include "{header}"\n')
                with replacing(compiled) as made:
                    command = [*self.compiler.argv, *flags, "-x", "c++-header", str(stub), "-o", str(made)]
                    done = run_limited(command, COMPILE_LIMITS, isolate=False, env={"TMPDIR": str(made.parent)})
                    if done.returncode != 0:
                        raise compile_failure("the device's own header", done)
        return stub


def _last_line(done: Completed) -> str:
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else f"the linker {done.ending()}"
