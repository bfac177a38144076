"""How a kernel is started, as the rules about cores see it: its declared type, and how many blocks."""

from __future__ import annotations

from collections.abc import Sequence

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.tiling_model import HostCall
from ascendopt.analysis.findings import Fix
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.values import number, substitute

_TYPE_CALLS = frozenset({"KERNEL_TASK_TYPE_DEFAULT", "KERNEL_TASK_TYPE"})


def kernel_types(calls: Sequence[ApiCall]) -> list[ApiCall]:
    """The calls that declare the kernel's type, which is their last argument."""
    return [call for call in calls if call.name in _TYPE_CALLS and call.args]


def kernel_type(types: Sequence[ApiCall], wanted: str | None) -> Fix | None:
    """Another type where one is declared; unsafe, because the host counts blocks by it."""
    if len(types) != 1 or wanted is None:
        return None
    return edits.fix(f"use {wanted}", edits.argument(types[0], types[0].args[-1], wanted), safe=False, of_run=True)


def fewest_blocks(context: Context, call: HostCall) -> int | None:
    """The number of blocks that a ``SetBlockDim`` starts at least on the chip, None where nothing says so."""
    if call.value is None or not call.value.is_known:
        return None
    chip = context.chip
    cores = {"host.core_num_aiv": chip.vector_cores, "host.core_num_aic": chip.aic_cores}
    known = {name: number(count) for name, count in cores.items() if count is not None}
    value = substitute(call.value, known)
    return value.lower_bound() if value is not None else None


def most_blocks(context: Context) -> int | None:
    """The greatest constant number of blocks that the host starts; None where it states none."""
    tiling = context.facts.tiling if context.facts is not None else None
    stated = [call.value.constant() for call in tiling.calls_of("SetBlockDim") if call.value] if tiling else []
    return max((value for value in stated if value is not None), default=None)
