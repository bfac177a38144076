"""The copies of a run: how much each moves, in what pieces, and how often."""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import CopyEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.summary.model import Copy
from ascendopt.analysis.summary.quantities import Quantities
from ascendopt.analysis.values import Value, divide, number

BLOCK = 32


def copies(instance: Instance, quantities: Quantities) -> Iterator[Copy]:
    """Each copy once: a helper that is called again with the same numbers says nothing new."""
    seen: set[tuple[object, ...]] = set()
    for event in instance.of(CopyEvent):
        bursts, burst = _pieces(event)
        copy = Copy(
            api=event.name,
            direction=event.direction,
            element=event.element,
            bytes=quantities.maybe(event.bytes),
            bursts=quantities.maybe(bursts),
            burst_bytes=quantities.maybe(burst),
            rounds=quantities.maybe(_rounds(event)),
            loop_depth=len(event.loops),
            local=_local(event),
            argument=_origin(event),
            site=event.site,
        )
        key = (event.site, *(one and one.text for one in (copy.bytes, copy.bursts, copy.rounds)), copy.local)
        if key not in seen:
            seen.add(key)
            yield copy


def _pieces(event: CopyEvent) -> tuple[Value | None, Value | None]:
    """Number of bursts and bytes of one: the count form moves all in one piece."""
    if event.params is None:
        return (number(1), event.bytes) if event.bytes is not None else (None, None)
    count = event.params.field("blockCount")
    if count is None or event.bytes is None:
        return count, None
    length = event.params.field("blockLen")
    if length is not None:
        return count, length if event.name == "DataCopyPad" else length * number(BLOCK)
    known = count.constant()
    return count, divide(event.bytes, count) if known else None


def _rounds(event: CopyEvent) -> Value | None:
    product = number(1)
    for step in event.loops:
        if step.trip is None:
            return None
        product = product * step.trip
    return product


def _tensors(event: CopyEvent) -> list[TensorFact]:
    return [argument.tensor for argument in event.args if argument.tensor is not None]


def _local(event: CopyEvent) -> str | None:
    """The queue or TBuf on the local side."""
    names = (tensor.queue.name for tensor in _tensors(event) if tensor.memory == "local" and tensor.queue is not None)
    return next(names, None)


def _origin(event: CopyEvent) -> str | None:
    """The kernel's argument on the global side."""
    return next((tensor.origin for tensor in _tensors(event) if tensor.memory == "global"), None)
