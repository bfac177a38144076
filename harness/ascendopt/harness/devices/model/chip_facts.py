"""What the native server must know of a chip, from the analysis layer's chip data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ascendopt.analysis.chips import Chip, UnknownChip, load_chip
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.cache import cache_root
from ascendopt.harness.workload import Case

ACCURACY = Path(__file__).parent / "accuracy.json"
"""Errors against published times, written by `make measurements`."""
_TIMING = Path(__file__).parent / "timing"
# Short name by family: what the host code's GetSocVersion tells apart. Source: Short_SoC_version in the
# platform configuration files of CANN 8.1.
_SHORT_NAMES = {
    "910": "Ascend910",
    "A2": "Ascend910B",
    "A3": "Ascend910_93",
    "310P": "Ascend310P",
    "310B": "Ascend310B",
    "950": "Ascend910_95",
}
# What platform queries answer besides the analysis layer's chip data: sources are in the file.
_PLATFORM = Path(__file__).parent / "platform.json"

# By architecture. Source: the tables of architectures 2201 and 3510 in the programming guide.
_BIAS_TABLE_BYTES = {2201: 1 << 10, 3510: 4 << 10}
_FIXPIPE_BYTES = {2201: 2 << 10, 3510: 4 << 10}


@dataclass(frozen=True)
class ChipFacts:
    """One chip as the protocol's ``chip`` and ``memory`` objects, and the file with its timing constants.

    ``system_workspace_bytes`` is the part of a workspace in front of the user's; ``missing_dtypes`` are those that the
    chip can't copy, convert or calculate with.
    """

    name: str
    npu_arch: int
    facts: dict[str, object]
    memory: dict[str, int]
    timing: Path
    system_workspace_bytes: int
    missing_dtypes: frozenset[str]

    def check_dtypes(self, case: Case) -> None:
        """Refuse a case with a tensor of a type that the chip lacks. Raises DeviceFailure(stage="compile")."""
        for spec in (*case.inputs, *case.outputs):
            if spec.dtype in self.missing_dtypes:
                raise DeviceFailure(
                    "compile",
                    f"case {case.name}: {spec.name} is {spec.dtype}, and {self.name} has no {spec.dtype}: leave the "
                    "case out, or take another chip.",
                )


def chip_facts(soc: str) -> ChipFacts:
    """The facts of ``soc``. Raises DeviceFailure for a chip that is unknown or can't be modelled."""
    try:
        chip = load_chip(soc)
    except UnknownChip as error:
        raise DeviceFailure("compile", str(error)) from error
    timing = calibrated_timing(chip.name)
    if not timing.is_file():
        timing = _TIMING / f"{chip.name}.json"
    if chip.npu_arch is None or not chip.ub_bytes or not timing.is_file():
        known = ", ".join(sorted(path.stem for path in _TIMING.glob("Ascend*.json")))
        raise DeviceFailure("compile", f"the model device does not model {chip.name}; it models {known}.")
    platform = json.loads(_PLATFORM.read_text(encoding="utf-8"))
    facts = _facts(chip, platform)
    family = platform["families"][chip.family]
    workspace = int(family["lib_workspace_bytes"])
    missing = frozenset(family.get("missing_dtypes", ()))
    return ChipFacts(chip.name, chip.npu_arch, facts, _memory(chip), timing, workspace, missing)


def calibrated_timing(chip: str) -> Path:
    """Where `ascendopt device calibrate` leaves a chip's constants; the device takes them when the file is there."""
    return cache_root() / "timing" / f"{chip}.json"


def shipped_timing(chip: str) -> Path:
    """The constants of a chip that come with the product."""
    return _TIMING / f"{chip}.json"


def modelled_chips() -> tuple[str, ...]:
    """Names of the chips with timing constants."""
    return tuple(sorted(path.stem for path in _TIMING.glob("Ascend*.json")))


def _facts(chip: Chip, platform: dict[str, Any]) -> dict[str, object]:
    family = platform["families"][chip.family]
    # Rates are known for the chip; what host code asks for is a core's share of a cycle.
    core_cycles = (chip.aic_cores or 1) * (chip.clock_mhz or 1) * 1e6
    return {
        "name": chip.name,
        "short_name": _SHORT_NAMES.get(chip.family, chip.name),
        "aic_count": chip.aic_cores or 0,
        "aiv_count": chip.aiv_cores or 0,
        "ub_bytes": chip.usable_ub_bytes or 0,
        "l1_bytes": chip.l1_bytes or 0,
        "l0a_bytes": chip.l0a_bytes or 0,
        "l0b_bytes": chip.l0b_bytes or 0,
        "l0c_bytes": chip.l0c_bytes or 0,
        "l2_bytes": chip.l2_bytes or 0,
        "hbm_bytes": platform["hbm_bytes"].get(chip.name, 0),
        "hbm_bytes_per_cycle": round(family.get("hbm_bytes_per_second", 0) / core_cycles),
        "l2_bytes_per_cycle": round(family.get("l2_bytes_per_second", 0) / core_cycles),
        "lib_workspace_bytes": family["lib_workspace_bytes"],
        "clock_mhz": chip.clock_mhz or 0,
        "intrinsics": family["intrinsics"],
    }


def _memory(chip: Chip) -> dict[str, int]:
    return {
        "ub": chip.ub_bytes or 0,
        "l1": chip.l1_bytes or 0,
        "l0a": chip.l0a_bytes or 0,
        "l0b": chip.l0b_bytes or 0,
        "l0c": chip.l0c_bytes or 0,
        "bias_table": _BIAS_TABLE_BYTES.get(chip.npu_arch or 0, 0),
        "fixpipe": _FIXPIPE_BYTES.get(chip.npu_arch or 0, 0),
    }
