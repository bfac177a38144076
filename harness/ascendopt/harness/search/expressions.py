"""Expressions of host code that a tiling search may replace, and what by.

An expression that sets a tile, a core's share or a count of cores gets alternatives from a small typed grammar over the
integers in scope:

    tile   -> even(whole, tile) | tile * 2 | tile / 2 | length
    length -> up(length, 256 or 512 bytes' worth)
    cores  -> min(cores, other cores) | other cores

``even`` cuts the whole into as many pieces and makes them equal, so that the last is no small rest; a length is
measured against wholes of its own kind only (elements against elements, bytes against bytes). Types come from the names
that operators use. Whether an alternative is legal is for the gates to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tree_sitter import Node

from ascendopt.harness.search.host_code import head_of, parsed, text_of

EXPRESSION = "expression"
MOST_ALTERNATIVES = 6
_INTEGER_TYPE = re.compile(r"\b(u?int(32|64)?_t|size_t|int|unsigned|long|auto)\b")


class Kind(Enum):
    """What a number counts."""

    BYTES = "bytes"
    ELEMENTS = "elements"
    CORES = "cores"


_NAMES = (
    (Kind.CORES, re.compile(r"CORE_?(NUM|COUNT|CNT)S?$|(USED|WANTED|NEED(ED)?|ACTUAL|REAL)_?\w*CORES?$|^BLOCK_?DIM$")),
    (Kind.BYTES, re.compile(r"BYTES$")),
    (Kind.ELEMENTS, re.compile(r"(LEN|LENGTH|ELEMENTS?|DATA_?NUM|FACTOR|ROWS?)$|^TOTAL(_NUM|_SIZE)?$")),
)
# What is set anew: tiles, a core's share, and counts of cores; not what is left over by them.
_SET = re.compile(r"TILE|CHUNK|CORE|BLOCK_?DIM|(^|_)UB_?(PART|FACTOR)|STEP")
_LEFT_OVER = re.compile(r"TAIL|LAST|REMAIN|REST|OFFSET|START")
_PIECE = re.compile(r"TILE|CHUNK|STEP")
_WHOLE = re.compile(r"TOTAL|CORE|ALL")
_PRODUCTS = ("*", "/", "%")
# Longer ones are not repeated in a new expression.
_LONGEST = 60


@dataclass(frozen=True)
class Choice:
    """An expression at bytes ``[start, end)`` that sets ``name``; the first of ``alternatives`` is its own text."""

    name: str
    start: int
    end: int
    line: int
    alternatives: tuple[str, ...]


@dataclass(frozen=True)
class _Variable:
    """An integer of a function: where it is set, and by what."""

    name: str
    kind: Kind
    value: Node


def find_choices(source: bytes) -> list[Choice]:
    """The expressions of a host file, in order."""
    found: list[Choice] = []
    for function in _functions(parsed(source), source):
        scope: list[_Variable] = []
        for variable in _variables(function, source):
            choice = _choice(variable, scope, source)
            if choice is not None:
                found.append(choice)
            scope.append(variable)
    return found


def _functions(root: Node, source: bytes) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in ("function_definition", "class_specifier"):
            if head_of(node, source) is None:
                continue
            if node.type == "function_definition":
                yield node
                continue
        stack.extend(reversed(node.children))


def _variables(function: Node, source: bytes) -> Iterator[_Variable]:
    """Declared integers with a value, in the order of the text; not those of lambdas or inner functions."""
    stack = list(reversed(function.children))
    while stack:
        node = stack.pop()
        if node.type == "lambda_expression":
            continue
        if node.type == "init_declarator" and node.parent is not None:
            head = source[node.parent.start_byte : node.start_byte].decode("utf-8", "replace")
            name, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
            if name is not None and value is not None and name.type == "identifier" and _INTEGER_TYPE.search(head):
                kind = _kind(text_of(name, source))
                if kind is not None:
                    yield _Variable(text_of(name, source), kind, value)
        stack.extend(reversed(node.children))


def _kind(name: str) -> Kind | None:
    words = _words(name)
    return next((kind for kind, pattern in _NAMES if pattern.search(words)), None)


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).strip("_").upper()


def _choice(variable: _Variable, scope: Sequence[_Variable], source: bytes) -> Choice | None:
    text = text_of(variable.value, source)
    if variable.value.type not in ("binary_expression", "call_expression", "parenthesized_expression"):
        return None
    words = _words(variable.name)
    if not _SET.search(words) or _LEFT_OVER.search(words) or "\n" in text or len(text) > _LONGEST:
        return None
    alternatives = tuple(dict.fromkeys([text, *_alternatives(variable, text, scope)]))[:MOST_ALTERNATIVES]
    if len(alternatives) < 2:
        return None
    node = variable.value
    return Choice(variable.name, node.start_byte, node.end_byte, node.start_point[0] + 1, alternatives)


def _alternatives(variable: _Variable, text: str, scope: Sequence[_Variable]) -> Iterator[str]:
    same = [known for known in scope if known.kind is variable.kind and known.name != variable.name]
    if variable.kind is Kind.CORES:
        for known in same[-1:]:
            yield f"std::min<uint64_t>({text}, {known.name})"
            yield known.name
        return
    unit = 512 if variable.kind is Kind.BYTES else 128
    if _PIECE.search(_words(variable.name)):
        for whole in [known for known in same if _WHOLE.search(_words(known.name))][-1:]:
            pieces = _divided(whole.name, _operand(variable.value, text, ()))
            yield _up(_divided(whole.name, f"({pieces})"), 32)
    term = _operand(variable.value, text, (*_PRODUCTS, "+", "-"))
    yield _up(term, unit)
    yield _up(term, unit // 2)
    if _PIECE.search(_words(variable.name)):
        factor = _operand(variable.value, text, _PRODUCTS)
        yield f"{factor} * 2"
        yield f"{factor} / 2"


def _operand(node: Node, text: str, binding: Sequence[str]) -> str:
    """``text`` of ``node`` as an operand, in parentheses unless it is a call or binds by one of ``binding``."""
    operator = node.child_by_field_name("operator")
    closed = node.type in ("call_expression", "parenthesized_expression")
    return text if closed or (operator is not None and operator.type in binding) else f"({text})"


def _divided(whole: str, part: str) -> str:
    """Rounded up."""
    return f"({whole} + {part} - 1) / {part}"


def _up(text: str, unit: int) -> str:
    return f"({text} + {unit - 1}) / {unit} * {unit}"
