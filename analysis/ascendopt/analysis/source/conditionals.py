"""`#if` branches that are dead for one chip. What is not decided stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b((?:[^\r\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_COMMENT = re.compile(rb"//.*|/\*.*?\*/", re.DOTALL)
_ELSE = re.compile(rb"\s*else\b")
_TOKEN = re.compile(r"\s*(defined|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d+|&&|\|\||==|!=|<=|>=|[!<>()])[uUlL]*")
_UNDEFINED_ON_CHIP = ("__CCE_KT_TEST__", "ASCENDC_CPU_DEBUG", "__CCE_UT_TEST__", "UTEST")


@dataclass
class _Group:
    """One `#if ... #endif`: its branches as (directive start, body start, condition)."""

    branches: list[tuple[int, int, bool | None]] = field(default_factory=list[tuple[int, int, bool | None]])


def chip_macros(cce_aicore: int, npu_arch: int) -> dict[str, int | None]:
    """Macros that the compiler has for a chip; None marks one that is surely not defined."""
    table: dict[str, int | None] = {"__CCE_AICORE__": cce_aicore, "__NPU_ARCH__": npu_arch}
    table.update(dict.fromkeys(_UNDEFINED_ON_CHIP))
    return table


def dead_ranges(data: bytes, macros: Mapping[str, int | None]) -> tuple[tuple[int, int], ...]:
    """Byte ranges of ``data`` that the preprocessor drops, the deciding directives included, in order."""
    ranges: list[tuple[int, int]] = []
    stack: list[_Group] = []
    for match in _DIRECTIVE.finditer(data):
        word = match[1]
        if word in (b"if", b"ifdef", b"ifndef"):
            stack.append(_Group([(match.start(), match.end(), _condition(word, match[2], macros))]))
        elif stack and word == b"elif":
            stack[-1].branches.append((match.start(), match.end(), _condition(word, match[2], macros)))
        elif stack and word == b"else":
            stack[-1].branches.append((match.start(), match.end(), True))
        elif stack and word == b"endif":
            ranges.extend(_dead(data, stack.pop(), match.start(), match.end()))
    return _merged(ranges)


def _condition(word: bytes, text: bytes, macros: Mapping[str, int | None]) -> bool | None:
    plain = _COMMENT.sub(b"", text).replace(b"\\", b" ").decode("utf-8", "replace").strip()
    if word in (b"ifdef", b"ifndef"):
        known = _defined(plain.split()[0] if plain else "", macros)
        return known if word == b"ifdef" or known is None else not known
    value = _Expression(plain, macros).parse()
    return None if value is None else value != 0


def _defined(name: str, macros: Mapping[str, int | None]) -> bool | None:
    return (macros[name] is not None) if name in macros else None


def _dead(data: bytes, group: _Group, end_start: int, end_end: int) -> list[tuple[int, int]]:
    chosen: int | None = None
    for index, (_, body, condition) in enumerate(group.branches):
        if condition is None:
            # `#if .. else if (..) {..} #endif` goes on with the chain above it: only without the directives is it one.
            continues = len(group.branches) == 1 and _ELSE.match(data, body)
            return [(group.branches[0][0], body), (end_start, end_end)] if continues else []
        if condition:
            chosen = index
            break
    first = group.branches[0][0]
    if chosen is None:
        return [(first, end_end)]
    start, body, _ = group.branches[chosen]
    after = group.branches[chosen + 1][0] if chosen + 1 < len(group.branches) else end_start
    return [(first, max(start, body)), (after, end_end)]


def _merged(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


class _Expression:
    """Three-valued evaluation of a preprocessor condition: a number, or None for not decided."""

    def __init__(self, text: str, macros: Mapping[str, int | None]) -> None:
        self._tokens: list[str] = []
        self._macros = macros
        self._at = 0
        self._broken = False
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                self._broken = bool(text[position:].strip())
                break
            self._tokens.append(match[1])
            position = match.end()

    def parse(self) -> int | None:
        """The value, None when a part of it decides and is not known, or when the text is not understood."""
        if self._broken or not self._tokens:
            return None
        value = self._either()
        return value if self._at == len(self._tokens) else None

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _either(self) -> int | None:
        left = self._both()
        while self._next() == "||":
            self._at += 1
            right = self._both()
            left = 1 if left or right else (0 if left == 0 and right == 0 else None)
        return left

    def _both(self) -> int | None:
        left = self._relation()
        while self._next() == "&&":
            self._at += 1
            right = self._relation()
            left = 0 if left == 0 or right == 0 else (1 if left and right else None)
        return left

    def _relation(self) -> int | None:
        left = self._unary()
        while self._next() in ("==", "!=", "<", "<=", ">", ">="):
            relation = self._next()
            self._at += 1
            right = self._unary()
            if left is None or right is None:
                left = None
                continue
            order = (left > right) - (left < right)
            holds = {"==": order == 0, "!=": order != 0, "<": order < 0, ">": order > 0}
            holds |= {"<=": order <= 0, ">=": order >= 0}
            left = int(holds[relation])
        return left

    def _unary(self) -> int | None:
        token = self._next()
        self._at += 1
        if token == "!":
            value = self._unary()
            return None if value is None else int(value == 0)
        if token == "(":
            value = self._either()
            self._at += 1
            return value
        if token == "defined":
            bracket = self._next() == "("
            self._at += 1 if bracket else 0
            known = _defined(self._next(), self._macros)
            self._at += 2 if bracket else 1
            return None if known is None else int(known)
        if token[:1].isdigit():
            return int(token, 0) if not token.startswith("0") or token[:2].lower() == "0x" else int(token, 8)
        if token in self._macros:
            return self._macros[token] or 0
        return None
