"""`check --watch`: an edit gives new findings; what is wrong for a moment does not end it."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.checked_operator import edit, write_operator

PATIENCE = 60.0


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Watch:
    """The command in a process of its own; its output as it comes."""

    def __init__(self, operator: Path, *options: str) -> None:
        environment = {**os.environ, "ASCENDOPT_CACHE": str(operator.parent / "cache")}
        command = [sys.executable, "-m", "ascendopt.cli.main", "check", str(operator), "--watch", *options]
        pipe = subprocess.PIPE
        # A shell starts what runs in its background with SIGINT ignored, and children take that over.
        self.process = subprocess.Popen(
            command, stdout=pipe, stderr=pipe, text=True, env=environment, preexec_fn=_heed_interrupts
        )
        self._lines: dict[str, queue.Queue[str]] = {"out": queue.Queue(), "err": queue.Queue()}
        for name, stream in (("out", self.process.stdout), ("err", self.process.stderr)):
            threading.Thread(target=self._pump, args=(stream, self._lines[name]), daemon=True).start()

    @staticmethod
    def _pump(stream: Any, lines: queue.Queue[str]) -> None:
        for line in stream:
            lines.put(line)

    def line(self, stream: str) -> str:
        return self._lines[stream].get(timeout=PATIENCE).rstrip("\n")

    def document(self) -> Any:
        """The next JSON document on standard output."""
        text = self.line("out")
        while text.count("\n}") == 0:
            text += "\n" + self.line("out")
        return json.loads(text)


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    return write_operator(tmp_path / "halves")


@pytest.fixture
def watch(operator: Path) -> Iterator[Watch]:
    started = Watch(operator, "--select", "ALN008", "--format", "json")
    yield started
    started.process.kill()
    started.process.wait()


def test_an_edit_gives_new_findings_and_an_error_does_not_end_it(watch: Watch, operator: Path) -> None:
    kernel = operator / "op_kernel" / "halves.cpp"
    assert watch.document()["summary"]["error"] == 2
    edit(kernel, "done, 100);", "done, 128);")
    assert watch.line("err").startswith("checked again: ")
    assert watch.document()["summary"]["error"] == 1
    (operator / "ascendopt.toml").write_text("[check]\nselekt = []\n")
    assert watch.line("err").startswith("checked again: ")
    assert "unknown key 'selekt'" in watch.line("err")
    (operator / "ascendopt.toml").unlink()
    assert watch.document()["summary"]["error"] == 1
    watch.process.send_signal(signal.SIGINT)
    assert watch.process.wait(timeout=PATIENCE) == 130


def test_files_that_are_no_sources_do_not_count(watch: Watch, operator: Path) -> None:
    watch.document()
    (operator / "findings.json").write_text("{}")
    edit(operator / "op_kernel" / "halves.cpp", "done, 100);", "done, 128);")
    assert watch.line("err").endswith("halves.cpp")
