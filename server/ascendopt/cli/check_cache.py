"""Findings of operators that did not change since they were checked last.

An entry holds the findings of one operator and what they rest on: the text of every file that was read, the names of
all sources of the repository (a new file can change what an include means), the chip, the rules, and this program.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ascendopt import analysis
from ascendopt.analysis.findings import Finding, Fix, Related, Severity, Span, TextEdit
from ascendopt.analysis.operators.files import SUFFIXES
from ascendopt.harness.devices.model.cache import digest

_SKIPPED = frozenset({"node_modules", "build", "build_out", "__pycache__"})
_DEEPEST = 6


@dataclass(frozen=True)
class Known:
    """What is remembered of an operator: the chip that it was checked for, its files and its findings."""

    chip: str
    files: tuple[Path, ...]
    findings: list[Finding]


class CheckCache:
    """A folder of entries. What cannot be read or written counts as not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[Path, str] = {}
        self._texts: dict[Path, bytes | None] = {}
        self._program = _program()

    def text(self, path: Path) -> bytes | None:
        """The bytes of a file, read once a run; None when it is gone."""
        if path not in self._texts:
            try:
                self._texts[path] = path.read_bytes()
            except OSError:
                self._texts[path] = None
        return self._texts[path]

    def get(self, root: Path, chip: str, codes: Iterable[str]) -> Known | None:
        """What is known of the operator at ``root``, if nothing changed. ``chip`` is the one that was asked for, empty
        for the operator's own."""
        try:
            entry = json.loads(self._file(root, chip, codes).read_text("utf-8"))
            if entry["rests_on"] != self._rests_on(root, [Path(name) for name in entry["files"]]):
                return None
            findings = [_finding(one) for one in entry["findings"]]
            return Known(entry["chip"], tuple(map(Path, entry["files"])), findings)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, root: Path, chip: str, codes: Iterable[str], known: Known) -> None:
        """Remember the findings of the operator at ``root``; ``chip`` as in ``get``."""
        paths = list(dict.fromkeys(known.files))
        entry = {
            "rests_on": self._rests_on(root, paths),
            "chip": known.chip,
            "files": list(map(str, paths)),
            "findings": [_plain(finding) for finding in known.findings],
        }
        target = self._file(root, chip, codes)
        partial = target.with_suffix(f".{os.getpid()}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(entry), "utf-8")
            partial.replace(target)
        except OSError:
            return

    def _file(self, root: Path, chip: str, codes: Iterable[str]) -> Path:
        return self._folder / f"{digest([str(root), chip, *sorted(codes)])}.json"

    def _rests_on(self, root: Path, files: Iterable[Path]) -> str:
        texts = (self.text(path) for path in files)
        return digest([self._program, self._listing(root), *(text if text is not None else b"gone" for text in texts)])

    def _listing(self, root: Path) -> str:
        """The names of every source below the repository, or below the operator when it is in none."""
        ancestors = list(root.parents)[:_DEEPEST]
        top = next((one for one in ancestors if (one / ".git").exists()), root if root.is_dir() else root.parent)
        common = (one / "common" for one in ancestors if not one.is_relative_to(top))
        parts: list[str] = []
        for folder in (top, *common):
            if folder not in self._names:
                self._names[folder] = digest(_sources(folder))
            parts.append(self._names[folder])
        return digest(parts)


def _sources(folder: Path) -> Iterator[str]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        yield from (f"{here}/{name}" for name in sorted(names) if name.endswith(SUFFIXES))


def _program() -> str:
    """Digest of the analysis itself, rules and data: an entry of another version is of no use."""
    parts: list[str | bytes] = []
    for folder in analysis.__path__:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in (".py", ".json"):
                parts += [str(path), path.read_bytes()]
    return digest(parts)


# ------------------------------------------------------------------ findings as JSON


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "path": str(finding.path),
        "span": [finding.span.start, finding.span.end],
        "message": finding.message,
        "facts": dict(finding.facts),
        "related": [[str(one.path), one.span.start, one.span.end, one.message] for one in finding.related],
        "fix": _plain_fix(finding.fix) if finding.fix is not None else None,
    }


def _plain_fix(fix: Fix) -> dict[str, Any]:
    edits = [[str(edit.path), edit.span.start, edit.span.end, edit.new_text, edit.within] for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


def _finding(plain: dict[str, Any]) -> Finding:
    fix = plain["fix"]
    return Finding(
        rule=plain["rule"],
        severity=Severity(plain["severity"]),
        path=Path(plain["path"]),
        span=Span(*plain["span"]),
        message=plain["message"],
        facts=plain["facts"],
        related=tuple(Related(Path(path), Span(start, end), text) for path, start, end, text in plain["related"]),
        fix=_fix(fix) if fix is not None else None,
    )


def _fix(plain: dict[str, Any]) -> Fix:
    edits = (TextEdit(Path(path), Span(start, end), text, within) for path, start, end, text, within in plain["edits"])
    return Fix(plain["title"], tuple(edits), plain["safe"])
