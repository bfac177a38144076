"""How a kernel is started, as the rules about cores see it: its declared type, and how many blocks."""

from __future__ import annotations

from collections.abc import Sequence

from ascendopt.analysis.facts.model import ApiCall
from ascendopt.analysis.rules.rule import Context

_TYPE_CALLS = frozenset({"KERNEL_TASK_TYPE_DEFAULT", "KERNEL_TASK_TYPE"})


def kernel_types(calls: Sequence[ApiCall]) -> list[ApiCall]:
    """The calls that declare the kernel's type, which is their last argument."""
    return [call for call in calls if call.name in _TYPE_CALLS and call.args]


def most_blocks(context: Context) -> int | None:
    """The greatest constant number of blocks that the host starts; None where it states none."""
    tiling = context.facts.tiling if context.facts is not None else None
    stated = [call.value.constant() for call in tiling.calls_of("SetBlockDim") if call.value] if tiling else []
    return max((value for value in stated if value is not None), default=None)
