"""How much of UB a run of the kernel takes: the rule's own budget, and whether it is a number at all."""

from __future__ import annotations

from dataclasses import dataclass

from ascendopt.analysis.facts.events import InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.rules.ub_budget import budget
from ascendopt.analysis.summary.sizes import kib, percent


@dataclass(frozen=True)
class UbUse:
    """`bytes` is exact when `complete`, else what is certain at least; `case` names the case that it rests on."""

    bytes: int
    complete: bool
    limit: int | None
    chip: str
    case: str | None

    @property
    def text(self) -> str:
        """`UB 144 KB of 191.75 KB (75 %)`, or that it is symbolic."""
        if not self.complete:
            least = f", at least {kib(self.bytes)}" if self.bytes else ""
            return f"UB symbolic{least}: needs a case"
        if not self.limit:
            return f"UB {kib(self.bytes)}"
        return f"UB {kib(self.bytes)} of {kib(self.limit)} ({percent(self.bytes, self.limit)})"


def ub_use(context: Context, instance: Instance) -> UbUse | None:
    """Use of the most demanding path; None for a run that takes no buffer."""
    events = instance.of(InitBufferEvent)
    if not events:
        return None
    used = budget(context, instance)
    # Without any certain byte the budget has no buffer: that is not the same as taking none.
    complete = used.complete and bool(used.buffers)
    case = context.case_of(*(event.total for event in used.buffers))
    return UbUse(used.total, complete, context.chip.usable_ub_bytes, context.chip.name, case)


def entry_use(context: Context, entry: str) -> UbUse | None:
    """The most demanding run of an entry: symbolic ones first, for a number must not hide an unknown."""
    uses = [ub_use(context, instance) for instance in context.instances() if instance.entry == entry]
    known = [use for use in uses if use is not None]
    return max(known, key=lambda use: (not use.complete, use.bytes), default=None)
