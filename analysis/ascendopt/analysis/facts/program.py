"""All files of one side of an operator together: names to classes, functions, constants and macros."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from ascendopt.analysis.facts.expansions import WORD, parsed_statements, substitute_macro
from ascendopt.analysis.facts.ir import Body, ExprStmt, If, Piece, Stmt
from ascendopt.analysis.facts.lower import make_body
from ascendopt.analysis.facts.pieces import links
from ascendopt.analysis.facts.places import Region
from ascendopt.analysis.facts.reads import EffectsOf, ForkAt, Query, Reads, Watched, WritesOf
from ascendopt.analysis.facts.unit import Alias, ClassInfo, FieldInfo, FunctionInfo, Macro, Unit


@dataclass(slots=True)
class _Effects:
    """Names that code assigns, declares variables with, and calls."""

    assigned: set[str]
    types: set[str]
    called: set[str]


class Program:
    """Name tables over units. Where two files define a name, the first one read wins.

    Walks look names up in the tables and ask the methods below; ``reads`` says what they asked.
    """

    def __init__(self, units: Iterable[Unit]) -> None:
        self.units = tuple(units)
        self._classes: dict[str, list[ClassInfo]] = {}
        self._functions: dict[str, list[FunctionInfo]] = {}
        self._constants: dict[str, FieldInfo] = {}
        self._macros: dict[str, Macro] = {}
        self._aliases: dict[str, list[Alias]] = {}
        self._classes_of = self._with_methods()
        for unit, infos in zip(self.units, self._classes_of, strict=True):
            for info in infos:
                self._classes.setdefault(info.name, []).append(info)
            for function in unit.functions:
                self._functions.setdefault(function.name, []).append(function)
            for name, constant in unit.constants.items():
                self._constants.setdefault(name, constant)
            for name, macro in unit.macros.items():
                self._macros.setdefault(name, macro)
            for name, alias in unit.aliases:
                self._aliases.setdefault(name, []).append(alias)
        for variant in (one for unit in self.units for one in unit.variants):
            primary = self._constants.get(variant.name)
            if primary is not None:
                self._constants[variant.name] = replace(primary, variants=(*primary.variants, variant))
        self.reads = Reads()
        self.classes = Watched(self._classes, self.reads)
        self.functions = Watched(self._functions, self.reads)
        self.constants = Watched(self._constants, self.reads)
        self.macros = Watched(self._macros, self.reads)
        self.aliases = Watched(self._aliases, self.reads)
        self._method_table: dict[str, list[FunctionInfo]] | None = None
        self._kernel_branches: dict[If, bool] = {}
        self._link_table: dict[Region, If] | None = None
        self._writable: dict[str, frozenset[int]] = {}
        self._effects: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._direct: dict[str, _Effects] = {}
        self._takers: dict[tuple[ClassInfo, str, int], tuple[FunctionInfo, ...]] = {}

    def _with_methods(self) -> list[list[ClassInfo]]:
        """The classes of each unit, joined by their out-of-class definitions. Units outlive programs, so a class
        that gets some is a copy."""
        outside: dict[str, list[FunctionInfo]] = {}
        for unit in self.units:
            for function in unit.methods:
                outside.setdefault(function.owner, []).append(function)
        known = {(info.name, info.specialised) for unit in self.units for info in unit.classes}
        return [[_joined(info, outside.get(info.name, []), known) for info in unit.classes] for unit in self.units]

    def classes_of(self, unit: Unit) -> list[ClassInfo]:
        """The classes that a unit declares, with the methods that any unit defines for them."""
        return self._classes_of[self.units.index(unit)]

    # ------------------------------------------------------------------ questions of a walk

    def start_reads(self) -> Reads:
        """From now on, what is asked goes to a new record."""
        self.reads = Reads()
        for table in (self.classes, self.functions, self.constants, self.macros, self.aliases):
            table.reads = self.reads
        return self.reads

    def answer(self, query: Query) -> object:
        """What a walk learns from a question; equal answers of two programs give equal walks."""
        if isinstance(query, str):
            return self._declarations(query)
        if isinstance(query, Region):
            return query.content
        if isinstance(query, If):
            return self.builds_kernel(query)
        if isinstance(query, ForkAt):
            link = self._links().get(query.link)
            return self.builds_kernel(link) if link is not None else None
        return self.assigned(query.name) if isinstance(query, EffectsOf) else self._writes(query.name)

    def _links(self) -> dict[Region, If]:
        if self._link_table is None:
            entries = [f for functions in self._functions.values() for f in functions if f.is_entry]
            found = [link for entry in entries for link in links(entry.body().statements)]
            self._link_table = {link.link: link for link in found if link.link is not None}
        return self._link_table

    def _declarations(self, name: str) -> object:
        constant, macro = self._constants.get(name), self._macros.get(name)
        return (
            tuple(info.signature for info in self._classes.get(name, ())),
            tuple(function.signature for function in self._functions.get(name, ())),
            constant.signature if constant is not None else None,
            macro,
            tuple(self._aliases.get(name, ())),
        )

    def entered(self, function: FunctionInfo) -> Body:
        """The body of a function that is walked."""
        self.reads.queries.add(function.head or function.region)
        return function.body()

    def methods(self, info: ClassInfo, name: str, count: int) -> tuple[FunctionInfo, ...]:
        """The methods of one class called ``name`` that take ``count`` arguments."""
        key = (info, name, count)
        known = self._takers.get(key)
        if known is None:
            fitting = (method for method in info.methods.get(name, ()) if method.body().accepts(count))
            known = self._takers[key] = tuple(fitting)
        return known

    # ------------------------------------------------------------------ effects

    def assigned(self, name: str) -> frozenset[str]:
        """Names that every function called ``name`` and what it calls assign."""
        self.reads.queries.add(EffectsOf(name))
        return self._effects_of(name)[0]

    def _effects_of(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """Assigned names and declared types."""
        if name not in self._effects:
            assigned: set[str] = set()
            types: set[str] = set()
            called: set[str] = {name}
            stack = [name]
            while stack:
                own = self._own_effects(stack.pop())
                assigned |= own.assigned
                types |= own.types
                new = own.called - called
                called |= new
                stack.extend(new)
            self._effects[name] = (frozenset(assigned), frozenset(types))
        return self._effects[name]

    def _own_effects(self, name: str) -> _Effects:
        """What every function or macro called ``name`` does itself."""
        known = self._direct.get(name)
        if known is None:
            known = self._direct[name] = _Effects(set(), set(), set())
            for function in self.named(name):
                body = function.body()
                known.assigned.update(body.assigned)
                known.assigned.update(item for callee, index, item in body.passed if index in self._writes(callee))
                known.types.update(body.declared_types)
                known.called.update(body.called)
            macro = self._macros.get(name)
            if macro is not None:
                known.types.update(WORD.findall(macro.body))
                known.assigned.update(re.findall(r"(\w+)\s*[-+*/]?=", macro.body))
                known.called.update(re.findall(r"(\w+)\s*\(", macro.body))
        return known

    def written(self, passed: Iterable[tuple[str, int, str]]) -> set[str]:
        """The names among call arguments that a function of the program can write to."""
        found: set[str] = set()
        for function, index, name in passed:
            self.reads.queries.add(WritesOf(function))
            if index in self._writes(function):
                found.add(name)
        return found

    def _writes(self, name: str) -> frozenset[int]:
        """Positions of the parameters that some function called ``name`` can write to."""
        if name not in self._writable:
            self._writable[name] = frozenset(
                index
                for function in self.named(name)
                for index, parameter in enumerate(function.body().parameters)
                if parameter.indirect and not parameter.is_const
            )
        return self._writable[name]

    def named(self, name: str) -> list[FunctionInfo]:
        """Every function or method called ``name``."""
        return [*self._functions.get(name, ()), *self._methods_by_name().get(name, ())]

    def _methods_by_name(self) -> dict[str, list[FunctionInfo]]:
        if self._method_table is None:
            table: dict[str, list[FunctionInfo]] = {}
            for infos in self._classes.values():
                for info in infos:
                    for name, methods in info.methods.items():
                        table.setdefault(name, []).extend(methods)
            self._method_table = table
        return self._method_table

    # ------------------------------------------------------------------ branches that build kernels

    def builds_kernel(self, statement: If) -> bool:
        """True when an arm declares an object of a class of the program, itself or through what it calls."""
        # A link is asked for by its place: what it says depends on arms that the walk does not see.
        self.reads.queries.add(ForkAt(statement.link) if statement.link is not None else statement)
        known = self._kernel_branches.get(statement)
        if known is not None:
            return known
        # A link of an else-if chain asks the next one: looking through the rest of the chain for every link would
        # take time that grows with the square of its length.
        chain = [statement]
        while (link := _next_link(chain[-1])) is not None:
            chain.append(link)
        known = self._creates(chain[-1].otherwise)
        for link in reversed(chain):
            known = known or self._creates(link.then)
            self._kernel_branches[link] = known
            if link.condition is not None and not known:
                known = self._creates((ExprStmt(link.start, link.end, link.condition),))
        return self._kernel_branches[statement]

    def _creates(self, statements: tuple[Stmt, ...]) -> bool:
        inner = make_body((), statements)
        types = set(inner.declared_types)
        for name in inner.called:
            types |= self._effects_of(name)[1]
        heads = {split_template(text)[0].rsplit("::", 1)[-1] for text in types}
        heads.update(name for _, _, name in inner.passed)  # a dispatch macro gets the class as an argument
        return any(head in self._classes for head in heads)

    # ------------------------------------------------------------------ macros

    def expansion(self, name: str, arguments: tuple[str, ...]) -> tuple[Stmt, ...] | None:
        """The statements that a function-like macro stands for; None when it does not expand to
        statements."""
        macro = self.macros.get(name)
        if macro is None or macro.parameters is None:
            return None
        return parsed_statements(substitute_macro(macro, arguments))


def split_arguments(text: str) -> tuple[str, ...]:
    """Texts between the commas of an argument list; what stands in brackets holds together."""
    parts = _split(text, "([{", ")]}")
    return () if parts == ("",) else parts


@lru_cache(maxsize=4096)
def split_template(text: str) -> tuple[str, tuple[str, ...]]:
    """``TQue<VECIN, 1>`` -> (``TQue``, (``VECIN``, ``1``)); nested brackets stay whole."""
    opening = text.find("<")
    if opening < 0 or not text.endswith(">"):
        return text, ()
    parts = _split(text[opening + 1 : -1], "<([{", ">)]}")
    return text[:opening], parts if parts[-1] else parts[:-1]


def _split(text: str, opening: str, closing: str) -> tuple[str, ...]:
    """The parts between the commas outside of brackets, at least one."""
    parts: list[str] = []
    depth = 0
    start = 0
    for at, char in enumerate(text):
        if char in opening:
            depth += 1
        elif char in closing:
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return (*parts, text[start:].strip())


def _joined(info: ClassInfo, outside: list[FunctionInfo], known: set[tuple[str, tuple[str, ...]]]) -> ClassInfo:
    """With the definitions outside of the class that are of this specialisation; one of a specialisation that is not
    written out is of the primary template."""
    outside = [
        function
        for function in outside
        if function.owner_arguments == info.specialised
        or (not info.specialised and (function.owner, function.owner_arguments) not in known)
    ]
    if not outside:
        return info
    methods = {name: list(group) for name, group in info.methods.items()}
    for function in outside:
        methods.setdefault(function.name, []).append(_with_defaults(function, info))
    return replace(info, methods=methods)


def _with_defaults(function: FunctionInfo, info: ClassInfo) -> FunctionInfo:
    """The definition with the default arguments that the class states for it."""
    if not any(name == function.name for name, _ in info.defaults):
        return function
    stated = info.defaults.get((function.name, len(function.body().parameters)))
    return replace(function, defaults=stated, _body=None) if stated else function


def _next_link(statement: If) -> If | None:
    """The `else if` of a branch."""
    rest = statement.otherwise
    if len(rest) == 1 and isinstance(rest[0], Piece) and not rest[0].is_scope:
        rest = rest[0].body
    return rest[0] if len(rest) == 1 and isinstance(rest[0], If) else None
