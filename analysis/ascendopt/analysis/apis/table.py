"""What the documentation says of each function. Data in ``data/apis.json``, with the page of every entry."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, cast

_DEFAULTED = frozenset({"order", "isReuseSource", "calIndex", "roundEn", "isLargest", "isUnitFlag"})


@dataclass(frozen=True)
class Parameter:
    """One parameter. ``kind``: ``local`` and ``global`` tensors, ``int``, ``scalar``, ``mask``, ``struct``, ``enum``,
    ``bool``, ``other``. ``element`` is the element type (``T``, ``uint8_t``) of a tensor, else the C++ type."""

    name: str
    kind: str
    element: str | None

    @property
    def may_be_left_out(self) -> bool:
        """Parameters with a default value."""
        return self.kind in ("enum", "bool") and self.name in _DEFAULTED


@dataclass(frozen=True)
class Combination:
    """Rows of dtypes (and modes) that belong together, under named columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Page:
    """One page of the documentation: a function may have several. ``families`` are the chips that have it;
    ``types`` maps a family to the dtypes that each template parameter may be."""

    pipe: str | None
    families: frozenset[str]
    signatures: tuple[tuple[Parameter, ...], ...]
    types: Mapping[str, Mapping[str, frozenset[str]]]
    combinations: Mapping[str, tuple[Combination, ...]]
    source: str


@cache
def _table() -> Mapping[str, tuple[Page, ...]]:
    text = resources.files("ascendopt.analysis").joinpath("data/apis.json").read_text("utf-8")
    apis = cast("dict[str, list[dict[str, Any]]]", json.loads(text)["apis"])
    return {name: tuple(_page(entry) for entry in entries) for name, entries in apis.items()}


def _page(entry: Mapping[str, Any]) -> Page:
    return Page(
        pipe=entry["pipe"],
        families=frozenset(entry["families"]),
        signatures=tuple(tuple(Parameter(*part) for part in one) for one in entry["signatures"]),
        types={
            family: {letter: frozenset(names) for key, names in said.items() for letter in key.split("/")}
            for family, said in entry.get("types", {}).items()
        },
        combinations={
            family: tuple(
                Combination(tuple(one["columns"]), tuple(tuple(map(str, row)) for row in one["rows"])) for one in said
            )
            for family, said in entry.get("combinations", {}).items()
        },
        source=entry["doc"],
    )


def api_names() -> frozenset[str]:
    """Every function that is known by name."""
    return frozenset(_table())


def pages(name: str) -> tuple[Page, ...]:
    """The pages of a function; none for a name that is not in the table."""
    return _table().get(name, ())


@cache
def structs_of_parameter(name: str, count: int, index: int) -> tuple[str, ...]:
    """The parameter structures that argument ``index`` of ``count`` may be, so that bare braces can be read; none when
    no form of that length has a structure there."""
    found = (
        (parameters[index].element or "").partition("<")[0]
        for page in pages(name)
        for parameters in page.signatures
        if len(parameters) == count and parameters[index].kind == "struct"
    )
    return tuple(dict.fromkeys(found))


@cache
def enumerations() -> frozenset[str]:
    """The enumerations that documented functions take."""
    found = (
        parameter.element
        for entries in _table().values()
        for page in entries
        for parameters in page.signatures
        for parameter in parameters
        if parameter.kind == "enum"
    )
    return frozenset(element for element in found if element is not None)


def known_on(name: str, family: str) -> bool:
    """True when a page of ``name`` says that chips of ``family`` have it."""
    return any(family in page.families for page in pages(name))
