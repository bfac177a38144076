"""Facts of the host side: what the tiling program sets. Plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ascendopt.analysis.facts.declared import FunctionFact, Site
from ascendopt.analysis.findings import Span
from ascendopt.analysis.values import Range, Value, bounds


@dataclass(frozen=True)
class TilingSet:
    """``tiling.set_field(expr)`` or ``tiling->field = expr`` on the host. ``value`` is over host symbols
    (``host.ub_size``, ``host.core_num``, ``input0.size`` ...); None when not understood. ``conditional`` is
    True inside an undecided branch. ``value_text``/``value_span`` are the argument; ``origin`` is the
    declaration or last assignment of the local variable that is passed, if the argument is a plain name."""

    struct: str
    field: str
    site: Site
    value: Value | None
    value_text: str
    value_span: Span
    conditional: bool
    origin: Site | None = None


@dataclass(frozen=True)
class HostCall:
    """``SetBlockDim``, ``SetTilingKey``, workspace size: ``name`` and the value set."""

    name: str
    site: Site
    value: Value | None
    value_text: str
    conditional: bool


LAUNCH = "<<<>>>"
"""The struct of a ``TilingSet`` that is an argument of a kernel launch."""


@dataclass(frozen=True)
class HostConstant:
    """A constant at file level, a macro without parameters, or a local variable: initialised with a known value."""

    name: str
    value: int
    site: Site
    is_local: bool = False


@dataclass(frozen=True)
class TilingModel:
    """Facts of the host side. ``functions`` are the tiling functions walked. ``sets`` are in program order;
    the last unconditional one of a field wins. Where the host launches the kernel itself, its arguments are
    ``sets`` of the entry's parameters, with the struct ``LAUNCH``. ``guards`` are conditions that hold
    whenever the function does not turn back early."""

    paths: tuple[Path, ...]
    functions: tuple[FunctionFact, ...]
    sets: tuple[TilingSet, ...]
    calls: tuple[HostCall, ...]
    constants: tuple[HostConstant, ...] = ()
    guards: tuple[Value, ...] = ()

    @property
    def bounds(self) -> dict[str, Range]:
        """The least and the greatest number of each symbol with which the host gets past its ``guards``."""
        return bounds(self.guards)

    def sets_of(self, name: str) -> tuple[TilingSet, ...]:
        """Every place that sets tiling field ``name``."""
        return tuple(entry for entry in self.sets if entry.field == name)

    def calls_of(self, name: str) -> tuple[HostCall, ...]:
        """Every ``SetBlockDim`` (say) call."""
        return tuple(call for call in self.calls if call.name == name)
