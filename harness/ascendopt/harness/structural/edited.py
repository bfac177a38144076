"""The texts that edits make of an operator's sources."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ascendopt.analysis.findings import TextEdit
from ascendopt.harness.structural.base import OperatorView


def edited_texts(view: OperatorView, edits: Iterable[TextEdit]) -> dict[str, str]:
    """New texts by relative path. Raises ValueError for edits that overlap or leave the operator."""
    by_path: dict[Path, list[TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    relative = {source.path: path for path, source in view.sources.items()}
    result: dict[str, str] = {}
    for path, own in by_path.items():
        if path not in relative:
            raise ValueError(f"{path} is not a source of the operator in {view.root}")
        result[relative[path]] = _applied(view.sources[relative[path]].data, own)
    return result


def _applied(data: bytes, edits: list[TextEdit]) -> str:
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end)):
        if edit.span.start < at:
            raise ValueError(f"edits of {edit.path} overlap at byte {edit.span.start}")
        parts += [data[at : edit.span.start], edit.new_text.encode("utf-8", "surrogateescape")]
        at = edit.span.end
    parts.append(data[at:])
    return b"".join(parts).decode("utf-8", "surrogateescape")
