"""Writing a journal, and replaying it.

``step`` is the only way to add an event: it names the decision and how to find its outcome. While recorded
events are left it checks that the same decision comes again and returns the recorded outcome; after that it
computes, writes and syncs. So resuming is running the episode again from its start: the search, which
depends on nothing but the seed and the outcomes, reaches the same state and goes on. Wall-clock times go to
a file beside it, because equal seeds must give equal journals.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from ascendopt.harness.journal.events import (
    FILE_NAME,
    SCHEMA,
    Event,
    JournalError,
    complete_lines,
    encode,
    parse,
)
from ascendopt.harness.journal.run_times import TIMES_NAME
from ascendopt.harness.journal.store import ArtifactStore


class Journal:
    """One episode's journal in a folder of its own. Use as a context manager.

    ``resume`` continues what is there; otherwise a folder that has a journal is refused. Raises JournalError,
    also when another process writes to the same journal.
    """

    def __init__(self, folder: Path, *, resume: bool = False) -> None:
        path = folder / FILE_NAME
        if resume and not path.is_file():
            raise JournalError(f"{folder} holds no {FILE_NAME}; there is nothing to resume.")
        if not resume and path.exists() and path.stat().st_size:
            raise JournalError(f"{folder} already holds a journal; use --resume to continue it or another --out.")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.artifacts = ArtifactStore(folder / "artifacts")
        self._stream = _locked(path)
        self.artifacts.remove_partial()
        self._replay = self._recorded(path) if resume else []
        self._count = 0
        self._times = (folder / TIMES_NAME).open("a", encoding="utf-8")

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._times.close()
        self._stream.close()

    @property
    def replaying(self) -> bool:
        """Recorded events are left: the next step will not compute."""
        return self._count < len(self._replay)

    @property
    def upcoming(self) -> Event | None:
        """The recorded event that the next step will recall; None when the next step computes."""
        return self._replay[self._count] if self.replaying else None

    def step(
        self, kind: str, decision: Mapping[str, Any], outcome: Callable[[], Mapping[str, Any]] | None = None
    ) -> Event:
        """Record one event and return it. ``outcome`` is called only if the event is new.

        Raises JournalError when the recorded event is about another decision.
        """
        if self.replaying:
            return self._recall(kind, decision)
        event: Event = {"event": kind, "seq": self._count, **decision}
        if outcome is not None:
            event |= outcome()
        line = encode(event)
        self._stream.write(line)
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._count += 1
        # Through JSON, as a replay would give it: a first run and a resumed one see the same values.
        return json.loads(line)

    def header(self, content: Mapping[str, Any]) -> Event:
        """The first event, with the schema version."""
        return self.step("header", {"schema": SCHEMA, **content})

    def seconds(self, seconds: float) -> None:
        """Note the cost of the last event in the file of times, which is not part of the journal."""
        self._times.write(json.dumps({"seq": self._count - 1, "seconds": round(seconds, 4)}) + "\n")
        self._times.flush()

    def elapsed(self, seconds: float) -> None:
        """Note in the file of times how long the runs of this journal have taken in all."""
        self._times.write(json.dumps({"elapsed": round(seconds, 4)}) + "\n")
        self._times.flush()

    def started(self, workers: int, executor: str) -> None:
        """Note in the file of times that a run, or the rest of one, starts with so many workers of an executor."""
        self._times.write(json.dumps({"workers": workers, "executor": executor}) + "\n")
        self._times.flush()

    def _recall(self, kind: str, decision: Mapping[str, Any]) -> Event:
        event = self._replay[self._count]
        expected: Event = json.loads(encode({"event": kind, "seq": self._count, **decision}))
        for key, value in expected.items():
            if event.get(key) != value:
                raise JournalError(
                    f"{self.folder / FILE_NAME}:{self._count + 1}: can't resume, {key!r} differs from the "
                    "recorded run (operator, options or version changed); start a new run with another --out."
                )
        self._count += 1
        return event

    def _recorded(self, path: Path) -> list[Event]:
        data = path.read_bytes()
        whole = complete_lines(data)
        if whole != len(data):
            self._stream.truncate(whole)
            os.fsync(self._stream.fileno())
        self._stream.seek(0, os.SEEK_END)
        return parse(data[:whole], path)


def _locked(path: Path) -> BinaryIO:
    stream = path.open("ab")
    try:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        stream.close()
        raise JournalError(f"{path} is being written by another process; wait for it or use another --out.") from error
    return stream
