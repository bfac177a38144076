"""What a condition says about one value."""

from __future__ import annotations

from ascendopt.analysis.values.value import Value


def equality(condition: Value | None) -> tuple[str, int] | None:
    """(``x``, 1) for the condition ``x == 1`` alone, of something that is known by name."""
    if condition is None or condition.const != 0 or len(condition.terms) != 1:
        return None
    monomial, factor = condition.terms[0]
    if len(monomial) != 1 or factor != 1 or monomial[0].kind != "cmp==":
        return None
    left, right = monomial[0].args
    known = right.constant()
    return (left.text, known) if known is not None and left.is_known else None
