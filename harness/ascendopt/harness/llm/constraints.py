"""The hard limits of a chip in plain sentences: what a candidate must respect to be legal at all."""

from __future__ import annotations

import json
from importlib import resources

from ascendopt.analysis.chips import Chip
from ascendopt.analysis.chips.support import supports

_RESOURCE = "constraints.json"
# What decides a tiling; the rest is about instructions, which a tiling does not change.
_TILING = frozenset({"alignment", "memory", "ranges"})


def chip_constraints(chip: Chip, *, tiling: bool = False) -> list[str]:
    """Sentences on memory, cores, alignment, queues and dtypes of ``chip``; ``tiling``: only what a tiling depends on.

    Sources: the chip table and ``constraints.json``.
    """
    return [*_memory(chip), *_cores(chip), _copies(chip), *_written(chip, tiling)]


def _memory(chip: Chip) -> list[str]:
    usable = chip.usable_ub_bytes
    if usable is None:
        return []
    text = (
        f"UB of {chip.name} holds {usable} bytes a core for all buffers together: the sum of number * length over all "
        "InitBuffer calls, each length rounded up to 32 bytes"
    )
    if chip.ub_kernel_bytes is not None and chip.ub_kernel_bytes < usable:
        text += f"; {chip.ub_kernel_bytes} bytes where an API needs its scratch region"
    return [f"{text}."]


def _cores(chip: Chip) -> list[str]:
    cores = chip.vector_cores
    return (
        [f"{chip.name} has {cores} cores for vector kernels; more blocks than cores run one after the other."]
        if cores
        else []
    )


def _copies(chip: Chip) -> str:
    if supports(chip, "DataCopyPad"):
        return "For lengths that are no multiple of 32 bytes, DataCopyPad copies between GM and UB."
    return (
        f"{chip.name} has no DataCopyPad: copies of tails must be rounded up to 32 bytes inside buffers that hold them."
    )


def _written(chip: Chip, tiling: bool) -> list[str]:
    data = json.loads(resources.files("ascendopt.harness.llm").joinpath(_RESOURCE).read_text("utf-8"))
    return [
        sentence["text"]
        for sentence in data["sentences"]
        if (sentence["families"] is None or chip.family in sentence["families"])
        and (not tiling or sentence["about"] in _TILING)
    ]
