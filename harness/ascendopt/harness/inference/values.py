"""What values an input gets when nothing states them: by its dtype, and by its name where that says "an index".

Floats are positive and of ordinary size, so that logarithms, roots and divisions are defined. Integers that are
called like an index stay inside the smallest dimension of the other inputs; others are 1 to 10.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascendopt.harness.workloads.build import Shape

_INDEX = re.compile(
    r"ind(ex|ices|icate)?(_|\d|$)|idx|ranks?_|_ids?$|^ids?_|segment|offset|target$|label|rows?$|cols?$|pos(ition)?s?$|perm"
)


def is_index(name: str) -> bool:
    """Whether an input called ``name`` holds positions in another tensor."""
    return _INDEX.search(name.lower()) is not None


def default_distribution(name: str, dtype: str, others: Sequence[Shape]) -> str:
    """The distribution of an input; ``others`` are the shapes of the operator's other inputs."""
    if dtype == "bool":
        return "integers(0, 1)"
    if "int" not in dtype:
        return "positive"
    if is_index(name):
        smallest = min((min(shape) for shape in others if shape), default=1)
        return f"integers(0, {max(smallest - 1, 0)})"
    return "integers(0, 7)" if dtype == "int4" else "integers(1, 10)"
