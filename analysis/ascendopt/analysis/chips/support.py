"""Which APIs a chip lacks. Data in ``data/unsupported_apis.json``, with its source."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

from ascendopt.analysis.chips.chip import Chip


@lru_cache(maxsize=1)
def _missing() -> dict[str, frozenset[str]]:
    text = resources.files("ascendopt.analysis").joinpath("data/unsupported_apis.json").read_text("utf-8")
    return {name: frozenset(entry["families"]) for name, entry in json.loads(text)["apis"].items()}


def supports(chip: Chip, api: str) -> bool:
    """False when the documentation of ``api`` lists the chip's family as not supported."""
    return chip.family not in _missing().get(api, frozenset())
