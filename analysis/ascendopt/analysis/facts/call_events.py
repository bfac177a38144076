"""Events of calls whose arguments say more than what they are: copies and flags."""

from __future__ import annotations

from ascendopt.analysis.facts.declared import Argument, Site, TensorFact
from ascendopt.analysis.facts.events import CopyEvent, FlagEvent, Step
from ascendopt.analysis.facts.places import Place
from ascendopt.analysis.facts.runtime import struct_table
from ascendopt.analysis.values import Value

Common = tuple[
    Site,
    int,
    tuple[Step, ...],
    tuple[Site, ...],
    str,
    tuple[str, ...],
    tuple[Argument, ...],
    TensorFact | None,
    str,
    Place,
]
"""The fields of an ApiCall, in order."""


def copy_event(common: Common, name: str, args: tuple[Argument, ...]) -> CopyEvent:
    """``DataCopy`` and ``DataCopyPad``: direction, and bytes where the arguments say them."""
    target, source = args[0].tensor, args[1].tensor
    places = {"local": "l", "global": "g"}
    kinds = "".join(places[t.memory] if t is not None else "?" for t in (target, source))
    direction = {"lg": "in", "gl": "out", "ll": "local"}.get(kinds, "?")
    known = target if target is not None and target.element is not None else source
    element = known.element if known is not None else None
    third = args[2] if len(args) > 2 else None
    params = third if third is not None and third.struct in struct_table().structs else None
    count = third.value if third is not None and params is None else None
    size: Value | None = None
    if count is not None and known is not None:
        size = count * known.element_bytes
    elif params is not None:
        blocks, length = params.field("blockCount"), params.field("blockLen")
        if blocks is not None and length is not None:
            size = blocks * length * (32 if name == "DataCopy" else 1)
    return CopyEvent(
        *common,
        direction=direction,
        element=element,
        count=count,
        params=params,
        bytes=size,
    )


def flag_event(common: Common, targs: tuple[str, ...], args: tuple[Argument, ...]) -> FlagEvent:
    """``SetFlag`` and ``WaitFlag``: the event as template argument, or as two pipes."""
    texts = [argument.text for argument in args]
    if targs:
        event = targs[0].rsplit("::", 1)[-1]
        flag = texts[0] if texts else ""
    else:
        pipes = [text.rsplit("::", 1)[-1].removeprefix("PIPE_") for text in texts[:2]]
        event = "_".join(pipes)
        flag = texts[2] if len(texts) > 2 else ""
    return FlagEvent(
        *common,
        event=event,
        flag=flag,
    )
