"""Progress on stderr: a bar on a terminal, plain lines in a pipe. stdout stays for results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress


class Progress:
    """Counts steps of a known total. Use as a context manager."""

    def __init__(self, total: int, title: str) -> None:
        self._total = total
        self._done = 0
        console = Console(stderr=True)
        self._bar: RichProgress | None = None
        if console.is_terminal:
            self._bar = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[note]}", markup=False),
                console=console,
                transient=True,
            )
            self._task = self._bar.add_task(title, total=total, note="")

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, note: str, step: int = 1) -> None:
        """``step`` more are done; ``note`` says what the last one gave."""
        self._done += step
        if self._bar is not None:
            self._bar.update(self._task, advance=step, note=note[:60])
        else:
            self.say(f"[{self._done}/{self._total}] {note}")

    def reach(self, done: int, note: str) -> None:
        """``done`` steps are done in all."""
        self.advance(note, done - self._done)

    def say(self, text: str) -> None:
        """A line that is no step."""
        if self._bar is None:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
        else:
            self._bar.update(self._task, note=text[:60])


@contextmanager
def preparation() -> Generator[Callable[[int, int, str], None], None, None]:
    """Progress of a device's one-time build; shows nothing when there is nothing to build."""
    shown: list[Progress] = []

    def report(done: int, total: int, what: str) -> None:
        if not shown:
            shown.append(Progress(total, "build the model device (once)").__enter__())
        shown[0].reach(done, what)

    try:
        yield report
    finally:
        if shown:
            shown[0].__exit__(None, None, None)
