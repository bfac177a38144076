"""From the form with mask and repeats to the one with a number of elements, where both mean the same elements."""

from __future__ import annotations

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import Reading
from ascendopt.analysis.findings import Fix, Span, TextEdit
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.extent import ELEMENTWISE, room
from ascendopt.analysis.rules.rule import Context

REPEAT = 256
# What sets the mask or its mode by hand: the form with a count leaves both as they are at the start.
BY_HAND = frozenset({"SetVectorMask", "SetMaskCount", "SetMaskNorm"})


def count_form(context: Context, instance: Instance, reading: Reading) -> Fix | None:
    """The call with a count: for full masks over repeats that lie one behind the other. Safe where every operand is
    known to hold that many elements, and nothing sets a mask by hand."""
    call, mask, repeats, strides = reading.call, reading.mask, reading.repeats, reading.strides
    if mask is None or repeats is None or strides is None or call.name not in ELEMENTWISE or call.template_args:
        return None
    width = _width(reading)
    if call.args[-3:] != (mask, repeats, strides) or not width or not _is_dense(strides):
        return None
    elements = mask.value.constant() if mask.value is not None else None
    if elements is None or elements * width != REPEAT:
        return None
    times = context.kernel_number(repeats.value)
    bytes_ = times * REPEAT if times is not None else None
    rooms = [room(context, instance, operand.argument.tensor) for operand in reading.operands]
    if bytes_ is not None and any(one is not None and bytes_ > one.bytes for one in rooms):
        return None
    fits = bytes_ is not None and None not in rooms
    by_hand = any(one.name in BY_HAND or "false" in one.template_args for one in instance.of(ApiCall))
    count = TextEdit(
        call.site.path, Span(mask.span.start, strides.span.end), edits.times(repeats.text, edits.factor(mask.text))
    )
    return edits.fix("use the form with a count", count, safe=fits and not by_hand, of_run=True)


def _width(reading: Reading) -> int | None:
    """Bytes of an element, where all operands have the same."""
    tensors = [operand.argument.tensor for operand in reading.operands]
    widths = {tensor.element_bytes.constant() if tensor is not None else None for tensor in tensors}
    return widths.pop() if len(widths) == 1 else None


def _is_dense(strides: Argument) -> bool:
    """True when block follows block and repeat follows repeat."""
    wanted = {name: 1 if name.endswith("BlkStride") else 8 for name, _ in strides.fields if name.endswith("Stride")}
    return bool(wanted) and all(value.constant() == wanted[name] for name, value in strides.fields if name in wanted)
