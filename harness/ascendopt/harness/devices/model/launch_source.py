"""Rewrites kernel launches: ``name<<<blocks, ub, stream>>>(arguments)`` becomes a call of ``asc_launch.h``.

Every line stays where it is, so that places in the compiled program are places in the user's file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SKIPPED = re.compile(r"//[^\n]*|/\*.*?\*/|R\"\((?:.|\n)*?\)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_GLOBAL = re.compile(r"\b__global__\b")
_NAME = re.compile(r"[A-Za-z_]\w*")
_TASK_TYPE = re.compile(r"\bKERNEL_TASK_TYPE_DEFAULT\s*\(\s*(?:AscendC::)?KERNEL_TYPE_(\w+)\s*\)")
_MIX = re.compile(r"\b__mix__\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")
_TASKS = {
    "AIV_ONLY": "kAscKernelVector",
    "AIC_ONLY": "kAscKernelCube",
    "MIX_AIV_1_0": "kAscKernelMix, 0, 1",
    "MIX_AIC_1_0": "kAscKernelMix, 1, 0",
    "MIX_AIC_1_1": "kAscKernelMix, 1, 1",
    "MIX_AIC_1_2": "kAscKernelMix, 1, 2",
}


@dataclass(frozen=True)
class KernelHead:
    """A kernel as its source declares it: ``kind`` in the words of ``abi/launch.h``, names of its parameters."""

    name: str
    kind: str
    parameters: tuple[str, ...]


def plain_text(text: str) -> str:
    """``text`` with comments, strings and characters blanked, at the same length."""
    return _SKIPPED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def find_kernels(text: str) -> dict[str, KernelHead]:
    """The ``__global__`` functions that ``text`` defines or declares, by name."""
    plain = plain_text(text)
    found: dict[str, KernelHead] = {}
    for mark in _GLOBAL.finditer(plain):
        start = max(plain.rfind(end, 0, mark.start()) for end in ";}") + 1
        at = mark.end()
        while (opening := plain.find("(", at)) >= 0:
            name = plain[:opening].rstrip()
            word = re.search(r"\w+$", name)
            if word is None or word[0] in ("__mix__", "__schedmode__", "__attribute__", "__launch_bounds__"):
                at = _closing(plain, opening, "(", ")") + 1
                continue
            end = _closing(plain, opening, "(", ")")
            brace = plain.find("{", end)
            body = plain[brace : _closing(plain, brace, "{", "}")] if brace >= 0 else ""
            if plain[end + 1 : brace].strip():
                body = ""  # a declaration
            kind = _kind(plain[start:opening], body)
            head = KernelHead(word[0], kind, _parameters(plain[opening + 1 : end]))
            if word[0] not in found or body:
                found[word[0]] = head
            break
    return found


def rewrite_launches(text: str, kernels: Mapping[str, KernelHead]) -> str:
    """``text`` with its launches rewritten."""
    plain = plain_text(text)
    pieces: list[str] = []
    done = 0
    at = 0
    while (opening := plain.find("<<<", at)) >= 0:
        at = opening + 3
        closing = _launch_end(plain, at)
        callee = _callee_start(plain, opening)
        if closing is None or callee is None:
            continue
        name = " ".join(text[callee:opening].split())
        head = kernels.get(re.sub(r"<.*", "", plain[callee:opening], flags=re.S).strip().rpartition("::")[2])
        kind = f", {head.kind}" if head and head.kind else ""
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        lines = "\n" * text.count("\n", callee, opening)
        pieces.append(text[done:callee])
        pieces.append(f'::asc_program::Launch(::asc_program::Kernel{{"{quoted}"{kind}}}, ')
        pieces.append(text[at:closing])
        # The lambda's own line is the one where the kernel's name ends.
        callable_text = text[callee:opening]
        flat = callable_text if not lines else callable_text.replace("\n", " ")
        pieces.append(f").with([&](auto... asc_each) {{ {flat}(asc_each...); }}){lines}")
        done = at = closing + 3
    pieces.append(text[done:])
    return "".join(pieces)


def _kind(head: str, body: str) -> str:
    if mix := _MIX.search(head):
        return f"kAscKernelMix, {mix[1]}, {mix[2]}"
    if "__vector__" in head or "__aiv__" in head:
        return "kAscKernelVector"
    if "__cube__" in head or "__aic__" in head:
        return "kAscKernelCube"
    task = _TASK_TYPE.search(body)
    return _TASKS.get(task[1], "") if task else ""


def _parameters(text: str) -> tuple[str, ...]:
    names: list[str] = []
    depth = start = 0
    for index, letter in enumerate(text + ","):
        depth += (letter in "(<[{") - (letter in ")>]}")
        if letter == "," and depth == 0:
            words = _NAME.findall(text[start:index].split("=")[0])
            names.append(words[-1] if words else "")
            start = index + 1
    return tuple(name for name in names if name)


def _closing(text: str, opening: int, left: str, right: str) -> int:
    depth = 0
    for index in range(max(opening, 0), len(text)):
        if text[index] == left:
            depth += 1
        elif text[index] == right:
            depth -= 1
            if depth == 0:
                return index
    return len(text)


def _launch_end(text: str, at: int) -> int | None:
    """Where the ``>>>`` of a launch begins."""
    depth = 0
    for index in range(at, len(text)):
        if text[index] in "([{":
            depth += 1
        elif text[index] in ")]}":
            depth -= 1
        elif depth == 0 and text.startswith(">>>", index):
            # `>>>>`: the first closes a template argument list inside the parameters.
            while text.startswith(">>>", index + 1):
                index += 1
            return index
        if depth < 0 or text[index] == ";":
            return None
    return None


def _callee_start(text: str, end: int) -> int | None:
    """Where the expression before ``<<<`` begins: a name with qualifiers and template arguments."""
    at = len(text[:end].rstrip())
    if at and text[at - 1] == ">":
        depth = 0
        while at > 0:
            at -= 1
            letter = text[at]
            if letter == ">" and text[at - 1] != "-":
                depth += 1
            elif letter == "<":
                depth -= 1
                if depth == 0:
                    break
            elif letter == ")":
                at = _opening(text, at)
            elif letter in ";{}":
                return None
        at = len(text[:at].rstrip())
    match = re.search(r"(?:::)?(?:[A-Za-z_]\w*\s*::\s*)*[A-Za-z_]\w*$", text[:at])
    return match.start() if match else None


def _opening(text: str, closing: int) -> int:
    depth = 0
    for index in range(closing, -1, -1):
        depth += (text[index] == ")") - (text[index] == "(")
        if depth == 0:
            return index
    return 0
