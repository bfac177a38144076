"""What the analysis says about source text: findings, their places, and mechanical fixes.

Everything here counts in bytes of the file on disk. Columns in UTF-16 exist only at the LSP edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

FactValue = str | int | float | bool | None


class Severity(str, Enum):
    """How bad a finding is. ``ERROR`` means: wrong on the chip."""

    ERROR = "error"
    WARNING = "warning"
    PERF = "perf"
    INFO = "info"


@dataclass(frozen=True, order=True)
class Span:
    """A half-open byte range ``[start, end)`` of one file."""

    start: int
    end: int


@dataclass(frozen=True)
class TextEdit:
    """Replace the bytes of ``span`` in ``path`` by ``new_text``.

    ``within`` is a pattern for the statement around ``span``, where facts have no place for what is to be replaced:
    that is then the first group of its one match, and ``new_text`` may take groups (``\\1``). See ``fixing``.
    """

    path: Path
    span: Span
    new_text: str
    within: str = ""


@dataclass(frozen=True)
class Fix:
    """A mechanical repair. ``safe`` means that the meaning of a correct program cannot change. ``of_run`` means that
    the text is right for what one run does there, as for its element types: another run through the place must ask for
    the same text."""

    title: str
    edits: tuple[TextEdit, ...]
    safe: bool = True
    of_run: bool = False


@dataclass(frozen=True)
class Related:
    """A second place that explains a finding, such as the host line that set a tile length."""

    path: Path
    span: Span
    message: str


@dataclass(frozen=True)
class Finding:
    """One diagnosis.

    ``rule`` is the product code (``ASC-MEM001``); ``facts`` holds the numbers of the message under
    stable names (bytes, limits, buffer names) for hover, JSON and retrieval; ``case`` names the active
    case that the finding rests on, or is None when it holds for all cases.
    """

    rule: str
    severity: Severity
    path: Path
    span: Span
    message: str
    facts: Mapping[str, FactValue] = field(default_factory=dict[str, FactValue])
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    case: str | None = None
