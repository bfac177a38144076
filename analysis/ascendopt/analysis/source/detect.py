"""Is this text AscendC at all?"""

from __future__ import annotations

from pathlib import PurePath

from ascendopt.analysis.source.words import load_words

DEVICE_SUFFIX = ".asc"


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
