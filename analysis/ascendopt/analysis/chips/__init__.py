"""Chips by name. ``load_chip("Ascend910B2")``; see ``data/README.md`` for how the data is made."""

from ascendopt.analysis.chips.chip import Chip, UnknownChip, chip_names, load_chip

__all__ = ["Chip", "UnknownChip", "chip_names", "load_chip"]
