"""Numbers as people read them."""

from __future__ import annotations


def kib(size: int) -> str:
    """Bytes as KB of 1024 bytes, with as many of two decimals as it needs: `144 KB`, `191.75 KB`."""
    return f"{size / 1024:.2f}".rstrip("0").rstrip(".") + " KB"


def percent(part: int, whole: int) -> str:
    """`75 %`, rounded to the nearest whole; less than one is `<1 %`."""
    value = 100 * part / whole
    return "<1 %" if 0 < value < 1 else f"{round(value)} %"
