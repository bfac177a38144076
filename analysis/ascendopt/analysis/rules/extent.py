"""How far a tensor reaches and how far a call goes: what the rules about ranges in UB share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import CopyEvent, InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import Operand, Reading
from ascendopt.analysis.rules.rounds import at
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.values import Value

BLOCK = 32
REPEAT_BYTES = 256
MOST_REPEATS = 255
NO_COUNTERS: Mapping[str, int] = MappingProxyType({})
# Calls whose simple form touches `count` elements of every operand.
ELEMENTWISE = frozenset(
    (
        *("Abs", "Add", "Adds", "Div", "Exp", "LeakyRelu", "Ln", "Max", "Maxs", "Min", "Mins", "Mul", "Muls", "Neg"),
        *("Reciprocal", "Relu", "Rsqrt", "Sqrt", "Sub", "AddRelu", "SubRelu", "Axpy", "FusedMulAdd", "MulAddDst"),
        *("And", "Or", "Not", "ShiftLeft", "ShiftRight", "Cast", "Duplicate", "Sigmoid", "Tanh", "Silu", "Gelu"),
    )
)


@dataclass(frozen=True)
class Room:
    """Bytes from the start of a tensor to the end of what was taken for it, and where that was said."""

    bytes: int
    init: InitBufferEvent
    values: tuple[Value, ...]


def room(
    context: Context, instance: Instance, tensor: TensorFact | None, counters: Mapping[str, int] = NO_COUNTERS
) -> Room | None:
    """The room behind ``tensor`` in its queue's or TBuf's buffer, where both are numbers, in the round ``counters``."""
    if tensor is None or tensor.memory != "local" or tensor.queue is None or tensor.offset is None:
        return None
    inits = [event for event in instance.of(InitBufferEvent) if event.queue == tensor.queue]
    if len(inits) != 1:
        return None
    size, offset = context.number(inits[0].length), context.number(at(tensor.offset, counters))
    if size is None or offset is None:
        return None
    return Room(-(-size // BLOCK) * BLOCK - offset, inits[0], (inits[0].length, tensor.offset))


def touched(
    context: Context, reading: Reading, operand: Operand, counters: Mapping[str, int] = NO_COUNTERS
) -> tuple[int, Value] | None:
    """Bytes that the simple form of an elementwise call touches of ``operand``, and the count that says so."""
    tensor, count = operand.argument.tensor, reading.count
    if reading.call.name not in ELEMENTWISE or tensor is None or count is None or count.value is None:
        return None
    elements, each = context.number(at(count.value, counters)), tensor.element_bytes.constant()
    return (elements * each, count.value) if elements is not None and each else None


def repeated(
    context: Context, reading: Reading, operand: Operand, counters: Mapping[str, int] = NO_COUNTERS
) -> tuple[int, Value] | None:
    """Bytes from the start of ``operand`` to the last one that the mask-and-repeat form of an elementwise call touches,
    and the number of repeats. Strides count blocks: those inside of a repeat lie ``BlkStride`` apart, repeats
    ``RepStride``. None in a call that takes the mask as it stands, and for more repeats than a call has."""
    tensor, strides, repeats = operand.argument.tensor, reading.strides, reading.repeats
    if reading.call.name not in ELEMENTWISE or tensor is None or strides is None or repeats is None:
        return None
    side = operand.parameter.name
    each, lanes = tensor.element_bytes.constant(), _lanes(context, reading, counters)
    fields = (repeats.value, strides.field(f"{side}BlkStride"), strides.field(f"{side}RepStride"))
    times, block, step = (context.number(at(value, counters)) for value in fields)
    if not each or lanes is None or times is None or not 0 < times <= MOST_REPEATS or block is None or step is None:
        return None
    full, rest = divmod(lanes * each, BLOCK)
    last = (full * block * BLOCK + rest) if rest else ((full - 1) * block + 1) * BLOCK
    return ((times - 1) * step * BLOCK + last, repeats.value) if repeats.value is not None else None


def _lanes(context: Context, reading: Reading, counters: Mapping[str, int]) -> int | None:
    """How many elements the mask leaves on at most, counted from the first: by its number, or by its highest bit."""
    mask = reading.mask
    tensors = [operand.argument.tensor for operand in reading.operands]
    widths = [tensor.element_bytes.constant() for tensor in tensors if tensor is not None]
    known = [width for width in widths if width]
    if mask is None or not known or len(known) < len(widths) or "false" in reading.call.template_args:
        return None
    if mask.fields:
        words = [context.number(mask.field(f"[{index}]")) for index in (0, 1)]
        if None in words:
            return None
        lanes = sum((word or 0) << (64 * index) for index, word in enumerate(words)).bit_length()
    else:
        lanes = context.number(at(mask.value, counters)) or 0
    return lanes if 0 < lanes <= REPEAT_BYTES // max(known) else None


def copied(context: Context, copy: CopyEvent, counters: Mapping[str, int] = NO_COUNTERS) -> tuple[int, Value] | None:
    """Bytes that a copy spans on its side in UB: the gaps between rows count, the one behind the last does not."""
    if copy.params is None:
        size = context.number(at(copy.bytes, counters))
        return (size, copy.bytes) if size is not None and copy.bytes is not None else None
    rows, length = (copy.params.field(name) for name in ("blockCount", "blockLen"))
    inside = "dstStride" if copy.direction == "in" else "srcStride"
    numbers = [context.number(at(value, counters)) for value in (rows, length, copy.params.field(inside))]
    if rows is None or None in numbers or copy.direction not in ("in", "out"):
        return None
    count, each, gap = (value or 0 for value in numbers)
    row = each * BLOCK if copy.name == "DataCopy" else -(-each // BLOCK) * BLOCK
    return (count * row + max(count - 1, 0) * gap * BLOCK, rows) if count else None
