"""Is this text AscendC at all?"""

from __future__ import annotations

import re
from pathlib import PurePath

from ascendopt.analysis.source.words import load_words

DEVICE_SUFFIX = ".asc"
_REGISTER_FOLDERS = frozenset({"arch35", "arch32", "v35", "regbase"})
_REGISTER_CODE = re.compile(
    rb"__simd_vf__|__simt_vf__|__VEC_SCOPE__|\bMicroAPI\s*::|\bRegTensor\s*<|\bMaskReg\b|\bAscendC\s*::\s*Reg\s*::|\bSimt\s*::"
)


def is_kernel_source(text: str, path: PurePath | None = None) -> bool:
    """True for device code: a ``.asc`` file, the kernel header, or a qualifier of the language extension."""
    if path is not None and path.suffix == DEVICE_SUFFIX:
        return True
    return any(marker in text for marker in load_words().device_markers)


def is_host_source(text: str) -> bool:
    """True for the host side: operator registration or tiling definitions."""
    return any(marker in text for marker in load_words().host_markers)


def is_ascendc(text: str, path: PurePath | None = None) -> bool:
    """True when the tool should look at this file: device or host side of an AscendC operator."""
    return is_kernel_source(text, path) or is_host_source(text)


def is_register_code(path: PurePath, data: bytes) -> bool:
    """True for code of the register programming model (Ascend 950): by a folder that build systems keep for that
    architecture, or by a word that no other model has. Its calls work on registers, which the facts do not model."""
    return not _REGISTER_FOLDERS.isdisjoint(path.parts) or _REGISTER_CODE.search(data) is not None
