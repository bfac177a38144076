"""The active case: the concrete numbers that a run of the host tiling gave, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ActiveCase:
    """Values that turn symbolic sizes into numbers.

    ``tiling`` maps a tiling field (``tileDataNum``; nested ones dotted; arrays as tuples) to its value,
    ``dtypes`` maps an OpDef name in lower case to a dtype name (``float16``), ``block_dim`` and
    ``tiling_key`` are what the host chose. The harness fills it; the analysis never runs anything.
    """

    name: str
    soc: str
    tiling: Mapping[str, int | float | tuple[int | float, ...]]
    dtypes: Mapping[str, str] = field(default_factory=dict[str, str])
    block_dim: int | None = None
    tiling_key: int | None = None
