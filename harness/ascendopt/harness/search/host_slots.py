"""Host code with slots where tunables stand, so that a device compiles it once for all their values.

The number's place gets ``ASCENDOPT_SLOT(type, index)``, and a ``constexpr`` that depends on it becomes ``const``: it is
then set when the object is loaded, after the slots. Numbers that must be constants for the compiler (bounds of arrays,
template arguments) make the result not compile; the device then compiles each candidate itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from ascendopt.harness.search.host_code import Replacement, is_host, parsed, replaced
from ascendopt.harness.search.tunables import Site, Tunable

_INT_MAX = 2**31 - 1
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class HostSlots:
    """Texts of the host files that changed, and the tunables in the order of their slots."""

    files: Mapping[str, str]
    tunables: tuple[Tunable, ...]


@dataclass(frozen=True)
class _Constant:
    """A ``constexpr`` declaration: its name, the names that its value mentions, and what makes it ``const``."""

    name: str
    start: int
    end: int
    mentions: frozenset[str]
    demotion: Replacement


def host_slots(texts: Mapping[str, str], tunables: Sequence[Tunable]) -> HostSlots | None:
    """Slots for the tunables that stand in host code, or None when none does. ``texts`` maps paths to whole texts."""
    wanted = tuple(t for t in tunables if any(is_host(site.path) for site in t.sites))
    if not wanted:
        return None
    sites: dict[str, list[tuple[int, Tunable, Site]]] = {}
    for index, tunable in enumerate(wanted):
        for site in tunable.sites:
            if is_host(site.path):
                sites.setdefault(site.path, []).append((index, tunable, site))
    constants = {
        path: _constants(text.encode("utf-8", "surrogateescape")) for path, text in texts.items() if is_host(path)
    }
    demoted = _demoted(constants, {path: [site for _, _, site in found] for path, found in sites.items()})
    files: dict[str, str] = {}
    for path, declared in constants.items():
        edits = [constant.demotion for constant in declared if constant in demoted]
        for index, tunable, site in sites.get(path, []):
            edits.append(Replacement(site.start, site.end, _slot(index, tunable, site)))
        if edits:
            files[path] = replaced(texts[path], edits)
    return HostSlots(files, wanted)


def _slot(index: int, tunable: Tunable, site: Site) -> str:
    """The number of a slot, or of its alternatives the one that it says."""
    if not tunable.alternatives:
        return f"ASCENDOPT_SLOT({_type(tunable, site)}, {index})"
    first, *others = tunable.alternatives
    text = f"({first})"
    for value, other in enumerate(others, 1):
        text = f"(ASCENDOPT_SLOT(int, {index}) == {value} ? static_cast<decltype({first})>({other}) : {text})"
    return text


def _type(tunable: Tunable, site: Site) -> str:
    """The type of the literal, one that holds the whole domain."""
    suffix = site.suffix.lower()
    unsigned = "unsigned " if "u" in suffix else ""
    if "l" in suffix:
        return f"{unsigned}long" if suffix.count("l") == 1 else f"{unsigned}long long"
    return f"{unsigned}int" if max(tunable.domain) <= _INT_MAX else "long long"


def _demoted(constants: Mapping[str, Sequence[_Constant]], sites: Mapping[str, Sequence[Site]]) -> set[_Constant]:
    """The constants that hold a slot, and those whose values mention one of them, in any file."""
    every = [constant for found in constants.values() for constant in found]
    result = {
        constant
        for path, found in constants.items()
        for constant in found
        if any(constant.start <= site.start < constant.end for site in sites.get(path, ()))
    }
    names = {constant.name for constant in result}
    while True:
        more = {constant for constant in every if constant not in result and constant.mentions & names}
        if not more:
            return result
        result |= more
        names |= {constant.name for constant in more}


def _constants(source: bytes) -> list[_Constant]:
    found: list[_Constant] = []
    stack = [parsed(source)]
    while stack:
        node = stack.pop()
        if node.type in ("declaration", "field_declaration"):
            constant = _constant(node, source)
            if constant is not None:
                found.append(constant)
        stack.extend(node.children)
    return found


def _constant(node: Node, source: bytes) -> _Constant | None:
    member = node.type == "field_declaration"
    word = next((child for child in node.children if _is_constant(child, member)), None)
    declarator = node.child_by_field_name("declarator")
    if word is None or declarator is None:
        return None
    name = _WORD.match(source[declarator.start_byte : declarator.end_byte].decode("utf-8", "replace"))
    if name is None:
        return None
    value = source[declarator.start_byte + name.end() : node.end_byte].decode("utf-8", "replace")
    demotion = Replacement(word.start_byte, word.end_byte, "inline const" if member else "const")
    return _Constant(name.group(), node.start_byte, node.end_byte, frozenset(_WORD.findall(value)), demotion)


def _is_constant(child: Node, member: bool) -> bool:
    """A member that is only ``const`` must be ``inline`` as well to take a value that is not known."""
    return child.type == "type_qualifier" and child.text in ((b"constexpr", b"const") if member else (b"constexpr",))
