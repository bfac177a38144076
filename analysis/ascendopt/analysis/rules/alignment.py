"""What the rules about alignment share: where a tensor operand starts inside of its buffer."""

from __future__ import annotations

from dataclasses import dataclass

from ascendopt.analysis.facts.model import Argument
from ascendopt.analysis.findings import FactValue
from ascendopt.analysis.rules.rule import Context


@dataclass(frozen=True)
class Misplaced:
    """An operand that surely starts off the grid. ``offset`` is in bytes, None where only the remainder is known."""

    operand: str
    offset: int | None
    align: int
    text: str
    case: str | None

    @property
    def facts(self) -> dict[str, FactValue]:
        """For JSON."""
        return {"operand": self.operand, "offset_bytes": self.offset, "align": self.align}


def misplaced(context: Context, argument: Argument | None, align: int) -> Misplaced | None:
    """Set when the tensor of ``argument`` starts at no multiple of ``align`` bytes of its buffer, for sure."""
    tensor = argument.tensor if argument is not None else None
    if argument is None or tensor is None or tensor.offset is None:
        return None
    offset = context.number(tensor.offset)
    if offset is None:
        if not tensor.offset.is_known or not tensor.offset.is_never_multiple_of(align):
            return None
        text = f"{tensor.offset.text} bytes, never a multiple of {align}"
    elif offset % align == 0:
        return None
    else:
        text = f"{offset} bytes, {offset % align} past a multiple of {align}"
    return Misplaced(argument.text, offset, align, text, context.case_of(tensor.offset))
