"""Views of an operator's sources for the structural operators, and candidates from what they offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ascendopt.analysis.facts import FactsCache, analyse_operator, macros_of
from ascendopt.analysis.findings import TextEdit
from ascendopt.analysis.operators import discover
from ascendopt.analysis.source.source_file import SourceFile
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.edited import edited_texts

ORIGIN = "structural"


def view_of(sources: OperatorSources, soc: str, cache: FactsCache | None = None) -> OperatorView:
    """Parse ``sources`` as they are in memory and analyse them for one chip.

    Surroundings (shared headers) are read from disk. Raises NotAnOperator, UnknownChip, OSError.
    """
    macros = macros_of(soc)
    parsed = {
        path: SourceFile.of(sources.root / path, text.encode("utf-8", "surrogateescape"), macros)
        for path, text in sorted(sources.texts.items())
    }
    overlays = {source.path: source for source in parsed.values()}
    texts = {source.path: source.data.decode("utf-8", "replace") for source in parsed.values()}
    facts = analyse_operator(discover(sources.target, texts), soc, cache, overlays)
    return OperatorView(sources.root, soc, parsed, facts)


def candidate_of(view: OperatorView, change: Change) -> Candidate:
    """The whole new texts of the files that ``change`` edits."""
    return Candidate(
        changed_texts(view, change.edits),
        f"{ORIGIN}:{change.operator}",
        change.title,
        dict(change.parameters),
    )


def with_candidate(sources: OperatorSources, candidate: Candidate) -> OperatorSources:
    """``sources`` with a candidate's texts in place."""
    return OperatorSources(sources.root, sources.target, {**sources.texts, **candidate.files})


def changed_texts(view: OperatorView, edits: Iterable[TextEdit]) -> dict[str, str]:
    """New texts by relative path. Raises ValueError for edits that overlap or leave the operator."""
    return edited_texts(view, edits)


def restores(sources: OperatorSources, view: OperatorView, operator: StructuralOperator, removal: Change) -> bool:
    """Whether the operator, shown what ``removal`` leaves, offers the way back to every byte of ``sources``."""
    slow = with_candidate(sources, candidate_of(view, removal))
    after = view_of(slow, view.soc)
    return any(
        _same(with_candidate(slow, candidate_of(after, change)).texts, sources.texts)
        for change in operator.improvements(after)
    )


def _same(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    return dict(left) == dict(right)
