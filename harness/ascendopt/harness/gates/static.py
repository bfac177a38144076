"""Gate 0: what the analysis knows to be wrong on the chip, before anything is compiled. Free, and logged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import FactsCache, analyse_operator
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.operators import NotAnOperator, discover
from ascendopt.analysis.selection import Selection
from ascendopt.harness.evaluation import Gate, GateResult

# What the values of a tiling decide: the budget of UB, and the alignment of lengths and addresses.
_LINKED = Selection.of(["MEM001", "ALN"])


class StaticRules:
    """Rejects a candidate with a finding of level error that the original does not have.

    ``original`` is the operator's folder. What can't be analysed is not rejected: the compiler has the word.
    """

    def __init__(self, original: Path, soc: str) -> None:
        self._chip = load_chip(soc)
        self._original = original
        self._facts: dict[Path, OperatorFacts | None] = {}
        self._verdicts: dict[Path, GateResult | None] = {}
        self._known = Counter(finding.rule for finding in self._errors(self._analysed(original)))
        self._known_of_case: dict[str, Counter[str]] = {}

    def __getstate__(self) -> dict[str, object]:
        """What another process needs: facts belong to folders of this one, and syntax trees can't be sent."""
        return {**self.__dict__, "_facts": {}, "_verdicts": {}}

    def __call__(self, folder: Path) -> GateResult | None:
        """The first error that is new in ``folder``, or None."""
        return self._new(folder, self._errors(self._analysed(folder)), self._known)

    def shared(self, folder: Path) -> GateResult | None:
        """The same for a folder that stays as it is: analysed once, whatever numbers fill its slots."""
        if folder not in self._verdicts:
            self._verdicts[folder] = self._new(folder, self._errors(self._kept(folder)), self._known)
        return self._verdicts[folder]

    def linked(self, folder: Path, case: ActiveCase, original: Callable[[], ActiveCase]) -> GateResult | None:
        """The first error of ``folder``, which ``shared`` knows, with the values that its host code gave for ``case``.

        ``original`` gives the values of the unchanged operator: what it does wrong in this case is no news.
        """
        errors = self._errors(self._kept(folder), case, _LINKED)
        if not errors:
            return None
        if case.name not in self._known_of_case:
            known = self._errors(self._kept(self._original), original(), _LINKED)
            self._known_of_case[case.name] = Counter(finding.rule for finding in known)
        return self._new(folder, errors, self._known_of_case[case.name], f"case {case.name}: ")

    def _new(self, folder: Path, errors: Sequence[Finding], known: Counter[str], where: str = "") -> GateResult | None:
        more = Counter(finding.rule for finding in errors) - known
        found = next((finding for finding in errors if finding.rule in more), None)
        if found is None:
            return None
        line = found.path.read_bytes().count(b"\n", 0, found.span.start) + 1
        file = found.path.relative_to(folder).as_posix() if found.path.is_relative_to(folder) else found.path.name
        return GateResult(Gate.STATIC, False, f"{where}{found.message} ({found.rule})", file, line)

    def _errors(
        self, facts: OperatorFacts | None, case: ActiveCase | None = None, selection: Selection | None = None
    ) -> list[Finding]:
        if facts is None:
            return []
        found = check_facts(facts, self._chip, case, selection or Selection.everything())
        return [finding for finding in found if finding.severity is Severity.ERROR]

    def _kept(self, folder: Path) -> OperatorFacts | None:
        if folder not in self._facts:
            self._facts[folder] = self._analysed(folder)
        return self._facts[folder]

    def _analysed(self, folder: Path) -> OperatorFacts | None:
        try:
            operator = discover(folder)
        except NotAnOperator:
            return None
        # A cache of its own: candidates lie at the same paths with other texts.
        return analyse_operator(operator, self._chip.name, FactsCache())
