"""Several changes made at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.structural.base import Change, OperatorView
from ascendopt.harness.structural.view import ORIGIN, changed_texts, view_of


def view_on(sources: OperatorSources, soc: str, files: Mapping[str, str]) -> OperatorView:
    """The view of ``sources`` with ``files`` (relative paths) in place of theirs."""
    texts = {**sources.texts, **files}
    return view_of(OperatorSources(sources.root, sources.target, texts), soc)


def combined(view: OperatorView, changes: Sequence[Change], note: str) -> Candidate:
    """One candidate that makes all ``changes``; they must not overlap. Raises ValueError."""
    texts = changed_texts(view, [edit for change in changes for edit in change.edits])
    return Candidate(texts, f"{ORIGIN}:{changes[0].operator}", note, dict(changes[0].parameters))


def disjoint(changes: Sequence[Change]) -> list[Change]:
    """As many of the changes as can be made at once, first come first served, one parameter choice a place."""
    taken: list[Change] = []
    spans: dict[str, list[tuple[int, int]]] = {}
    for change in changes:
        edits = [(str(edit.path), edit.span.start, edit.span.end) for edit in change.edits]
        if any(_meet(start, end, *other) for path, start, end in edits for other in spans.get(path, [])):
            continue
        taken.append(change)
        for path, start, end in edits:
            spans.setdefault(path, []).append((start, end))
    return taken


def _meet(start: int, end: int, other_start: int, other_end: int) -> bool:
    """True when two ranges share a byte, or insert at the same place."""
    return (start, end) == (other_start, other_end) or (start < other_end and other_start < end)
