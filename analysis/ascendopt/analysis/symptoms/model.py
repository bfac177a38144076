"""Symptoms: what keeps a kernel from being faster, in a closed vocabulary. They are the key of retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ascendopt.analysis.findings import FactValue, Related


class SymptomKind(str, Enum):
    """The causes that we tell apart. The value is stable: banks and journals hold it."""

    SINGLE_BUFFER = "single-buffer"
    """A queue of one buffer: the vector unit and the copies wait for each other."""
    SMALL_TILE = "small-tile"
    """Tiles are small while UB is mostly free: start-up costs are paid too often."""
    SMALL_BURST = "small-burst"
    """Many small copies where one larger or strided one would do."""
    SCALAR_LOOP = "scalar-loop"
    """Elements are worked on one by one with GetValue and SetValue."""
    SLOW_VECTOR_OP = "slow-vector-op"
    """An expensive vector instruction where a cheap one gives the same, such as a division by a constant."""
    EXTRA_FILL = "extra-fill"
    """A tensor is filled with one number only to be an operand, where a scalar form of the operation exists."""
    WIDE_BARRIER = "wide-barrier"
    """PIPE_ALL where a narrower barrier, or none, is enough: all pipes stand still."""
    LOOP_INVARIANT = "loop-invariant"
    """Work inside a loop that gives the same result each time."""
    EXTRA_COPY = "extra-copy"
    """Data is copied inside UB, or loaded again, although it is where it is needed."""
    UNEVEN_SPLIT = "uneven-split"
    """Some cores get more work than others: the last one decides."""
    FEW_CORES = "few-cores"
    """Cores of the chip stand idle."""


@dataclass(frozen=True)
class PipeProfile:
    """Busy time of each pipe of the fullest core, in microseconds, as a device reports it.

    ``pipes_us`` has the keys ``scalar vector mte2 mte3 cube mte1 fixpipe``; ``bound`` is the longest of them.
    ``idle_cores`` is the share of the chip's cores that got no block; None: not known.
    """

    latency_us: float
    pipes_us: Mapping[str, float]
    bound: str
    idle_cores: float | None = None


@dataclass(frozen=True)
class Symptom:
    """One bottleneck of one operator.

    ``pipe`` is the pipe that it keeps busy or waiting (``vector``, ``mte2`` ...); ``places`` are where the
    source causes it; ``evidence`` are its numbers under stable names (``tile_bytes``, ``calls``); ``weight`` in
    0 to 1 ranks symptoms of one operator: the share of the time that is at stake, as far as it is known.
    """

    kind: SymptomKind
    pipe: str
    text: str
    places: tuple[Related, ...]
    evidence: Mapping[str, FactValue] = field(default_factory=dict[str, FactValue])
    weight: float = 0.0
