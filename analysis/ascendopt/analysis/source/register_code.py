"""Code of the register programming model (Ascend 950), which the facts do not model."""

from __future__ import annotations

import re
from pathlib import PurePath

from ascendopt.analysis.findings import Span
from ascendopt.analysis.source.source_file import SourceFile

_FOLDERS = frozenset({"arch35", "arch32", "v35", "regbase"})
_HOST_FOLDERS = frozenset({"op_host", "op_tiling", "op_api", "op_graph"})
_HINTS = (b"__simd_vf__", b"__simt_vf__", b"__VEC_SCOPE__", b"MicroAPI", b"RegTensor", b"MaskReg", b"Simt")
_REG = re.compile(rb"Reg\s*::")
_WORDS = re.compile(
    rb"__simd_vf__|__simt_vf__|__VEC_SCOPE__|\bMicroAPI\s*::|\bRegTensor\s*<|\bMaskReg\b|\bAscendC\s*::\s*Reg\s*::|\bSimt\s*::"
)


def is_register_code(path: PurePath, data: bytes) -> bool:
    """True for code of the register programming model: by a folder that build systems keep for the kernels of that
    architecture, or by a word that no other model has. Its calls work on registers."""
    return _is_in_folder(path) or (_has_a_hint(data) and _WORDS.search(data) is not None)


def register_code(source: SourceFile) -> Span | None:
    """Where ``source`` shows that it is register code for the chip that it was parsed for: the first word of that
    model outside of comments and dead branches, or the first line of a file in a folder of that architecture."""
    for word in _WORDS.finditer(source.data) if _has_a_hint(source.data) else ():
        line = source.lines.line_of(word.start())
        node = source.tree.root_node.descendant_for_byte_range(word.start(), word.end())
        if source.lines.line_bytes(source.masked, line).strip() and (node is None or node.type != "comment"):
            return Span(word.start(), word.end())
    if _is_in_folder(source.path):
        line = source.data.split(b"\n", 1)[0].rstrip()
        return Span(len(line) - len(line.lstrip()), len(line))
    return None


def _has_a_hint(data: bytes) -> bool:
    """False where the words cannot be: looking for one text at a time is a hundred times faster."""
    return any(hint in data for hint in _HINTS) or _REG.search(data) is not None


def _is_in_folder(path: PurePath) -> bool:
    parts = path.parts[:-1]
    return not _FOLDERS.isdisjoint(parts) and _HOST_FOLDERS.isdisjoint(parts)
