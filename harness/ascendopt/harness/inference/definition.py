"""The definition that inference starts from, read from one entry of a describe answer's ``ops``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ascendopt.harness.dtypes import DTYPES

# Each column compiles a kernel of its own; the first ones show what an operator does.
MAX_COLUMNS = 8


@dataclass(frozen=True)
class Port:
    """One input or output. ``scalar`` and ``scalar_list`` inputs are host values of one or some elements."""

    name: str
    kind: str
    dtypes: tuple[str, ...]
    formats: tuple[str, ...] = ()
    scalar: bool = False
    scalar_list: bool = False

    def dtype(self, column: int) -> str:
        """The dtype in a column of the parallel lists; a shorter list repeats."""
        return self.dtypes[column % len(self.dtypes)] if self.dtypes else "undefined"

    def is_plain(self, column: int) -> bool:
        """Whether the column's format is a plain one, in which a tensor's elements lie in the order of its shape."""
        return not self.formats or self.formats[column % len(self.formats)] in ("ND", "NCHW", "NHWC", "NCDHW", "NCL")


@dataclass(frozen=True)
class AttrPort:
    """One attribute. Also an optional one may be without a default, and its operator read it all the same."""

    name: str
    type: str
    required: bool
    has_default: bool = True


@dataclass(frozen=True)
class OperatorDefinition:
    """Inputs, outputs and attributes in order. ``socs`` are the chips' names as ``AddConfig`` has them."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    attrs: tuple[AttrPort, ...]
    socs: tuple[str, ...] = ()

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, then outputs."""
        return (*self.inputs, *self.outputs)

    def columns(self) -> list[int]:
        """Dtype columns that can be run: plain formats where there are some, each combination once."""
        width = max((len(port.dtypes) for port in self.ports), default=0)
        runnable = [c for c in range(width) if DTYPES.issuperset(port.dtype(c) for port in self._present())]
        plain = [c for c in runnable if all(port.is_plain(c) for port in self._present())]
        return list(self._distinct(plain or runnable))

    def _present(self) -> Sequence[Port]:
        return [port for port in self.ports if port.kind != "optional" or port.dtypes]

    def _distinct(self, columns: Sequence[int]) -> Iterator[int]:
        seen: set[tuple[str, ...]] = set()
        for column in columns:
            dtypes = tuple(port.dtype(column) for port in self.ports if port.kind != "optional")
            if dtypes not in seen and len(seen) < MAX_COLUMNS:
                seen.add(dtypes)
                yield column


def read_definition(described: Mapping[str, object]) -> OperatorDefinition:
    """Raises KeyError when the entry has another form."""
    attrs = cast("Sequence[Mapping[str, Any]]", described["attrs"])
    return OperatorDefinition(
        str(described["name"]),
        _ports(described["inputs"]),
        _ports(described["outputs"]),
        tuple(
            AttrPort(attr["name"], attr["type"], bool(attr["required"]), attr.get("default") is not None)
            for attr in attrs
        ),
        tuple(cast("Sequence[str]", described.get("socs", ()))),
    )


def _ports(entries: object) -> tuple[Port, ...]:
    return tuple(
        Port(
            entry["name"],
            entry["kind"],
            tuple(entry["dtypes"]),
            tuple(entry.get("formats", ())),
            bool(entry.get("scalar")),
            bool(entry.get("scalar_list")),
        )
        for entry in cast("Sequence[Mapping[str, Any]]", entries)
    )
