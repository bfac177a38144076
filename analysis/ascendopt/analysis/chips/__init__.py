"""Chips by name. ``load_chip("Ascend910B2")``; see ``data/README.md`` for how the data is made."""

from ascendopt.analysis.chips.chip import Chip, UnknownChip, chip_names, load_chip
from ascendopt.analysis.chips.default import DEFAULT_SOC, soc_for

__all__ = ["DEFAULT_SOC", "Chip", "UnknownChip", "chip_names", "load_chip", "soc_for"]
