"""What an operator consists of: its files, its definition, its entries and tiling structs. Plain frozen
data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from ascendopt.analysis.findings import Span


class NotAnOperator(Exception):
    """The path names no operator; the message is one sentence for the user."""


class Layout(str, Enum):
    """How the files lie: ``PROJECT`` has op_host and/or op_kernel; ``SINGLE`` is one kernel-launch source;
    ``BESIDE`` is one kernel source with its tiling source in the same folder."""

    PROJECT = "project"
    BESIDE = "beside"
    SINGLE = "single"


@dataclass(frozen=True)
class Port:
    """One input or output of the OpDef. ``dtypes``: one entry a column (``float16``, ``float32``,
    ``bfloat16`` ...), canonical numpy-like names. ``kind``: ``required``, ``optional`` or ``dynamic`` (a
    tensor list)."""

    name: str
    kind: str
    dtypes: tuple[str, ...]
    formats: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attr:
    """One attribute. ``type`` is the OpDef method's name (``Float``, ``Int``, ``Bool``, ``ListInt``...);
    ``default`` is source text or None; ``required`` as declared."""

    name: str
    type: str
    default: str | None
    required: bool


@dataclass(frozen=True)
class OpDef:
    """The operator's registration. ``socs`` come from ``AddConfig``, lower case. ``is_macro`` means that a
    macro made it: name and dtype columns may then be all that is known (no ports)."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    attrs: tuple[Attr, ...]
    socs: tuple[str, ...]
    tiling_function: str | None
    path: Path
    span: Span
    is_macro: bool = False
    macro_dtypes: tuple[str, ...] = ()

    def columns(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Supported dtype combinations: per column, pairs of port name and dtype."""
        ports = [port for port in (*self.inputs, *self.outputs) if port.dtypes]
        width = max((len(port.dtypes) for port in ports), default=0)
        return tuple(
            tuple((port.name, port.dtypes[min(index, len(port.dtypes) - 1)]) for port in ports)
            for index in range(width)
        )


@dataclass(frozen=True)
class TilingField:
    """``type`` is the C type (``uint32_t``) or the struct's name when ``is_struct``; ``length`` is the array
    length: 1 for a scalar, None if it is not a number that the file states."""

    name: str
    type: str
    length: int | None = 1
    is_struct: bool = False
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True)
class TilingStruct:
    """A tiling struct, from the macros or a plain struct. ``ops`` are the names it is registered under."""

    name: str
    fields: tuple[TilingField, ...]
    path: Path
    span: Span
    ops: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A ``__global__`` function. ``parameters`` are (type, name) pairs."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    path: Path
    span: Span


@dataclass(frozen=True)
class Operator:
    """One operator on disk.

    ``root`` is the folder (or, for ``SINGLE``, the file). ``kernel_files`` start with the files that hold an
    entry and continue with what they include inside the repository; ``host_files`` are definition, tiling and
    the repository headers they include. ``name`` is the entry's snake_case name.
    """

    name: str
    root: Path
    layout: Layout
    kernel_files: tuple[Path, ...]
    host_files: tuple[Path, ...]
    definition: OpDef | None
    entries: tuple[Entry, ...]
    tiling_structs: tuple[TilingStruct, ...]
    tiling_functions: tuple[str, ...]
