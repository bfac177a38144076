"""Counting loops: the induction variable, its bounds and the number of iterations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import gcd

from ascendopt.analysis.facts.ir import Assign, Binary, Expr, Loop, Name
from ascendopt.analysis.facts.runtime import RuntimeValue
from ascendopt.analysis.values import Value, ceil_div, maximum, number


@dataclass(frozen=True)
class Induction:
    """``name`` starts at ``initial`` and changes by ``by`` each time; ``trip`` iterations, ``last`` value
    reached."""

    name: str
    initial: Value | None
    last: Value | None
    trip: Value | None
    ascending: bool
    by: Value | None = None

    @property
    def multiple_of(self) -> int:
        """What every value of the counter is a multiple of."""
        start, by = (value.constant() if value is not None else None for value in (self.initial, self.by))
        return gcd(start, by) if start is not None and by is not None else 1


def induction(
    loop: Loop, variables: Mapping[str, RuntimeValue], evaluate: Callable[[Expr], RuntimeValue]
) -> Induction | None:
    """The counter of a ``for`` loop whose initialiser has run, or None when the loop does not count."""
    step = _step(loop.update, evaluate)
    if step is None:
        return None
    name, by, ascending = step
    start = variables.get(name)
    initial = start if isinstance(start, Value) else None
    limit = _limit(loop.condition, name, evaluate)
    if initial is None or limit is None or by is None:
        return Induction(name, initial, None, None, ascending, by)
    relation, bound = limit
    if ascending and relation in ("<", "<=", "!="):
        end = bound if relation != "<=" else bound + 1
        return Induction(name, initial, end - 1, _count(end - initial, by), True, by)
    if not ascending and relation in (">", ">=", "!="):
        end = bound if relation != ">=" else bound - 1
        return Induction(name, initial, initial, _count(initial - end, by), False, by)
    return Induction(name, initial, None, None, ascending, by)


def _count(distance: Value, by: Value) -> Value | None:
    trip = ceil_div(distance, by)
    if trip is None:
        return None
    return trip if trip.range.lo is not None and trip.range.lo >= 0 else maximum(trip, number(0))


def _step(update: Expr | None, evaluate: Callable[[Expr], RuntimeValue]) -> tuple[str, Value | None, bool] | None:
    if not isinstance(update, Assign) or not isinstance(update.target, Name):
        return None
    name = update.target.name
    if update.op in ("+=", "-="):
        by = evaluate(update.value)
        return name, by if isinstance(by, Value) else None, update.op == "+="
    if update.op == "=" and isinstance(update.value, Binary) and update.value.op in ("+", "-"):
        left = update.value.left
        if isinstance(left, Name) and left.name == name:
            by = evaluate(update.value.right)
            return name, by if isinstance(by, Value) else None, update.value.op == "+"
    return None


def _limit(condition: Expr | None, name: str, evaluate: Callable[[Expr], RuntimeValue]) -> tuple[str, Value] | None:
    if not isinstance(condition, Binary):
        return None
    flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}
    for mine, other, relation in (
        (condition.left, condition.right, condition.op),
        (condition.right, condition.left, flipped.get(condition.op, "")),
    ):
        if isinstance(mine, Name) and mine.name == name and relation in flipped:
            bound = evaluate(other)
            return (relation, bound) if isinstance(bound, Value) else None
    return None
