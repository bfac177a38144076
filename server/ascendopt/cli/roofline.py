"""The roofline verdict of `ascendopt run`: which resource bounds a case, and how far the case is from that bound."""

from __future__ import annotations

from ascendopt.harness.inspection import CaseReport

_NAMES = {"hbm": "HBM", "l2": "the L2 cache"}
_UNITS = ("B", "KB", "MB", "GB")


def verdict(report: CaseReport) -> str | None:
    """One sentence, or None where there is no model of the case's time."""
    result = report.result
    if result.roofline is None or not result.latency_us:
        return None
    name, least = result.roofline.bound()
    moved = f"reads {_bytes(result.roofline.read_bytes)}, writes {_bytes(result.roofline.write_bytes)}"
    if not least:
        return None
    return (
        f"bound by {_NAMES.get(name, name)}: that alone takes {least:.2f} us of {result.latency_us:.2f} us "
        f"({least / result.latency_us:.0%}); {moved}, {_bytes(result.roofline.hbm_bytes)} through HBM"
    )


def _bytes(size: float) -> str:
    for unit in _UNITS[:-1]:
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} {_UNITS[-1]}"
