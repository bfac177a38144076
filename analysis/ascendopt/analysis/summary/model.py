"""The summary of one operator. Plain frozen data; sizes are bytes, places are sites of the files on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.chips import Chip
from ascendopt.analysis.facts.declared import Site
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.operators import TilingStruct
from ascendopt.analysis.summary.ub_use import UbUse
from ascendopt.analysis.symptoms import Symptom


@dataclass(frozen=True)
class Quantity:
    """A number of the kernel. ``text`` is its closed form over tiling fields (``tiling.tileLength``), launch arguments
    (``arg.n``), ``block_idx`` and loop variables; a name that starts with ``?`` is not understood.
    ``host_text`` is the same over what the host code computes from (``input0.size``, ``host.ub_size``), None where that
    adds nothing. ``value`` is None when it is not the same for all cases; ``low`` and ``high`` bound it; it is a
    multiple of ``multiple_of``. ``by_case`` has its number in each case that gives one."""

    text: str
    value: int | None
    host_text: str | None = None
    low: int | None = None
    high: int | None = None
    multiple_of: int = 1
    by_case: Mapping[str, int] | None = None

    @property
    def is_resolved(self) -> bool:
        """False when the closed form holds something that the analysis did not understand."""
        return "?" not in self.text


@dataclass(frozen=True)
class Queue:
    """A declared ``TQue``, ``TQueBind`` or ``TBuf``; ``count`` is the length of an array of them."""

    name: str
    kind: str
    positions: tuple[str, ...]
    depth: int | None
    count: int | None
    owner: str
    site: Site


@dataclass(frozen=True)
class Buffer:
    """What one ``InitBuffer`` takes: ``num`` buffers of ``length`` bytes, ``bytes`` together with the rounding to 32.
    ``in_ub`` is False for L1 and L0. ``queue`` is the declaration's name, else the source text."""

    queue: str
    kind: str
    positions: tuple[str, ...]
    in_ub: bool
    num: Quantity
    length: Quantity
    bytes: Quantity
    site: Site


@dataclass(frozen=True)
class Copy:
    """One ``DataCopy``/``DataCopyPad``. ``burst_bytes`` is what moves in one piece, ``bursts`` how many pieces a call
    moves, ``rounds`` how often the loops around it run: None where that is not known."""

    api: str
    direction: str
    element: str | None
    bytes: Quantity | None
    bursts: Quantity | None
    burst_bytes: Quantity | None
    rounds: Quantity | None
    loop_depth: int
    local: str | None
    argument: str | None
    site: Site


@dataclass(frozen=True)
class FieldSet:
    """One host line that sets a tiling field. ``origin`` is where the variable that it passes got its value."""

    struct: str
    site: Site
    text: str
    value: Quantity | None
    conditional: bool
    origin: Site | None


@dataclass(frozen=True)
class Field:
    """A tiling field and its flow. ``type`` and ``length`` are None where no struct declares it. ``sets`` are host
    lines, ``reads`` kernel lines, ``by_case`` its values in the cases."""

    name: str
    type: str | None
    length: int | None
    struct: TilingStruct | None
    declared: tuple[int, int] | None
    sets: tuple[FieldSet, ...]
    reads: tuple[Site, ...]
    by_case: Mapping[str, int | float | tuple[int | float, ...]]


@dataclass(frozen=True)
class Launch:
    """A host call that decides how the kernel starts: block dim, tiling key, workspace bytes."""

    name: str
    site: Site
    text: str
    value: Quantity | None
    conditional: bool


@dataclass(frozen=True)
class Run:
    """One run of the kernel that the source allows: an entry, a tiling key, a dtype column (``instance``)."""

    instance: Instance
    ub: UbUse | None
    ub_bytes: Quantity | None
    buffers: tuple[Buffer, ...]
    copies: tuple[Copy, ...]
    ub_by_case: Mapping[str, UbUse]


@dataclass(frozen=True)
class CaseNumbers:
    """A workload case and what the host tiling gave for it."""

    case: ActiveCase
    symptoms: tuple[Symptom, ...]


@dataclass(frozen=True, eq=False)
class Summary:
    """Everything about one operator on one chip. ``keys`` are the tiling keys that the kernel asks for."""

    facts: OperatorFacts
    chip: Chip
    queues: tuple[Queue, ...]
    runs: tuple[Run, ...]
    fields: tuple[Field, ...]
    launches: tuple[Launch, ...]
    keys: tuple[int, ...]
    symptoms: tuple[Symptom, ...]
    cases: tuple[CaseNumbers, ...]
