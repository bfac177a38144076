"""Reads as much of an example's CMakeLists.txt as decides how its program is compiled: options and definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_COMMAND = re.compile(r"(\w+)\s*\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)")
_WORD = re.compile(r"\"([^\"]*)\"|(\S+)")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass
class Listing:
    """``options`` are cache variables with their defaults; ``definitions`` what the compiler is told."""

    options: dict[str, str] = field(default_factory=dict[str, str])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    definitions: dict[str, str] = field(default_factory=dict[str, str])
    includes: list[str] = field(default_factory=list[str])
    rejected: bool = False  # message(FATAL_ERROR ...)


def read_listing(file: Path, given: Mapping[str, str]) -> Listing:
    """Evaluate ``file`` with the cache variables ``given``. Conditions that it does not understand are false."""
    text = re.sub(r"#[^\n]*", "", file.read_text(encoding="utf-8", errors="replace"))
    out = Listing()
    variables = dict(given)
    active: list[list[bool]] = []  # [holds now, held before]
    for name, body in _COMMAND.findall(text):
        words = [quoted or bare for quoted, bare in _WORD.findall(body)]
        words = [_VARIABLE.sub(lambda match: variables.get(match[1], ""), word) for word in words]
        if name in ("if", "elseif") and len(words) >= 3 and words[-2:-1] == ["IN_LIST"]:
            out.options.setdefault(words[-3], "")  # an option without a default
        if name == "if":
            holds = _holds(words, variables)
            active.append([holds, holds])
        elif name == "elseif" and active:
            holds = not active[-1][1] and _holds(words, variables)
            active[-1] = [holds, active[-1][1] or holds]
        elif name == "else" and active:
            active[-1] = [not active[-1][1], True]
        elif name == "endif" and active:
            active.pop()
        elif all(state[0] for state in active):
            _take(name, words, variables, given, out)
    return out


def _take(name: str, words: list[str], variables: dict[str, str], given: Mapping[str, str], out: Listing) -> None:
    if name == "set" and len(words) >= 2:
        if "CACHE" in words:
            out.options.setdefault(words[0], words[1])
            out.texts[words[0]] = words[-1]
            variables.setdefault(words[0], words[1])
        elif words[0] not in given:
            variables[words[0]] = ";".join(words[1:])
    elif name == "string" and words[:2] == ["REGEX", "MATCH"] and len(words) > 4:
        found = re.search(words[2], "".join(words[4:]))
        variables[words[3]] = found[0] if found else ""
    elif name == "message" and words[:1] == ["FATAL_ERROR"]:
        out.rejected = True
    elif name == "option" and words:
        out.options[words[0]] = words[2] if len(words) > 2 else "OFF"
        variables.setdefault(words[0], out.options[words[0]])
    elif name in ("target_compile_definitions", "add_compile_definitions", "target_compile_options", "add_definitions"):
        told = words[1:] if name.startswith("target") else words
        for word in told:
            key, _, value = word.removeprefix("-D").partition("=")
            meant = word.startswith("-D") or name.endswith("definitions")
            if meant and word not in ("PRIVATE", "PUBLIC") and re.fullmatch(r"\w+", key):
                out.definitions[key] = value or "1"
    elif name == "target_include_directories":
        out.includes += [word for word in words[1:] if word not in ("PRIVATE", "PUBLIC")]


def _holds(words: list[str], variables: Mapping[str, str]) -> bool:
    if words[:1] == ["NOT"]:
        return not _holds(words[1:], variables)
    for joint, decide in (("OR", any), ("AND", all)):
        if joint in words:
            at = words.index(joint)
            return decide((_holds(words[:at], variables), _holds(words[at + 1 :], variables)))
    if words[:1] == ["DEFINED"]:
        return words[1] in variables
    if len(words) == 1:
        return variables.get(words[0], "").upper() not in ("", "0", "OFF", "FALSE", "NO")
    if len(words) == 3:
        left = variables.get(words[0], words[0])
        if words[1] in ("STREQUAL", "EQUAL"):
            return left == words[2]
        if words[1] == "IN_LIST":
            return left in variables.get(words[2], "").split(";")
        if words[1] == "MATCHES":
            return re.search(words[2], left) is not None
    return False
