"""Patterns: AscendC text with ``$name`` for one expression, name or type and ``$$name`` for a run of things."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ascendopt.analysis.patterns.tokens import Token, lex
from ascendopt.analysis.source.source_file import SourceFile

_META = re.compile(r"\$\$?([A-Za-z_]\w*)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ANGLE_AFTER = re.compile(r"[A-Z]\w*|static_cast|template")


class PatternError(ValueError):
    """The text is no pattern, or a template names something that is not bound. One sentence."""


class Form(str, Enum):
    """What a pattern describes."""

    EXPRESSION = "expression"
    STATEMENTS = "statements"


@dataclass(frozen=True)
class Piece:
    """One token of a pattern. ``run`` is ``statements`` or ``arguments`` for ``$$name``; ``name`` is the variable."""

    text: str
    start: int
    end: int
    name: str = ""
    run: str = ""


@dataclass(frozen=True)
class Segment:
    """A statement, the head of a block with its brace, a closing brace or ``$$name``: pieces ``[start, end)``.

    ``depth`` counts the blocks of the pattern around it.
    """

    start: int
    end: int
    depth: int


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern. Make one with ``parse``."""

    text: str
    form: Form
    pieces: tuple[Piece, ...]
    segments: tuple[Segment, ...]

    @property
    def names(self) -> frozenset[str]:
        """The variables, without ``$``."""
        return frozenset(piece.name for piece in self.pieces if piece.name)

    def slice(self, start: int, end: int) -> str:
        """The pattern's own text from one byte to another."""
        return self.text.encode()[start:end].decode()


def parse(text: str) -> Pattern:
    """Read a pattern. Raises PatternError."""
    text = text.strip()
    tokens = lex(text.encode())
    if not tokens:
        raise PatternError("the pattern is empty.")
    pieces = _pieces(text, tokens)
    kinds: dict[str, bool] = {}
    for piece in pieces:
        if piece.name and kinds.setdefault(piece.name, bool(piece.run)) != bool(piece.run):
            raise PatternError(f"the pattern uses both ${piece.name} and $${piece.name}; a name is one or the other.")
    form = Form.STATEMENTS if pieces[-1].text in (";", "}") or pieces[-1].run == "statements" else Form.EXPRESSION
    _check_syntax(text, form, pieces)
    return Pattern(text, form, tuple(pieces), tuple(_segments(pieces)))


def _pieces(text: str, tokens: list[Token]) -> list[Piece]:
    pieces: list[Piece] = []
    brackets: list[str] = []
    for index, token in enumerate(tokens):
        before = tokens[index - 1].text if index else ""
        if token.text == "$":
            raise PatternError(f"the pattern {text!r} has a $ without a name.")
        if token.text in _CLOSING:
            listed = token.text == "{" and not is_block_brace(before, brackets)
            brackets.append("[" if listed else token.text)
            if listed:
                brackets[-1] = "list"
        elif token.text in (")", "]", "}"):
            top = brackets.pop() if brackets else ""
            if _CLOSING.get("{" if top == "list" else top) != token.text:
                raise PatternError(f"the pattern {text!r} closes {token.text} where it is not open.")
        meta = _META.fullmatch(token.text)
        if meta is None:
            pieces.append(Piece(token.text, token.start, token.end))
        elif token.text.startswith("$$"):
            run = "statements" if not brackets or brackets[-1] == "{" else "arguments"
            if not brackets and index and _opens_angle(tokens, index):
                run = "arguments"
            pieces.append(Piece(token.text, token.start, token.end, meta[1], run))
        else:
            pieces.append(Piece(token.text, token.start, token.end, meta[1]))
    if brackets:
        raise PatternError(f"the pattern {text!r} leaves a bracket open.")
    return pieces


def is_block_brace(before: str, brackets: list[str]) -> bool:
    """Whether ``{`` after this token opens a block and no list of values."""
    return not (brackets and brackets[-1] != "{") and before in (")", "else", "do", "", ";", "{", "}", "const")


def _opens_angle(tokens: list[Token], index: int) -> bool:
    return tokens[index - 1].text == "<" and index > 1 and _ANGLE_AFTER.fullmatch(tokens[index - 2].text) is not None


def _segments(pieces: list[Piece]) -> list[Segment]:
    """Cut into statements. Lists of values and parentheses stay inside of theirs."""
    segments: list[Segment] = []
    start = depth = 0
    brackets: list[str] = []
    for index, piece in enumerate(pieces):
        before = pieces[index - 1].text if index else ""
        ends = False
        own_depth = depth
        if piece.text == "{" and is_block_brace(before, brackets):
            depth += 1
            ends = True
        elif piece.text in _CLOSING:
            brackets.append(piece.text)
        elif piece.text == "}" and not brackets:
            depth -= 1
            own_depth = depth
            ends = True
        elif piece.text in (")", "]", "}"):
            brackets.pop()
        ends |= not brackets and (piece.text == ";" or piece.run == "statements")
        if ends:
            segments.append(Segment(start, index + 1, own_depth))
            start = index + 1
    if start < len(pieces):
        segments.append(Segment(start, len(pieces), depth))
    return segments


def _check_syntax(text: str, form: Form, pieces: list[Piece]) -> None:
    """The C++ grammar must accept it somewhere: in a function, a class, or as an expression."""
    data = text.encode()
    parts: list[bytes] = []
    at = 0
    for piece in pieces:
        parts.append(data[at : piece.start])
        end = b";" if piece.run == "statements" else b""
        parts.append(f"mv_{piece.name}".encode() + end if piece.name else data[piece.start : piece.end])
        at = piece.end
    body = b"".join(parts)
    frames = [(b"void f() { ", b" }"), (b"class C { ", b" };"), (b"", b"")]
    if form is Form.EXPRESSION:
        frames = [(b"void f() { x = ", b"; }"), (b"void f() { ", b" x; }"), (b"class C { ", b" x; };")]
    for head, tail in frames:
        if not SourceFile.of(Path("pattern.cpp"), head + body + tail).tree.root_node.has_error:
            return
    raise PatternError(f"the pattern {text!r} is neither an expression nor a statement or declaration of C++.")
