"""All files of one side of an operator together: names to classes, functions, constants and macros."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tree_sitter import Node, Parser

from ascendopt.analysis.facts.ir import Expr, Stmt
from ascendopt.analysis.facts.lower import BodyLowering
from ascendopt.analysis.facts.unit import ClassInfo, FieldInfo, FunctionInfo, Macro, Unit
from ascendopt.analysis.source.masking import mask
from ascendopt.analysis.source.source_file import LANGUAGE
from ascendopt.analysis.source.words import load_words

_WORD = re.compile(r"[A-Za-z_]\w*|[^\w\s]|\s+|\d\w*")


class Program:
    """Name tables over units. Where two files define a name, the first one read wins."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.units = tuple(units)
        self.classes: dict[str, list[ClassInfo]] = {}
        self.functions: dict[str, list[FunctionInfo]] = {}
        self.constants: dict[str, FieldInfo] = {}
        self.macros: dict[str, Macro] = {}
        self.aliases: dict[str, str] = {}
        for unit in self.units:
            for info in unit.classes:
                self.classes.setdefault(info.name, []).append(info)
            for function in unit.functions:
                self.functions.setdefault(function.name, []).append(function)
            for name, constant in unit.constants.items():
                self.constants.setdefault(name, constant)
            for name, macro in unit.macros.items():
                self.macros.setdefault(name, macro)
            for name, alias in unit.aliases.items():
                self.aliases.setdefault(name, alias)
        self._attach_methods()
        self._expansions: dict[tuple[str, tuple[str, ...]], tuple[Stmt, ...]] = {}
        self._expressions: dict[str, Expr | None] = {}
        self._method_table: dict[str, list[FunctionInfo]] | None = None
        self.kernel_branches: dict[int, bool] = {}
        """Which branches (by identity of the lowered statement) build kernel objects."""
        self._effects: dict[str, tuple[frozenset[str], frozenset[str], frozenset[str]]] = {}

    def _attach_methods(self) -> None:
        """Out-of-class definitions join their class."""
        for unit in self.units:
            for function in unit.methods:
                for info in self.classes.get(function.owner, ()):
                    known = info.methods.setdefault(function.name, [])
                    if all(entry.path != function.path or entry.base != function.base for entry in known):
                        known.append(function)

    # ------------------------------------------------------------------ effects

    def effects(self, name: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """(assigned names, called names, declared types) of every function called ``name`` and what it
        calls."""
        if name not in self._effects:
            assigned: set[str] = set()
            called: set[str] = set()
            types: set[str] = set()
            stack = [name]
            while stack:
                current = stack.pop()
                if current in called:
                    continue
                called.add(current)
                for function in self.named(current):
                    body = function.body()
                    assigned |= body.assigned | self.written(body.passed)
                    types |= body.declared_types
                    stack.extend(body.called)
                macro = self.macros.get(current)
                if macro is not None:
                    types.update(_WORD.findall(macro.body))
                    assigned.update(re.findall(r"(\w+)\s*[-+*/]?=", macro.body))
                    stack.extend(re.findall(r"(\w+)\s*\(", macro.body))
            self._effects[name] = (frozenset(assigned), frozenset(called), frozenset(types))
        return self._effects[name]

    def written(self, passed: Iterable[tuple[str, int, str]]) -> set[str]:
        """The names among call arguments that a function of the program can write to."""
        found: set[str] = set()
        for function, index, name in passed:
            for candidate in self.named(function):
                parameters = candidate.body().parameters
                if index < len(parameters) and parameters[index].indirect and not parameters[index].is_const:
                    found.add(name)
        return found

    def named(self, name: str) -> list[FunctionInfo]:
        """Every function or method called ``name``."""
        found = list(self.functions.get(name, ()))
        for group in self._methods_by_name().get(name, ()):
            found.append(group)
        return found

    def _methods_by_name(self) -> dict[str, list[FunctionInfo]]:
        if self._method_table is None:
            table: dict[str, list[FunctionInfo]] = {}
            for infos in self.classes.values():
                for info in infos:
                    for name, methods in info.methods.items():
                        table.setdefault(name, []).extend(methods)
            self._method_table = table
        return self._method_table

    # ------------------------------------------------------------------ macros

    def expression(self, text: str) -> Expr | None:
        """A piece of text as an expression (positions are meaningless); None when it is not one."""
        if text not in self._expressions:
            source = f"int x=({text});".encode()
            masked = bytes(mask(source, load_words()))
            root = Parser(LANGUAGE).parse(masked).root_node
            value = _first(root, "parenthesized_expression")
            usable = value is not None and not root.has_error
            self._expressions[text] = BodyLowering(masked, 0).lower(value) if usable else None
        return self._expressions[text]

    def expansion(self, name: str, arguments: tuple[str, ...]) -> tuple[Stmt, ...] | None:
        """The statements that a function-like macro stands for; None when it does not expand to
        statements."""
        macro = self.macros.get(name)
        if macro is None or macro.parameters is None:
            return None
        key = (name, arguments)
        if key not in self._expansions:
            text = substitute_macro(macro, arguments)
            source = f"void f(){{{text};}}".encode()
            masked = bytes(mask(source, load_words()))
            body = _first(Parser(LANGUAGE).parse(masked).root_node, "compound_statement")
            self._expansions[key] = BodyLowering(masked, 0).statements(body) if body is not None else ()
        return self._expansions[key]


def substitute_macro(macro: Macro, arguments: tuple[str, ...]) -> str:
    """Text of a macro call's expansion, one level deep; ``#`` and ``##`` join as far as parsing needs."""
    parameters = macro.parameters or ()
    table: dict[str, str] = {}
    for index, name in enumerate(parameters):
        if name == "...":
            table["__VA_ARGS__"] = ", ".join(arguments[index:])
        elif index < len(arguments):
            table[name] = arguments[index]
    body = macro.body.replace(" ## ", "##")
    body = re.sub(r",\s*##\s*__VA_ARGS__", ", __VA_ARGS__" if table.get("__VA_ARGS__") else "", body)
    words: list[str] = _WORD.findall(body)
    return re.sub(r"\s*##\s*", "", "".join(table.get(word, word) for word in words))


def split_arguments(text: str) -> tuple[str, ...]:
    """Texts between the commas of an argument list; brackets and angle brackets of templates hold
    together."""
    parts: list[str] = []
    depth = 0
    current = ""
    for char in text:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    if current.strip() or parts:
        parts.append(current.strip())
    return tuple(parts)


def _first(node: Node, kind: str) -> Node | None:
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == kind:
            return current
        stack.extend(reversed(current.named_children))
    return None
