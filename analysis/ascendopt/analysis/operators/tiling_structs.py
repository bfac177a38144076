"""Tiling structs: the BEGIN_TILING_DATA_DEF macros, plain structs named like tiling data, and the structs in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ascendopt.analysis.findings import Span
from ascendopt.analysis.operators.model import TilingField, TilingStruct
from ascendopt.analysis.operators.names import whole_word
from ascendopt.analysis.operators.opdef import closing, without_comments

_BEGIN = re.compile(whole_word("BEGIN_TILING_DATA_DEF") + r"\s*\(\s*(\w+)\s*\)")
_END = re.compile(whole_word("END_TILING_DATA_DEF"))
_FIELD = re.compile(r"\bTILING_DATA_FIELD_DEF(_ARR|_STRUCT)?\s*\(\s*([\w:<>]+)\s*,\s*(?:([^,;(){}]+),\s*)?(\w+)\s*\)")
_REGISTER = re.compile(whole_word("REGISTER_TILING_DATA_CLASS") + r"\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_PLAIN = tuple(re.compile(whole_word(kind) + r"\s+(\w*[Tt]iling\w*)\s*\{") for kind in ("struct", "class"))
_OTHER = re.compile(whole_word("struct") + r"\s+(\w+)\s*\{")
_DECLARED = r"(\w+)\s*(?:\[([^\]]*)\])?\s*(?:=\s*\{[^;{}]*\}|=[^;,{]*|\{[^;{}]*\})?\s*"
_MEMBER = re.compile(rf"(?<=[;{{}}:\n])\s*(?:const\s+)?([A-Za-z_][\w:]*)\s+(?={_DECLARED}[;,])([^;]*);")
_DECLARATOR = re.compile(rf"(?:^|,)\s*{_DECLARED}(?=,|$)")
_FUNCTION = re.compile(r"(~?\w+)\s*\([^(){};]*\)\s*(?:const|override|noexcept|=|:|\{|;)")
_CONSTANT = re.compile(r"\b(?:const|constexpr)\s+[\w ]+?(\w+)\s*=\s*(\d+)[uUlL]*\s*;|#\s*define\s+(\w+)\s+(\d+)\b")


def parse_tiling_structs(path: Path, text: str) -> list[TilingStruct]:
    """Every tiling struct of a file; a class with methods of its own (``GeluTiling::Run``) is none."""
    plain = without_comments(text)
    known = _Constants(plain)
    registered: dict[str, list[str]] = {}
    for match in _REGISTER.finditer(plain):
        registered.setdefault(match[2], []).append(match[1])
    found: list[TilingStruct] = []
    for match in _BEGIN.finditer(plain):
        end = _END.search(plain, match.end())
        stop = end.start() if end else len(plain)
        fields = tuple(_field(text, entry, known) for entry in _FIELD.finditer(plain, match.end(), stop))
        found.append(_struct(path, text, match[1], fields, match.start(), stop, registered))
    heads = sorted((match for kind in _PLAIN for match in kind.finditer(plain)), key=lambda match: match.start())
    others = {match[1]: match for match in _OTHER.finditer(plain)} if heads else {}
    seen = {match[1] for match in heads}
    for match in heads:  # grows by the structs that are fields of those before
        stop = closing(plain, match.end() - 1)
        if _has_methods(match[1], plain[match.end() : stop]):
            continue
        fields = tuple(_members(text, plain, match.end(), stop, known))
        if fields:
            found.append(_struct(path, text, match[1], fields, match.start(), stop, registered))
        parts = dict.fromkeys(field.type.rpartition("::")[2] for field in fields)
        heads.extend(others[part] for part in parts if part in others and part not in seen)
        seen.update(parts)
    return found


def _members(text: str, plain: str, start: int, stop: int, known: _Constants) -> Iterator[TilingField]:
    """The fields of a plain struct, those that share a declaration (``uint32_t rows, cols;``) one by one."""
    for entry in _MEMBER.finditer(plain, start, stop):
        if entry[1] in ("return", "using", "typedef", "public", "private", "struct"):
            continue
        for one in _DECLARATOR.finditer(entry[4]):
            length = 1 if one[2] is None else _length(one[2], known)
            at = entry.start(4)
            yield TilingField(one[1], entry[1], length, span=_bytes(text, at + one.start(1), at + one.end(1)))


def _has_methods(name: str, body: str) -> bool:
    """True for a class that works on tiling data; the data itself has constructors at most."""
    return any(match[1] not in (name, f"~{name}") for match in _FUNCTION.finditer(body))


class _Constants:
    """Numbers that array lengths may name; the file is searched for them only when one does."""

    def __init__(self, plain: str) -> None:
        self._plain = plain
        self._found: dict[str, int] | None = None

    def get(self, name: str) -> int | None:
        """The number that ``name`` stands for, or None."""
        if self._found is None:
            matches = _CONSTANT.finditer(self._plain)
            self._found = {match[1] or match[3]: int(match[2] or match[4]) for match in matches}
        return self._found.get(name)


def _field(text: str, entry: re.Match[str], known: _Constants) -> TilingField:
    length = _length(entry[3], known) if entry[1] == "_ARR" and entry[3] else 1
    span = _bytes(text, entry.start(4), entry.end(4))
    return TilingField(entry[4], entry[2], length, entry[1] == "_STRUCT", span)


def _length(source: str, known: _Constants) -> int | None:
    word = source.strip()
    return int(word) if word.isdigit() else known.get(word)


def _struct(
    path: Path,
    text: str,
    name: str,
    fields: tuple[TilingField, ...],
    start: int,
    stop: int,
    registered: dict[str, list[str]],
) -> TilingStruct:
    return TilingStruct(name, fields, path, _bytes(text, start, stop), tuple(registered.get(name, ())))


def _bytes(text: str, start: int, end: int) -> Span:
    head = len(text[:start].encode("utf-8", "surrogatepass"))
    return Span(head, head + len(text[start:end].encode("utf-8", "surrogatepass")))
