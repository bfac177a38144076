"""Reading a journal: one JSON object a line, in order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

FILE_NAME = "journal.jsonl"
SCHEMA = 1

Event = dict[str, Any]


class JournalError(ValueError):
    """A journal that can't be used. The message is one sentence for the user."""


def encode(event: Mapping[str, Any]) -> bytes:
    """One line: equal events give equal bytes."""
    text = json.dumps(event, ensure_ascii=True, separators=(",", ":"), allow_nan=True)
    return text.encode() + b"\n"


def complete_lines(data: bytes) -> int:
    """Length of the part of ``data`` that was written whole: a kill can tear the last line only."""
    end = data.rfind(b"\n") + 1
    if end and not _parses(data[data.rfind(b"\n", 0, end - 1) + 1 : end]):
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def _parses(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def parse(data: bytes, where: Path) -> list[Event]:
    """The events of whole lines. Raises JournalError for a line that is no event."""
    events: list[Event] = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            value: object = json.loads(line)
        except ValueError as error:
            raise JournalError(f"{where}:{number}: this line of the journal is damaged.") from error
        if not isinstance(value, dict) or "event" not in value:
            raise JournalError(f"{where}:{number}: this line of the journal is no event.")
        events.append(cast("Event", value))
    return events


def read_events(folder: Path) -> list[Event]:
    """The events of the journal in ``folder``, without a torn last line. Raises JournalError."""
    path = folder / FILE_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise JournalError(f"{folder} holds no {FILE_NAME}; give the output folder of a run.") from error
    except OSError as error:
        raise JournalError(f"{path} can't be read: {error.strerror}.") from error
    events = parse(data[: complete_lines(data)], path)
    if not events or events[0]["event"] != "header":
        raise JournalError(f"{path} does not start with a header; it is no journal of ascendopt.")
    if events[0].get("schema") != SCHEMA:
        raise JournalError(
            f"{path} has schema {events[0].get('schema')}; this version of ascendopt reads schema {SCHEMA}."
        )
    return events
