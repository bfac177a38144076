"""Ways to write the same counting loop."""

from __future__ import annotations


def loop_variants(pattern: str) -> tuple[str, ...]:
    """``pattern`` with any counter type, and with ``++$i`` and ``$i++``.

    A pattern that removals write has ``uint32_t $i``; people write ``int32_t`` and ``auto`` as well.
    """
    general = pattern.replace("for (uint32_t $i", "for ($type $i")
    if "; ++$i)" not in general:
        return (general,)
    return general, general.replace("; ++$i)", "; $i++)")
