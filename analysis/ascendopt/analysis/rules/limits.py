"""What the rules about ranges share: a field of an instruction is some bits wide, and keeps no more than that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.findings import FactValue, Related
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.values import Value


@dataclass(frozen=True)
class Excess:
    """A number that is surely above what its field holds. ``related`` are host lines that it comes from."""

    name: str
    number: int
    limit: int
    case: str | None
    related: tuple[Related, ...] = ()

    @property
    def kept(self) -> int | None:
        """What the field keeps of the number, where the limit is all ones; None where it is another bound."""
        return None if (self.limit + 1) & self.limit else self.number % (self.limit + 1)

    @property
    def text(self) -> str:
        """For a message: the number, the limit, and what is left of it."""
        said = f"{self.name} {self.number} is above the maximum {self.limit}"
        if self.kept is None:
            return said
        return f"{said}: the field is {self.limit.bit_length()} bits wide and keeps {self.kept}"

    @property
    def facts(self) -> dict[str, FactValue]:
        """For JSON."""
        facts: dict[str, FactValue] = {"field": self.name, "value": self.number, "limit": self.limit}
        return facts if self.kept is None else {**facts, "kept": self.kept}


def excess(context: Context, name: str, value: Value | None, limit: int) -> Excess | None:
    """Set when ``value`` is above ``limit`` for sure: by its number, or by the least that it can be."""
    number = context.number(value)
    case = context.case_of(value) if number is not None else None
    if number is None and value is not None and value.is_known:
        number = value.lower_bound()
    if number is None or number <= limit:
        return None
    return Excess(name, number, limit, case, context.host_side(value))


def excesses(context: Context, argument: Argument | None, limits: Mapping[str, int]) -> Iterator[Excess]:
    """The fields of a parameter structure that are above their limits."""
    if argument is None:
        return
    for name, value in argument.fields:
        found = excess(context, name, value, limits[name]) if name in limits else None
        if found is not None:
            yield found
