"""What the rules about alignment share: where a tensor operand starts inside of its buffer."""

from __future__ import annotations

from dataclasses import dataclass

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall, LoopStep
from ascendopt.analysis.findings import FactValue, Related
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.values import Value, substitute, symbol


@dataclass(frozen=True)
class Misplaced:
    """An operand that surely starts off the grid. ``offset`` is in bytes, None where only the remainder is known;
    ``related`` are host lines that it comes from."""

    operand: str
    offset: int | None
    align: int
    text: str
    case: str | None
    related: tuple[Related, ...] = ()

    @property
    def facts(self) -> dict[str, FactValue]:
        """For JSON."""
        return {"operand": self.operand, "offset_bytes": self.offset, "align": self.align}


def misplaced(context: Context, call: ApiCall, argument: Argument | None, align: int) -> Misplaced | None:
    """Set when the tensor of ``argument`` starts at no multiple of ``align`` bytes of its buffer, for sure: always, or
    in some round of a loop around ``call``."""
    tensor = argument.tensor if argument is not None else None
    if argument is None or tensor is None or tensor.offset is None:
        return None
    offset = context.number(tensor.offset)
    if offset is None:
        linked = context.linked(tensor.offset)
        if linked.is_known and linked.is_never_multiple_of(align):
            text = f"{tensor.offset.text} bytes, never a multiple of {align}"
        else:
            moved = _moves(context, call, linked, align)
            if moved is None:
                return None
            text = f"{tensor.offset.text} bytes, which moves by {moved[1]} in each round of the loop over {moved[0]}"
    elif offset % align == 0:
        return None
    else:
        text = f"{offset} bytes, {offset % align} past a multiple of {align}"
    related = context.host_side(tensor.offset)
    return Misplaced(argument.text, offset, align, text, context.case_of(tensor.offset), related)


def _moves(context: Context, call: ApiCall, offset: Value, align: int) -> tuple[str, int] | None:
    """The counter and the bytes by which ``offset`` moves from one round of a loop to the next, where two rounds surely
    run and cannot both be on the grid."""
    for step in reversed(call.path):
        if not isinstance(step, LoopStep):
            return None  # an arm that not every round may enter
        loop, trips = step.loop, context.number(step.trip)
        by = context.number(loop.step)
        if not loop.loop_symbol or by is None or trips is None or trips < 2:
            continue
        after = substitute(offset, {loop.loop_symbol: symbol(loop.loop_symbol) + by})
        moved = (after - offset).constant() if after is not None else None
        if moved is not None and moved % align:
            return loop.variable, moved
    return None
