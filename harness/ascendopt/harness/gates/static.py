"""Gate 0: what the analysis knows to be wrong on the chip, before anything is compiled. Free, and logged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import FactsCache, analyse_operator
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.operators import NotAnOperator, discover
from ascendopt.analysis.selection import Selection
from ascendopt.harness.evaluation import Gate, GateResult


class StaticRules:
    """Rejects a candidate with a finding of level error that the original does not have.

    ``original`` is the operator's folder. What can't be analysed is not rejected: the compiler has the word.
    """

    def __init__(self, original: Path, soc: str) -> None:
        self._chip = load_chip(soc)
        self._known = Counter(finding.rule for finding in self._errors(original))

    def __call__(self, folder: Path) -> GateResult | None:
        """The first error that is new in ``folder``, or None."""
        errors = self._errors(folder)
        more = Counter(finding.rule for finding in errors) - self._known
        found = next((finding for finding in errors if finding.rule in more), None)
        if found is None:
            return None
        line = found.path.read_bytes().count(b"\n", 0, found.span.start) + 1
        file = found.path.relative_to(folder).as_posix() if found.path.is_relative_to(folder) else found.path.name
        return GateResult(Gate.STATIC, False, f"{found.message} ({found.rule})", file, line)

    def _errors(self, folder: Path) -> list[Finding]:
        try:
            operator = discover(folder)
        except NotAnOperator:
            return []
        # A cache of its own: candidates lie at the same paths with other texts.
        facts = analyse_operator(operator, self._chip.name, FactsCache())
        found = check_facts(facts, self._chip, None, Selection.everything())
        return [finding for finding in found if finding.severity is Severity.ERROR]
