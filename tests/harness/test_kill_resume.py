"""A tiling search of a sample, killed with SIGKILL at random moments: resumed it ends as if nothing had happened.

`KILLS` says how many moments; `make kills` tries fifty.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from cli.model_shell import write_operator

from ascendopt.harness.devices.model.cache import cache_root

pytestmark = [pytest.mark.device, pytest.mark.timeout(900)]

KILLS = int(os.environ.get("KILLS", "6"))
SEED = 1
BUDGET = 10
# What a user's own cache has after the first run; compiled operators are not among it, so that kills hit compilers too.
KEPT_OF_CACHE = ("compilers", "launcher", "pch", "runtime")


@dataclass(frozen=True)
class Whole:
    """The uninterrupted run: its folder, how long it took, the operator."""

    out: Path
    seconds: float
    operator: Path


class Run:
    """`ascendopt tune` in a process of its own. All that it starts inherits its TMPDIR and is known by it."""

    def __init__(self, place: Path, operator: Path) -> None:
        self._operator = operator
        self._place = place
        self.out = place / "out"
        self._temporary = place / "tmp"
        self._temporary.mkdir(parents=True)
        for name in KEPT_OF_CACHE:
            shutil.copytree(cache_root() / name, place / "cache" / name, copy_function=link)

    def start(self, workers: int, *, resume: bool = False) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "ascendopt.cli.main", "tune", str(self._operator)]
        command += ["--budget", str(BUDGET), "--seed", str(SEED), "--out", str(self.out), "--workers", str(workers)]
        environment = {**os.environ, "TMPDIR": str(self._temporary), "ASCENDOPT_CACHE": str(self._place / "cache")}
        log = (self._place / "log").open("ab")
        with log:
            return subprocess.Popen(
                [*command, *(["--resume"] if resume else [])],
                env=environment,
                cwd=self._place,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def finish(self, workers: int, *, resume: bool = False) -> None:
        assert self.start(workers, resume=resume).wait(300) == 0, (self._place / "log").read_text()

    def processes(self) -> list[int]:
        """All that belong to the run."""
        marker = f"TMPDIR={self._temporary}".encode()
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if marker in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    def locks(self) -> set[Path]:
        """The locks of the folders that belong to its processes at this moment, wherever they are."""
        found: set[Path] = set()
        for process in self.processes():
            for descriptor in Path(f"/proc/{process}/fd").glob("*"):
                try:
                    target = descriptor.readlink()
                except OSError:
                    continue
                if target.suffix == ".lock" and target.parent != self._place / "cache":
                    found.add(target)
        return found

    def left_over(self) -> list[Path]:
        """Temporary files of the run, and unfinished ones among its results and in its cache."""
        partial = [*self.out.rglob(".*"), *(self._place / "cache").glob("*/.build-*")]
        return [*self._temporary.iterdir(), *partial]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    place = tmp_path_factory.mktemp("whole")
    operator = write_operator(place / "scaled_add", [64])
    # Once before, so that the device's runtime and its precompiled headers are there.
    subprocess.run([sys.executable, "-m", "ascendopt.cli.main", "run", str(operator)], check=True, timeout=800)
    run = Run(place / "run", operator)
    started = time.monotonic()
    run.finish(1)
    yield Whole(run.out, time.monotonic() - started, operator)


def test_the_patch_applies_and_reverts_cleanly(whole: Whole, tmp_path: Path) -> None:
    copy = tmp_path / "scaled_add"
    shutil.copytree(whole.operator, copy)
    patch = whole.out / "best.patch"
    before = texts(copy)

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=copy, check=True, timeout=60)

    git("apply", "--check", str(patch))
    git("apply", str(patch))
    changed = {path for path, text in texts(copy).items() if text != before[path]}
    assert changed and changed <= {path for path in before if path.parts[0] in ("op_host", "op_kernel")}
    git("apply", "-R", str(patch))
    assert texts(copy) == before


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_killed_run_resumes_to_the_same_end(whole: Whole, tmp_path: Path, kill: int) -> None:
    rng = np.random.Generator(np.random.PCG64([SEED, kill]))
    first, second = ((1, 2), (2, 1), (2, 2), (1, 1))[kill % 4]
    before = texts(whole.operator)
    run = Run(tmp_path, whole.operator)
    process = run.start(first)
    time.sleep(whole.seconds * float(rng.uniform(0.05, 1.0)))
    # Stopped for a moment, to see what it holds.
    process.send_signal(signal.SIGSTOP)
    locks = run.locks()
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    until = time.monotonic() + 60
    while (strays := run.processes()) and time.monotonic() < until:
        time.sleep(0.05)
    assert strays == []
    run.finish(second, resume=(run.out / "journal.jsonl").is_file())
    assert results(run.out) == results(whole.out)
    assert run.processes() == []
    assert run.left_over() == []
    assert [path for path in locks if path.exists() or path.with_suffix("").exists()] == []
    assert texts(whole.operator) == before


def link(source: str, target: str) -> None:
    """A copy that costs nothing where the file system can."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def results(out: Path) -> dict[str, bytes]:
    """Journal, artifacts and patch; how long it took and what the report says of it may differ."""
    named = [out / "journal.jsonl", out / "best.patch", *sorted((out / "artifacts").iterdir())]
    return {str(path.relative_to(out)): path.read_bytes() for path in named}


def texts(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
