"""Symbolic integers: a polynomial over atoms, with an interval and a congruence.

A ``Value`` is ``const + sum(coefficient * product of atoms)`` in a canonical order, so equal polynomials are
equal objects. An ``Atom`` is a named symbol or an operation that a polynomial cannot hold (division,
remainder, minimum, maximum, comparison, conditional). Build them with the functions of ``algebra``; this
module only holds the data and the two abstract domains. Integers are mathematical: wrap-around of C types is
not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import gcd
from typing import NamedTuple

Monomial = tuple["Atom", ...]
_LARGEST = 1 << 128
_AROUND = 8  # most characters between two terms or two atoms of a text


class Range(NamedTuple):
    """Possible values: ``lo <= v <= hi`` (None: unbounded) and ``v = rem (mod mod)``; ``mod`` 0 means ``v ==
    rem``."""

    lo: int | None = None
    hi: int | None = None
    mod: int = 1
    rem: int = 0

    @staticmethod
    def of(number: int) -> Range:
        """The range of one number."""
        return Range(number, number, 0, number)

    def plus(self, other: Range) -> Range:
        """Range of the sum of two independent numbers."""
        mod = gcd(self.mod, other.mod)
        rem = self.rem + other.rem
        return Range(_add(self.lo, other.lo), _add(self.hi, other.hi), mod, rem % mod if mod else rem)

    def times(self, other: Range) -> Range:
        """Range of the product. Bounds are kept for non-negative factors and for constants only."""
        if not self.mod:
            return other.scaled(self.rem)
        if not other.mod:
            return self.scaled(other.rem)
        mod = gcd(gcd(self.mod * other.mod, self.mod * other.rem), other.mod * self.rem)
        rem = self.rem * other.rem
        lo, hi = _product_bounds(self, other)
        return Range(lo, hi, mod, rem % mod if mod else rem)

    def scaled(self, factor: int) -> Range:
        """Range of the product with a constant."""
        lo = None if self.lo is None else self.lo * factor
        hi = None if self.hi is None else self.hi * factor
        mod, rem = self.mod * abs(factor), self.rem * factor
        if factor < 0:
            lo, hi = hi, lo
        return Range(lo, hi, mod, rem % mod if mod else rem) if factor else _ZERO

    def union(self, other: Range) -> Range:
        """Smallest range that holds both."""
        mod = gcd(gcd(self.mod, other.mod), abs(self.rem - other.rem))
        lo = None if self.lo is None or other.lo is None else min(self.lo, other.lo)
        hi = None if self.hi is None or other.hi is None else max(self.hi, other.hi)
        return Range(lo, hi, mod, self.rem % mod if mod else self.rem)

    def tame(self) -> Range:
        """The same without numbers of which no variable can hold the square: they only grow from here."""
        lo, hi, mod = (None if end is None or abs(end) > _LARGEST else end for end in (self.lo, self.hi, self.mod))
        return Range(lo, hi, mod, self.rem) if mod else Range(lo, hi)

    def is_multiple_of(self, number: int) -> bool:
        """True when every value of the range is a multiple of ``number``."""
        return self.mod % number == 0 and self.rem % number == 0


_ZERO = Range(0, 0, 0, 0)


def _add(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _product_bounds(left: Range, right: Range) -> tuple[int | None, int | None]:
    if left.lo is not None and left.hi is not None and right.lo is not None and right.hi is not None:
        corners = [a * b for a in (left.lo, left.hi) for b in (right.lo, right.hi)]
        return min(corners), max(corners)
    for factor, other in ((left, right), (right, left)):
        if factor.mod == 0:
            ends = [None if end is None else end * factor.rem for end in (other.lo, other.hi)]
            return (ends[0], ends[1]) if factor.rem >= 0 else (ends[1], ends[0])
    if left.lo is not None and left.lo >= 0 and right.lo is not None and right.lo >= 0:
        return left.lo * right.lo, None
    return None, None


class Atom(str):
    """A symbol (``kind`` ``sym``) or an operation over Values. Its text is what it is: term tables compare, hash and
    sort atoms all the time, and a string does that without a call. ``is_known`` is False when it is, or is made of, a
    symbol that starts with ``?``."""

    __slots__ = ("args", "is_known", "kind", "range", "text")

    kind: str
    text: str
    args: tuple[Value, ...]
    range: Range
    is_known: bool

    def __new__(cls, kind: str, text: str, args: tuple[Value, ...], value_range: Range) -> Atom:
        self = super().__new__(cls, text)
        self.kind = kind
        self.text = text
        self.args = args
        self.range = value_range
        self.is_known = all(arg.is_known for arg in args) if args or kind != "sym" else text[:1] != "?"
        return self

    def __repr__(self) -> str:
        return self.text


class Value:
    """An integer that may be symbolic. Immutable; equal when the canonical forms are equal.

    ``range`` and ``text`` are made when they are first asked for: most values are only steps on the way to another
    one.
    """

    __slots__ = ("const", "range", "terms", "text")

    range: Range
    text: str

    def __init__(self, const: int, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.const = const
        self.terms = terms
        if not const and len(terms) == 1 and terms[0][1] == 1 and len(terms[0][0]) == 1:
            only = terms[0][0][0]
            self.range, self.text = only.range, only.text
        elif not terms:
            self.range, self.text = Range(const, const, 0, const), str(const)

    def __getattr__(self, name: str) -> object:
        """Called for a slot that is still empty."""
        if name == "range":
            self.range = self._range()
            return self.range
        if name == "text":
            self.text = self._text()
            return self.text
        raise AttributeError(name)

    def _range(self) -> Range:
        total = Range.of(self.const) if self.const else None
        for monomial, coefficient in self.terms:
            part = Range.of(coefficient) if coefficient != 1 else None
            for atom in monomial:
                part = atom.range if part is None else part.times(atom.range)
            if part is not None:
                total = part if total is None else total.plus(part)
        return total if total is not None else Range.of(0)

    def _text(self) -> str:
        parts: list[str] = []
        for monomial, coefficient in self.terms:
            product = " * ".join(monomial)
            if coefficient == 1:
                parts.append(product)
            else:
                parts.append(f"-{product}" if coefficient == -1 else f"{coefficient} * {product}")
        if self.const:
            parts.append(str(self.const))
        text = " + ".join(parts).replace("+ -", "- ")
        return text if len(self.terms) == 1 and not self.const and len(self.terms[0][0]) == 1 else f"({text})"

    # ------------------------------------------------------------------ questions

    @property
    def is_constant(self) -> bool:
        """True when the number is known."""
        return not self.terms

    def constant(self) -> int | None:
        """The number, or None while it is symbolic."""
        return None if self.terms else self.const

    def lower_bound(self) -> int | None:
        """A number it is never below, or None."""
        return self.range.lo

    def upper_bound(self) -> int | None:
        """A number it is never above, or None."""
        return self.range.hi

    def is_multiple_of(self, number: int) -> bool:
        """True when it is a multiple of ``number`` whatever the symbols are. False means: not proven."""
        return self.range.is_multiple_of(number)

    def is_never_multiple_of(self, number: int) -> bool:
        """True when it cannot be a multiple of ``number`` whatever the symbols are."""
        common = gcd(self.range.mod, number)
        return self.range.rem % common != 0 if common else self.range.rem % number != 0

    def atoms(self) -> Iterator[Atom]:
        """Every atom below it, each name once."""
        seen: set[str] = set()
        stack = [atom for monomial, _ in self.terms for atom in monomial]
        while stack:
            atom = stack.pop()
            if atom.text in seen:
                continue
            seen.add(atom.text)
            yield atom
            for arg in atom.args:
                stack.extend(inner for monomial, _ in arg.terms for inner in monomial)

    def symbols(self) -> frozenset[str]:
        """Names of the symbols it depends on."""
        return frozenset(atom.text for atom in self.atoms() if atom.kind == "sym")

    @property
    def is_known(self) -> bool:
        """False when some part was not understood (a symbol that starts with ``?``)."""
        for monomial, _ in self.terms:
            for atom in monomial:
                if not atom.is_known:
                    return False
        return True

    def is_longer_than(self, limit: int) -> bool:
        """True when ``text`` has more characters than that, or a number of it more bits. Most texts are short, and need
        not be made to know it."""
        terms = self.terms
        most = bits = self.const.bit_length()
        if not terms:
            return bits > limit
        if len(terms) == 1 and not bits and terms[0][1] == 1 and len(terms[0][0]) == 1:
            return len(terms[0][0][0]) > limit
        for monomial, coefficient in terms:
            size = coefficient.bit_length()
            bits = max(bits, size)
            most += size + _AROUND
            for atom in monomial:
                most += len(atom) + _AROUND
        return bits > limit or (most > limit and len(self.text) > limit)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Value) and self.const == other.const and self.terms == other.terms

    def __hash__(self) -> int:
        return hash((self.const, self.terms))

    def __repr__(self) -> str:
        return self.text

    # ------------------------------------------------------------------ operators

    def __add__(self, other: Value | int) -> Value:
        return combine(self, other if isinstance(other, Value) else number(other), 1)

    def __sub__(self, other: Value | int) -> Value:
        return combine(self, other if isinstance(other, Value) else number(other), -1)

    def __mul__(self, other: Value | int) -> Value:
        return multiply(self, other if isinstance(other, Value) else number(other))

    def __neg__(self) -> Value:
        return multiply(self, number(-1))


@lru_cache(maxsize=4096)
def number(value: int) -> Value:
    """The constant ``value``."""
    return Value(value, ())


@lru_cache(maxsize=4096)
def symbol(name: str, lo: int | None = None, hi: int | None = None, multiple_of: int = 1) -> Value:
    """A named unknown with what is known of it. ``?`` starts the names of things not understood."""
    return fresh_symbol(name, lo, hi, multiple_of)


def fresh_symbol(name: str, lo: int | None = None, hi: int | None = None, multiple_of: int = 1) -> Value:
    """As ``symbol``, for a name that nobody asks for again."""
    return Value(0, (((Atom("sym", name, (), Range(lo, hi, multiple_of, 0)),), 1),))


def from_atom(atom: Atom) -> Value:
    """The value that is just ``atom``."""
    if atom.range.mod == 0:
        return number(atom.range.rem)
    return Value(0, (((atom,), 1),))


def from_terms(const: int, terms: dict[Monomial, int]) -> Value:
    """Canonical value of a term table; zero coefficients are dropped."""
    kept = [term for term in terms.items() if term[1]]
    if len(kept) > 1:
        kept.sort()  # by the texts of the atoms: no two monomials are equal
    return Value(const, tuple(kept))


def combine(left: Value, right: Value, sign: int) -> Value:
    """``left + sign * right``."""
    if not right.terms:
        return left if right.const == 0 else Value(left.const + sign * right.const, left.terms)
    if not left.terms and sign == 1:
        return right if left.const == 0 else Value(left.const + right.const, right.terms)
    terms = dict(left.terms)
    for monomial, coefficient in right.terms:
        terms[monomial] = terms.get(monomial, 0) + sign * coefficient
    return from_terms(left.const + sign * right.const, terms)


def multiply(left: Value, right: Value) -> Value:
    """``left * right``, expanded."""
    if not left.terms:
        left, right = right, left
    if not right.terms:
        if right.const == 1:
            return left
        if right.const == 0:
            return number(0)
        return Value(left.const * right.const, tuple((m, c * right.const) for m, c in left.terms))
    terms: dict[Monomial, int] = {}
    for left_monomial, left_coefficient in left.terms:
        for right_monomial, right_coefficient in right.terms:
            monomial = tuple(sorted(left_monomial + right_monomial))
            terms[monomial] = terms.get(monomial, 0) + left_coefficient * right_coefficient
    for value, factor in ((left, right.const), (right, left.const)):
        if factor:
            for monomial, coefficient in value.terms:
                terms[monomial] = terms.get(monomial, 0) + coefficient * factor
    return from_terms(left.const * right.const, terms)
