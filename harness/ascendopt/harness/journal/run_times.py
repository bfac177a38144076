"""What is beside a journal: how the runs that wrote it went. It differs between runs whose journals are equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

TIMES_NAME = "seconds.jsonl"


def read_workers(folder: Path) -> int:
    """How many workers the last run in ``folder`` had; 1 where that is not known."""
    return next((line["workers"] for line in reversed(_lines(folder)) if "workers" in line), 1)


def read_executor(folder: Path) -> str:
    """Where the last run in ``folder`` had them: ``local`` or ``ray``; empty where that is not known."""
    return next((line["executor"] for line in reversed(_lines(folder)) if "executor" in line), "")


def read_elapsed(folder: Path) -> float:
    """Seconds that the runs in ``folder`` have taken in all, pauses left out; 0 where that is not known."""
    return next((line["elapsed"] for line in reversed(_lines(folder)) if "elapsed" in line), 0.0)


def _lines(folder: Path) -> list[dict[str, Any]]:
    """The lines that were written whole; none when there is no such file."""
    try:
        text = (folder / TIMES_NAME).read_text(encoding="utf-8")
    except OSError:
        return []
    lines: list[dict[str, Any]] = []
    for line in text.splitlines():
        try:
            value: object = json.loads(line)
        except ValueError:
            continue  # torn by a kill
        if isinstance(value, dict):
            lines.append(cast("dict[str, Any]", value))
    return lines
