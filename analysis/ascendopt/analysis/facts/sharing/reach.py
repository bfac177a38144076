"""Which names the walk of a function can come across: those in its text, and in the text of what these names mean."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascendopt.analysis.facts.program import Program

_WORD = re.compile(r"[A-Za-z_]\w*")
_WHOLE_OBJECT = re.compile(r"\bthis\b(?!\s*->)")
WHOLE = "*this"
"""Stands among the names where an object may be passed on, or returned, as a whole."""


class Reach:
    """Of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._members = self._members_by_name()
        self._said: dict[str, frozenset[str]] = {}
        self._closed: dict[frozenset[str], frozenset[str] | None] = {}

    def names(self, roots: frozenset[str]) -> frozenset[str] | None:
        """All names that declarations called one of ``roots`` lead to; None where macros put names together."""
        if roots not in self._closed:
            self._closed[roots] = self._close(roots)
        return self._closed[roots]

    def means_something(self, name: str) -> bool:
        """True when the program declares ``name``."""
        return bool(self._words(name))

    def _close(self, roots: frozenset[str]) -> frozenset[str] | None:
        found = set(roots)
        stack = list(roots)
        while stack:
            name = stack.pop()
            macro = self._program.macros.peek(name)
            if macro is not None and "##" in macro.body:
                return None
            new = self._words(name) - found
            found |= new
            stack.extend(new)
        return frozenset(found)

    def _words(self, name: str) -> frozenset[str]:
        """The names in the text of all declarations called ``name``."""
        known = self._said.get(name)
        if known is None:
            texts = list(self._texts(name))
            known = frozenset(word for text in texts for word in _words_of(text))
            self._said[name] = known
        return known

    def _texts(self, name: str) -> Iterable[str | bytes]:
        program = self._program
        for function in program.named(name):
            yield function.content.masked
            yield function.content.data
            yield from function.defaults
            yield function.guard
        macro = program.macros.peek(name)
        if macro is not None:
            yield macro.body
        constant = program.constants.peek(name)
        for declared in (constant, *constant.variants) if constant is not None else ():
            yield declared.content.masked
            yield from (parameter.default or "" for parameter in declared.templates)
        for alias in program.aliases.peek(name) or ():
            yield alias.type
            yield alias.guard
            yield from (parameter.default or "" for parameter in alias.templates)
        for info in program.classes.peek(name) or ():
            yield from info.bases
            yield from info.specialised
            yield info.guard
            yield from (parameter.default or "" for parameter in info.templates)
        yield from self._members.get(name, ())

    def _members_by_name(self) -> dict[str, list[str | bytes]]:
        """Texts of the fields and types that classes declare."""
        found: dict[str, list[str | bytes]] = {}
        for infos in self._program.classes.values():
            for info in infos:
                for name, declared in info.fields.items():
                    found.setdefault(name, []).append(declared.content.masked)
                for name, text in info.aliases.items():
                    found.setdefault(name, []).append(text)
        return found


def _words_of(text: str | bytes) -> Iterable[str]:
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return [*_WORD.findall(shown), WHOLE] if _WHOLE_OBJECT.search(shown) else _WORD.findall(shown)
