"""The OpDef registration: inputs, outputs, attributes, dtype columns, chips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from ascendopt.analysis.findings import Span
from ascendopt.analysis.operators.model import Attr, OpDef, Port
from ascendopt.analysis.operators.names import GE_DTYPES

_COMMENT = re.compile(r'//[^\r\n]*|/\*.*?\*/|"(?:\\.|[^"\\\r\n])*"', re.DOTALL)
_CLASS = re.compile(r"\bclass\s+(\w+)\s*:\s*public\s+(?:ops::)?OpDef\b")
_STEP = re.compile(r"\bthis\s*->\s*(Input|Output|Attr|AICore)\s*\(")
_CALL = re.compile(r"[.>]\s*(\w+)\s*\(")
_STRING = re.compile(r'"([^"]*)"')
_VECTOR = re.compile(r"\b(?:std::)?vector\s*<[^<>]*>\s*(\w+)\s*=?\s*\{([^{}]*)\}")
_DTYPE = re.compile(r"\bDT_\w+")
_FORMAT = re.compile(r"\bFORMAT_\w+")
_ADD = re.compile(r"\bOP_ADD\s*\(\s*(\w+)\s*[,)]")
_MACRO = re.compile(r"^[ \t]*([A-Z][A-Z0-9_]*(?:OPDEF|OP_DEF)[A-Z0-9_]*)\s*\(([^;{}()]*)\)", re.MULTILINE)
_REGISTER = ("OpDef", "OPDEF", "OP_DEF")
_KINDS = {"REQUIRED": "required", "OPTIONAL": "optional", "DYNAMIC": "dynamic"}


@lru_cache(maxsize=8)  # entries, structs and definition of a file are looked for one after the other
def without_comments(text: str) -> str:
    """``text`` with comments blanked; same length."""

    def blank(match: re.Match[str]) -> str:
        if match[0][0] == '"':
            return match[0]
        return "".join(char if char in "\r\n" else " " for char in match[0])

    return _COMMENT.sub(blank, text)


def parse_opdefs(path: Path, text: str) -> list[OpDef]:
    """Every OpDef of a file; an empty list when it registers none. Offsets are bytes."""
    if not any(word in text for word in _REGISTER):
        return []
    plain = without_comments(text)
    vectors = {match[1]: match[2] for match in _VECTOR.finditer(plain)}
    found = [_from_class(path, text, plain, match, vectors) for match in _CLASS.finditer(plain)]
    if not found:
        found.extend(_from_macro(path, text, match) for match in _MACRO.finditer(plain))
    return [definition for definition in found if definition is not None]


def closing(text: str, opening: int) -> int:
    """Position of the bracket that closes the one at ``opening``; the end of text when none does."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    close = pairs[text[opening]]
    depth = 0
    in_string = False
    for at in range(opening, len(text)):
        char = text[at]
        if char == '"' and text[at - 1] != "\\":
            in_string = not in_string
        if in_string:
            continue
        if char == text[opening]:
            depth += 1
        elif char == close:
            depth -= 1
            if depth == 0:
                return at
    return len(text)


def _span(text: str, start: int, end: int) -> Span:
    head = len(text[:start].encode("utf-8", "surrogatepass"))
    return Span(head, head + len(text[start:end].encode("utf-8", "surrogatepass")))


def _from_class(path: Path, text: str, plain: str, match: re.Match[str], vectors: dict[str, str]) -> OpDef | None:
    opening = plain.find("{", match.end())
    if opening < 0:
        return None
    end = closing(plain, opening)
    body = plain[opening:end]
    inputs: list[Port] = []
    outputs: list[Port] = []
    attrs: list[Attr] = []
    tiling: str | None = None
    for kind, name, calls in _chains(body):
        if kind == "Attr":
            attrs.append(_attr(name, calls))
        elif kind == "AICore":
            tiling = next((argument.strip() for call, argument in calls if call == "SetTiling"), tiling)
        else:
            ports = inputs if kind == "Input" else outputs
            ports.append(_port(name, calls, vectors, (*inputs, *outputs)))
    socs = tuple(dict.fromkeys(_STRING.findall(" ".join(re.findall(r"AddConfig\s*\(([^,)]*)", body)))))
    return OpDef(
        name=match[1],
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        attrs=tuple(attrs),
        socs=tuple(soc.lower() for soc in socs),
        tiling_function=tiling.rsplit("::", 1)[-1] if tiling else None,
        path=path,
        span=_span(text, match.start(), end),
    )


def _chains(body: str) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """``this->Input("x").A(..).B(..)`` as (``Input``, ``x``, [(``A``, ..), (``B``, ..)])."""
    for step in _STEP.finditer(body):
        at = closing(body, step.end() - 1)
        named = _STRING.search(body, step.end(), at)
        calls: list[tuple[str, str]] = []
        while True:
            follow = re.compile(r"\s*[.]\s*(\w+)\s*\(").match(body, at + 1)
            if follow is None:
                break
            at = closing(body, follow.end() - 1)
            calls.append((follow[1], body[follow.end() : at]))
        yield step[1], named[1] if named else "", calls


def _port(name: str, calls: list[tuple[str, str]], vectors: dict[str, str], earlier: tuple[Port, ...]) -> Port:
    table = dict(calls)
    dtypes = table.get("DataType") or table.get("DataTypeList") or ""
    formats = table.get("Format") or table.get("FormatList") or ""
    followed = _STRING.search(table.get("Follow", ""))
    columns = _dtypes(vectors.get(dtypes.strip(), dtypes))
    if not columns and followed:
        columns = next((port.dtypes for port in earlier if port.name == followed[1]), ())
    return Port(
        name=name,
        kind=_KINDS.get(table.get("ParamType", "").strip().rsplit("::", 1)[-1], "required"),
        dtypes=columns,
        formats=tuple(_FORMAT.findall(vectors.get(formats.strip(), formats))),
    )


def _dtypes(text: str) -> tuple[str, ...]:
    """Dtype names of the ``DT_...`` words in ``text``; a word that is not known stays."""
    words: list[str] = _DTYPE.findall(text)
    return tuple(GE_DTYPES.get(word, word) for word in words)


def _attr(name: str, calls: list[tuple[str, str]]) -> Attr:
    kind = next((call for call, _ in calls if call != "AttrType"), "")
    table = dict(calls)
    default = table.get(kind, "").strip() or None
    required = table.get("AttrType", "REQUIRED").strip() == "REQUIRED"
    return Attr(name=name, type=kind, default=default, required=required)


def _from_macro(path: Path, text: str, match: re.Match[str]) -> OpDef | None:
    arguments = [argument.strip() for argument in match[2].split(",")]
    names = [word for word in arguments if re.fullmatch(r"[A-Z][a-z]\w*", word)]
    if not names:
        return None
    prefix = "Foreach" if match[1].startswith("FOREACH") and not names[0].startswith("Foreach") else ""
    return OpDef(
        name=prefix + names[0],
        inputs=(),
        outputs=(),
        attrs=(),
        socs=(),
        tiling_function=None,
        path=path,
        span=_span(text, match.start(), match.end()),
        is_macro=True,
        macro_dtypes=_dtypes(match[2]),
    )
