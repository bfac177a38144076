"""Operations that leave the polynomials: division, remainder, minimum, comparison, conditional, alignment.

Division and remainder are those of C: they truncate. The rewrites below are used only where they hold for
every value of the symbols (divisors are taken to be non-zero, as the program is undefined otherwise).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import gcd

from ascendopt.analysis.values.value import (
    Atom,
    Monomial,
    Range,
    Value,
    from_atom,
    from_terms,
    number,
)

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
BOOLEAN = Range(0, 1, 1, 0)


def truncated(numerator: int, divisor: int) -> int:
    """C division of two integers; ``divisor`` is not 0."""
    quotient = abs(numerator) // abs(divisor)
    return quotient if (numerator >= 0) == (divisor > 0) else -quotient


def divide(left: Value, right: Value) -> Value | None:
    """``left / right`` as in C; None when the divisor is the constant 0."""
    divisor = right.constant()
    if divisor == 0:
        return None
    if divisor == 1:
        return left
    if divisor is not None and left.is_constant:
        return number(truncated(left.const, divisor))
    if divisor is not None and divisor > 0:
        return _divide_by_constant(left, divisor)
    return _cancelled(left, right) or from_atom(_division(left, right))


def _divide_by_constant(left: Value, divisor: int) -> Value:
    if left.const % divisor == 0 and all(coefficient % divisor == 0 for _, coefficient in left.terms):
        return from_terms(left.const // divisor, {m: c // divisor for m, c in left.terms})
    whole = {m: c // divisor for m, c in left.terms if c % divisor == 0}
    if whole:
        rest = from_terms(left.const % divisor, {m: c for m, c in left.terms if c % divisor})
        if _non_negative(left) and _non_negative(rest):
            return from_terms(left.const // divisor, whole) + _divide_by_constant(rest, divisor)
    if left.const == 0 and len(left.terms) == 1:
        (monomial, coefficient), *_ = left.terms
        common = gcd(abs(coefficient), divisor)
        if common > 1:
            return _divide_by_constant(from_terms(0, {monomial: coefficient // common}), divisor // common)
        inner = monomial[0]
        if len(monomial) == 1 and coefficient == 1 and inner.kind == "div":
            inner_divisor = inner.args[1].constant()
            if inner_divisor is not None and inner_divisor > 0:
                return _divide_by_constant(inner.args[0], inner_divisor * divisor)
    return from_atom(_division(left, number(divisor)))


def _division(left: Value, right: Value) -> Atom:
    a, b = left.range, right.range
    lo: int | None = None
    hi: int | None = None
    if _non_negative(left) and b.lo is not None and b.lo > 0:
        lo = (a.lo or 0) // b.hi if b.hi is not None else 0
        hi = a.hi // b.lo if a.hi is not None else None
    elif _non_negative(left) and _non_negative(right):
        lo, hi = 0, a.hi
    divisor = right.constant()
    mod, rem = 1, 0
    if divisor and a.mod % divisor == 0 and a.rem % divisor == 0:
        mod, rem = a.mod // divisor, a.rem // divisor
    if lo is not None and lo == hi:
        mod, rem = 0, lo
    return Atom("div", f"({left.text} / {right.text})", (left, right), Range(lo, hi, mod, rem))


def _cancelled(left: Value, right: Value) -> Value | None:
    """``k*x*y / y`` -> ``k*x``; None when ``right`` does not divide every term."""
    if right.const or len(right.terms) != 1:
        return None
    monomial, coefficient = right.terms[0]
    if left.const:
        return None
    terms: dict[Monomial, int] = {}
    for left_monomial, left_coefficient in left.terms:
        rest = list(left_monomial)
        for atom in monomial:
            if atom not in rest:
                return None
            rest.remove(atom)
        if left_coefficient % coefficient:
            return None
        terms[tuple(rest)] = left_coefficient // coefficient
    const = terms.pop((), 0)
    return from_terms(const, terms)


def remainder(left: Value, right: Value) -> Value | None:
    """``left % right`` as in C; None when the divisor is the constant 0."""
    divisor = right.constant()
    if divisor == 0:
        return None
    if divisor is not None and left.is_constant:
        return number(left.const - truncated(left.const, divisor) * divisor)
    known = left.range
    if divisor is not None and divisor > 0:
        if known.mod % divisor == 0 and (_non_negative(left) or known.rem % divisor == 0):
            return number(known.rem % divisor)
        if _non_negative(left) and known.hi is not None and known.hi < divisor:
            return left
    lo = hi = None
    if _non_negative(left):
        lo = 0
        hi = right.range.hi - 1 if right.range.hi is not None and right.range.hi > 0 else known.hi
    common = gcd(known.mod, divisor) if divisor else 1
    bounds = Range(lo, hi, common, known.rem % common) if common else Range(lo, hi)
    return from_atom(Atom("mod", f"({left.text} % {right.text})", (left, right), bounds))


def minimum(left: Value, right: Value) -> Value:
    """The smaller of the two."""
    return _extreme("min", left, right)


def maximum(left: Value, right: Value) -> Value:
    """The larger of the two."""
    return _extreme("max", left, right)


def _extreme(kind: str, left: Value, right: Value) -> Value:
    first, second = (left, right) if kind == "min" else (right, left)
    if left == right or compare("<=", first, second).constant() == 1:
        return left
    if compare("<=", second, first).constant() == 1:
        return right
    if right.text < left.text:
        left, right = right, left
    joined = left.range.union(right.range)
    lows = [end for end in (left.range.lo, right.range.lo) if end is not None]
    highs = [end for end in (left.range.hi, right.range.hi) if end is not None]
    lo, hi = joined.lo, joined.hi
    if kind == "min":
        hi = min(highs, default=None)
    else:
        lo = max(lows, default=None)
    atom = Atom(kind, f"{kind}({left.text}, {right.text})", (left, right), Range(lo, hi, joined.mod, joined.rem))
    return from_atom(atom)


def compare(relation: str, left: Value, right: Value) -> Value:
    """``left relation right`` as 0 or 1; ``relation`` is one of ``== != < <= > >=``."""
    test = _COMPARE[relation]
    difference = left - right
    if difference.is_constant:
        return number(int(test(difference.const, 0)))
    lo, hi = difference.range.lo, difference.range.hi
    if relation in ("<", ">=") and hi is not None and hi < 0:
        return number(int(relation == "<"))
    if relation in ("<", ">=") and lo is not None and lo >= 0:
        return number(int(relation == ">="))
    if relation in (">", "<=") and lo is not None and lo > 0:
        return number(int(relation == ">"))
    if relation in (">", "<=") and hi is not None and hi <= 0:
        return number(int(relation == "<="))
    if relation in ("==", "!="):
        apart = (lo is not None and lo > 0) or (hi is not None and hi < 0)
        if apart or (difference.range.mod > 1 and difference.range.rem % difference.range.mod):
            return number(int(relation == "!="))
    return from_atom(Atom("cmp" + relation, f"({left.text} {relation} {right.text})", (left, right), BOOLEAN))


def negate(condition: Value) -> Value:
    """Logical not of a value, as 0 or 1."""
    if condition.is_constant:
        return number(int(condition.const == 0))
    if condition.const == 0 and len(condition.terms) == 1:
        monomial, coefficient = condition.terms[0]
        if coefficient == 1 and len(monomial) == 1 and monomial[0].kind.startswith("cmp"):
            return compare(_NEGATED[monomial[0].kind[3:]], *monomial[0].args)
    return compare("==", condition, number(0))


def truth(value: Value) -> Value:
    """``value != 0`` as 0 or 1; comparisons stay as they are."""
    if value.range.lo is not None and value.range.lo >= 0 and value.range.hi == 1:
        return value
    return compare("!=", value, number(0))


def both(left: Value, right: Value) -> Value:
    """Logical and."""
    left, right = truth(left), truth(right)
    if left.is_constant:
        return right if left.const else number(0)
    if right.is_constant:
        return left if right.const else number(0)
    return left if left == right else left * right


def either(left: Value, right: Value) -> Value:
    """Logical or."""
    return negate(both(negate(left), negate(right)))


def conditional(condition: Value, then: Value, otherwise: Value) -> Value:
    """``condition ? then : otherwise``; ``a < b ? a : b`` becomes a minimum."""
    if condition.is_constant:
        return then if condition.const else otherwise
    if then == otherwise:
        return then
    atom = condition.terms[0][0][0] if len(condition.terms) == 1 and not condition.const else None
    if atom is not None and atom.kind in ("cmp<", "cmp<=", "cmp>", "cmp>=") and condition.terms[0][1] == 1:
        small, large = atom.args if atom.kind.startswith("cmp<") else (atom.args[1], atom.args[0])
        if len(condition.terms[0][0]) == 1 and {then.text, otherwise.text} == {small.text, large.text}:
            return minimum(small, large) if then == small else maximum(small, large)
    text = f"({condition.text} ? {then.text} : {otherwise.text})"
    return from_atom(Atom("cond", text, (condition, then, otherwise), then.range.union(otherwise.range)))


def bit_and(left: Value, right: Value) -> Value | None:
    """``left & right`` for constants, and for masks ``2^k - 1`` and ``-2^k`` over non-negative values; else
    None."""
    if left.is_constant and right.is_constant:
        return number(left.const & right.const)
    if left.is_constant:
        left, right = right, left
    mask = right.constant()
    if mask is None or not _non_negative(left):
        return None
    if mask >= 0 and mask & (mask + 1) == 0:
        return remainder(left, number(mask + 1))
    if mask < 0 and -mask & (-mask - 1) == 0:
        quotient = divide(left, number(-mask))
        return None if quotient is None else quotient * -mask
    return None


def ceil_div(left: Value, right: Value) -> Value | None:
    """``(left + right - 1) / right``; None for a zero divisor."""
    return divide(left + right - 1, right)


def align_up(left: Value, right: Value) -> Value | None:
    """``left`` rounded up to a multiple of ``right``, as C does it; itself when it is one already and not negative."""
    step = right.constant()
    if step is not None and step > 0 and left.is_multiple_of(step) and _non_negative(left):
        return left
    quotient = ceil_div(left, right)
    return None if quotient is None else quotient * right


def align_down(left: Value, right: Value) -> Value | None:
    """``left`` rounded down to a multiple of ``right``."""
    quotient = divide(left, right)
    return None if quotient is None else quotient * right


def _non_negative(value: Value) -> bool:
    return value.range.lo is not None and value.range.lo >= 0
