"""Sources as a tiling search reads and changes them: their syntax, and places of theirs replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node, Parser

from ascendopt.analysis.source.source_file import LANGUAGE

# Functions and classes that describe an operator rather than compute its tiling.
_DESCRIBES = re.compile(r"InferShape|InferDataType|InferDtype|OpDef|InferRange")


@dataclass(frozen=True)
class Replacement:
    """The bytes ``[start, end)`` become ``text``."""

    start: int
    end: int
    text: str


def is_host(path: str) -> bool:
    """Whether a file of an operator (POSIX path relative to its folder) belongs to the host side."""
    return not path.startswith("op_kernel/")


def parsed(source: bytes) -> Node:
    """The root of the syntax tree."""
    return Parser(LANGUAGE).parse(source).root_node


def text_of(node: Node, source: bytes) -> str:
    """What ``source`` says at ``node``."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def head_of(node: Node, source: bytes) -> str | None:
    """What stands before the body of a function or class; None when it describes the operator, which no tiling does."""
    head = text_of(node, source)[:200].split("{")[0]
    return None if _DESCRIBES.search(head) else head


def replaced(text: str, replacements: Iterable[Replacement]) -> str:
    """``text`` with all of ``replacements``, which do not overlap; all other bytes stay."""
    data = text.encode("utf-8", "surrogateescape")
    for one in sorted(replacements, key=lambda one: -one.start):
        data = data[: one.start] + one.text.encode() + data[one.end :]
    return data.decode("utf-8", "surrogateescape")
