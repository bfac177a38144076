"""Text that stands for code, as expressions and statements: expansions of macros, guards, template arguments."""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node, Parser

from ascendopt.analysis.facts.ir import Expr, Stmt
from ascendopt.analysis.facts.lower import BodyLowering
from ascendopt.analysis.facts.unit import Macro
from ascendopt.analysis.source.masking import mask
from ascendopt.analysis.source.source_file import LANGUAGE
from ascendopt.analysis.source.words import load_words

WORD = re.compile(r"[A-Za-z_]\w*|[^\w\s]|\s+|\d\w*")


@lru_cache(maxsize=4096)
def parsed_expression(text: str) -> Expr | None:
    """A piece of text as an expression (positions are meaningless); None when it is not one."""
    source = f"int x=({text});".encode()
    masked = bytes(mask(source, load_words()))
    root = Parser(LANGUAGE).parse(masked).root_node
    value = _first(root, "parenthesized_expression")
    usable = value is not None and not root.has_error
    return BodyLowering(masked, 0).lower(value) if usable else None


@lru_cache(maxsize=4096)
def parsed_statements(text: str) -> tuple[Stmt, ...]:
    """What a macro expands to, as statements (positions are meaningless); none when it is none."""
    source = f"void f(){{{text};}}".encode()
    masked = bytes(mask(source, load_words()))
    body = _first(Parser(LANGUAGE).parse(masked).root_node, "compound_statement")
    return tuple(BodyLowering(masked, 0).statements(body)) if body is not None else ()


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
    words: list[str] = WORD.findall(body)
    return re.sub(r"\s*##\s*", "", "".join(table.get(word, word) for word in words))


def _first(node: Node, kind: str) -> Node | None:
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == kind:
            return current
        stack.extend(reversed(current.named_children))
    return None
