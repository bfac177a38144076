"""What conditions say of symbols: the interval in which all of them hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ascendopt.analysis.values.algebra import negate
from ascendopt.analysis.values.value import Atom, Range, Value

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}


def bounds(conditions: Iterable[Value]) -> dict[str, Range]:
    """The interval of each symbol that a condition compares with a constant; conditions of other forms say nothing."""
    found: dict[str, Range] = {}
    for condition in conditions:
        for atom in _factors(condition):
            said = _interval(atom)
            if said is not None:
                name, lo, hi = said
                old = found.get(name, Range())
                lows = [end for end in (old.lo, lo) if end is not None]
                highs = [end for end in (old.hi, hi) if end is not None]
                found[name] = Range(max(lows, default=None), min(highs, default=None))
    return found


def holds_when_false(condition: Value) -> tuple[Value, ...]:
    """The conditions that surely hold where ``condition`` does not."""
    other = negate(condition)
    if other.const == 0 and len(other.terms) == 1 and len(other.terms[0][0]) == 1:
        atom = other.terms[0][0][0]
        if atom.kind == "cmp!=" and atom.args[1].constant() == 0:
            return (atom.args[0],)  # `product != 0`
    return (other,)


def _factors(condition: Value) -> Iterator[Atom]:
    """The comparisons that all hold where ``condition``, a product of them, is not 0."""
    if condition.const == 0 and len(condition.terms) == 1:
        yield from (atom for atom in condition.terms[0][0] if atom.kind.startswith("cmp"))


def _interval(atom: Atom) -> tuple[str, int | None, int | None] | None:
    """The symbol, and its least and greatest value where ``atom`` holds."""
    relation = atom.kind[3:]
    difference = atom.args[0] - atom.args[1]
    if len(difference.terms) != 1 or relation not in _FLIPPED:
        return None
    (monomial, factor), *_ = difference.terms
    if len(monomial) != 1 or monomial[0].kind != "sym" or factor not in (1, -1):
        return None
    if factor == -1:
        relation = _FLIPPED[relation]
    edge = -difference.const * factor
    lo = {">": edge + 1, ">=": edge, "==": edge}.get(relation)
    hi = {"<": edge - 1, "<=": edge, "==": edge}.get(relation)
    return monomial[0].text, lo, hi
