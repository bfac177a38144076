"""Chip names as families: conditions of motifs hold families, since a rewrite rarely depends on the variant."""

from __future__ import annotations

import re

# Ascend910B2 -> Ascend910B, Ascend910_9362 -> Ascend910_93, Ascend310P3 -> Ascend310P, Ascend950PR -> Ascend950.
_FAMILY = re.compile(r"Ascend\d+(?:_93|[BP](?=\d|$))?")


def chip_family(soc: str) -> str:
    """The family of a chip's name; a name of another form is its own family."""
    match = _FAMILY.match(soc)
    return match.group() if match else soc
