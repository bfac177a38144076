"""Values of the facts as quantities of a summary."""

from __future__ import annotations

from collections.abc import Sequence

from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.summary.model import Quantity
from ascendopt.analysis.values import Value


class Quantities:
    """Makes quantities of one operator; ``cases`` are contexts with an active case each."""

    def __init__(self, facts: OperatorFacts, cases: Sequence[Context]) -> None:
        self._facts = facts
        self._cases = cases

    def of(self, value: Value) -> Quantity:
        """``value`` with its closed form, its bounds and its number in each case."""
        known, limits = value.constant(), value.range
        linked = self._facts.linked(value)
        by_case: dict[str, int] = {}
        for context in self._cases if known is None else ():
            number = context.number(value)
            if number is not None and context.case is not None:
                by_case[context.case.name] = number
        return Quantity(
            value.text,
            known,
            linked.text if linked.text != value.text else None,
            limits.lo,
            limits.hi,
            limits.mod if limits.mod and limits.rem == 0 else 1,
            by_case,
        )

    def maybe(self, value: Value | None) -> Quantity | None:
        """The same; None for what is not known at all."""
        return None if value is None else self.of(value)
