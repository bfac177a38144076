"""msprof's op_summary CSV: where the time of a whole model goes.

Of its columns `OP Type` and `Task Duration(us)` are read: the duration of a task from its scheduling to its completion
(CANN's guide to profiling). A row is one execution of one operator.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TYPE = "OP Type"
DURATION = "Task Duration(us)"
_NOT_AN_OPERATOR = frozenset({"", "N/A"})


class OpSummaryError(ValueError):
    """A file that is no op_summary. The message is one sentence with file and line."""


@dataclass(frozen=True)
class OpTime:
    """All executions of one type of operator: how many, and their microseconds together."""

    calls: int
    total_us: float


@dataclass(frozen=True)
class EndToEnd:
    """``total_us`` counts every row, communication and what has no type included; ``types`` by ``type_key``."""

    total_us: float
    types: Mapping[str, OpTime]

    def share(self, names: tuple[str, ...]) -> tuple[float, int]:
        """The share of the time, from 0 to 1, of the first of ``names`` that was executed, and how often it was."""
        for name in names:
            found = self.types.get(type_key(name))
            if found is not None and self.total_us > 0:
                return found.total_us / self.total_us, found.calls
        return 0.0, 0


def type_key(name: str) -> str:
    """`ScaledAdd`, `scaled_add` and `SCALED_ADD` are one operator: types, folders and entries are spelled apart."""
    return name.replace("_", "").lower()


def read_op_summary(path: Path) -> EndToEnd:
    """Read the file. Raises OpSummaryError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise OpSummaryError(f"{path} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise OpSummaryError(f"{path} is no text file; give msprof's op_summary_*.csv.") from error
    rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
    missing = [name for name in (TYPE, DURATION) if name not in (rows.fieldnames or ())]
    if missing:
        raise OpSummaryError(f"{path}:1: there is no column '{missing[0]}'; give msprof's op_summary_*.csv.")
    total = 0.0
    types: dict[str, OpTime] = {}
    for row in rows:
        duration = _duration(path, rows.line_num, row.get(DURATION))
        total += duration
        name = (row.get(TYPE) or "").strip()
        if name not in _NOT_AN_OPERATOR:
            known = types.get(type_key(name), OpTime(0, 0.0))
            types[type_key(name)] = OpTime(known.calls + 1, known.total_us + duration)
    if total <= 0:
        raise OpSummaryError(f"{path} has no row that took any time.")
    return EndToEnd(total, types)


def _duration(path: Path, line: int, text: str | None) -> float:
    text = (text or "").strip()
    if text in _NOT_AN_OPERATOR:
        return 0.0
    try:
        duration = float(text)
    except ValueError:
        duration = -1.0
    if not 0 <= duration < float("inf"):
        raise OpSummaryError(f"{path}:{line}: '{text}' is no duration in microseconds ({DURATION}).")
    return duration
