"""A pattern: the shapes and values of one case before a dtype column is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ascendopt.harness.workload import AttrValue
from ascendopt.harness.workloads.build import MODERATE, Shape

Shapes = tuple[Shape, ...]

# A list of three tensors, the last one with another size, shows what a list operator does at its seams.
LIST_TAIL: Shapes = ((16, 128), (33,))
# More tensors than one transfer of their addresses holds, none of them worth a core of its own.
MANY_SMALL: Shapes = ((1,), (33,), (3, 7), (5,)) * 12
# No divisor in common with any tile, core count or block.
PRIME: Shape = (89, 97)


@dataclass(frozen=True)
class Pattern:
    """Shapes by the names of the definition; inputs that ``inputs`` leaves out are shaped like ``fallback``,
    optional ones are absent. ``outputs`` is what the source of the pattern says: the operator's own shape
    inference wins over it. ``distributions`` are value ranges that the source states. ``source`` is the file that it
    was read from; empty where it was made up."""

    name: str
    fallback: Shape
    inputs: Mapping[str, Shapes] = field(default_factory=dict[str, Shapes])
    outputs: Mapping[str, Shapes] = field(default_factory=dict[str, Shapes])
    attrs: Mapping[str, AttrValue] = field(default_factory=dict[str, AttrValue])
    distributions: Mapping[str, str] = field(default_factory=dict[str, str])
    checked_only: bool = True
    source: str = ""
    others: Shapes = LIST_TAIL
    for_lists: bool = False


def elementwise_patterns() -> tuple[Pattern, ...]:
    """Tiny, aligned, tail, prime and large: every input of one shape; and lists of many small tensors."""
    sizes = [Pattern(size.name, size.shape, checked_only=size.checked_only) for size in MODERATE]
    prime = Pattern("prime", PRIME)
    many = Pattern("many-small", (7,), others=MANY_SMALL, for_lists=True)
    return (*sizes[:-1], prime, many, sizes[-1])
