"""Rewrites by a motif's own patterns: experience that no structural operator of ours performs."""

from __future__ import annotations

from ascendopt.analysis.findings import TextEdit
from ascendopt.analysis.patterns import PatternError, edits, match, parse
from ascendopt.bank.motif import Motif
from ascendopt.harness.structural.base import Change, OperatorView


def pattern_changes(view: OperatorView, motif: Motif) -> list[Change]:
    """Every place of ``view`` where the slow pattern matches, rewritten into the fast one.

    Empty for a motif without a pattern pair, or with one that is no pattern: banks are untrusted input.
    """
    if not motif.rewrite.before or not motif.rewrite.after:
        return []
    found: list[Change] = []
    try:
        before, after = parse(motif.rewrite.before), parse(motif.rewrite.after)
        for path in sorted(view.sources):
            for place in match(view.sources[path], before):
                changes = edits(place, after)
                if changes:
                    found.append(_change(motif, changes))
    except PatternError:
        return []
    return found


def _change(motif: Motif, changes: tuple[TextEdit, ...]) -> Change:
    return Change("pattern", motif.title, changes, changes[0], motif.rewrite.before, motif.rewrite.after)
