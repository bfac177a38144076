"""Numbers for symbols: full evaluation, and partial substitution."""

from __future__ import annotations

from collections.abc import Mapping

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.values.algebra import compare, conditional, divide, maximum, minimum, remainder
from ascendopt.analysis.values.value import Atom, Value, number


def substitute(value: Value, known: Mapping[str, Value | int]) -> Value | None:
    """``value`` with symbols replaced; symbols not in ``known`` stay. None when a divisor becomes 0."""
    return Substitution(known).value(value)


def evaluate(value: Value, known: Mapping[str, Value | int]) -> int | None:
    """The number that ``value`` has when the symbols have the values of ``known``; None when that is not
    decided."""
    result = substitute(value, known)
    return None if result is None else result.constant()


def case_symbols(case: ActiveCase) -> dict[str, int]:
    """Symbol values of an active case: ``tiling.field``, ``tiling.array[i]`` and ``block_num``."""
    table: dict[str, int] = {}
    for name, entry in case.tiling.items():
        if isinstance(entry, tuple):
            for index, item in enumerate(entry):
                if isinstance(item, int):
                    table[f"tiling.{name}[{index}]"] = item
        elif isinstance(entry, int):
            table[f"tiling.{name}"] = entry
    if case.block_dim is not None:
        table["block_num"] = case.block_dim
    return table


class Substitution:
    """Symbols replaced by what ``known`` says, in one value or many. Atoms are shared, so each is rewritten once;
    what holds none of the symbols stays the same object."""

    def __init__(self, known: Mapping[str, Value | int]) -> None:
        self._known = known
        self._done: dict[str, Value | None] = {}
        self._touched: dict[str, bool] = {}

    def value(self, value: Value) -> Value | None:
        """``value`` rewritten; None when a divisor becomes 0."""
        if not any(self._touches(atom) for monomial, _ in value.terms for atom in monomial):
            return value
        total = number(value.const)
        for monomial, coefficient in value.terms:
            part = number(coefficient)
            failed = False
            for atom in monomial:
                factor = self.atom(atom)
                if factor is None:
                    failed = True
                elif not failed:
                    part = part * factor
                if factor is not None and factor.constant() == 0:
                    part, failed = number(0), False
                    break
            if failed:
                return None
            total = total + part
        return total

    def _touches(self, atom: Atom) -> bool:
        """True when a symbol below ``atom`` is replaced."""
        found = self._touched.get(atom.text)
        if found is None:
            found = atom.text in self._known if atom.kind == "sym" else False
            found = found or any(
                self._touches(inner) for part in atom.args for monomial, _ in part.terms for inner in monomial
            )
            self._touched[atom.text] = found
        return found

    def atom(self, atom: Atom) -> Value | None:
        """``atom`` rewritten; None when a divisor becomes 0."""
        if not self._touches(atom):
            return Value(0, (((atom,), 1),))
        if atom.text not in self._done:
            self._done[atom.text] = self._rewrite(atom)
        return self._done[atom.text]

    def _rewrite(self, atom: Atom) -> Value | None:
        if atom.kind == "sym":
            found = self._known.get(atom.text)
            if found is None:
                return Value(0, (((atom,), 1),))
            return found if isinstance(found, Value) else number(found)
        args = [self.value(arg) for arg in atom.args]
        first = args[0]
        if first is None:
            return None
        if atom.kind == "cond":
            if first.is_constant:
                return args[1] if first.const else args[2]
            return None if args[1] is None or args[2] is None else conditional(first, args[1], args[2])
        second = args[1]
        if second is None:
            return None
        if atom.kind == "div":
            return divide(first, second)
        if atom.kind == "mod":
            return remainder(first, second)
        if atom.kind == "min":
            return minimum(first, second)
        if atom.kind == "max":
            return maximum(first, second)
        return compare(atom.kind[3:], first, second)
