"""Condense a table of chip facts (``soc.json``: every leaf is {v, src, loc}) into the package's
``chips.json``.

Usage: python tools/condense_chips.py FACTS/soc.json analysis/ascendopt/analysis/data/chips.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

AICORE_OF_ARCH = {1001: 100, 2002: 200, 2201: 220, 3002: 300, 3510: 310}
PLAIN = {
    "npu_arch": "npu_arch",
    "aic_cores": "aic_count",
    "aiv_cores": "aiv_count",
    "clock_mhz": "clock_mhz",
    "ub_bytes": "ub_bytes",
    "l1_bytes": "l1_bytes",
    "l0a_bytes": "l0a_bytes",
    "l0b_bytes": "l0b_bytes",
    "l0c_bytes": "l0c_bytes",
    "l2_bytes": "l2_bytes",
}
USABLE = {"ub_platform_bytes": "platform_GetCoreMemSize", "ub_kernel_bytes": "kernel_default"}
# An early 910 part is called Ascend910B in old configuration files; every present use of the name means Atlas A2.
LEFT_OUT = ("Ascend910B",)
ALIASES = {
    "Ascend910B": "Ascend910B2",
    "A2": "Ascend910B2",
    "Ascend910_93": "Ascend910_9391",
    "A3": "Ascend910_9391",
    "Ascend310P": "Ascend310P3",
    "310P": "Ascend310P3",
    "Ascend310B": "Ascend310B1",
    "310B": "Ascend310B1",
    "Ascend910": "Ascend910A",
    "910": "Ascend910A",
    "Ascend950": "Ascend910_95",
    "950": "Ascend910_95",
    **dict.fromkeys(("Ascend950PR", "Ascend950PR_9599", "Ascend950PR_958A"), "Ascend910_95"),
    **dict.fromkeys(("Ascend950PR_9589", "Ascend950PR_9579"), "Ascend910_95"),
    **dict.fromkeys(("Ascend950DT", "Ascend950DT_9591", "Ascend950DT_9581", "Ascend950DT_9571"), "Ascend910_95"),
}


def leaf(entry: Any) -> tuple[Any, str]:
    """The value of a fact and where it is from."""
    if not isinstance(entry, dict):
        return None, ""
    return entry.get("v"), f"{entry.get('src', '')}: {entry.get('loc', '')}"


def condense(facts: dict[str, Any]) -> dict[str, Any]:
    """The package's table: chips with plain fields and their sources, aliases, and what the source keys
    mean."""
    chips: dict[str, Any] = {}
    for name, chip in facts["socs"].items():
        if name in LEFT_OUT:
            continue
        entry: dict[str, Any] = {"product": chip["product"], "family": chip["family"]}
        sources: dict[str, str] = {}
        usable = chip.get("ub_usable_bytes") or {}
        for field, key in PLAIN.items():
            entry[field], source = leaf(chip.get(key))
            sources |= {field: source} if source else {}
        for field, key in USABLE.items():
            entry[field], source = leaf(usable.get(key))
            sources |= {field: source} if source else {}
        region, source = leaf(usable.get("api_tmp_region"))
        entry["api_scratch_bytes"] = region["bytes"] if region else None
        sources |= {"api_scratch_bytes": source} if source else {}
        entry["cce_aicore"] = AICORE_OF_ARCH.get(entry["npu_arch"])
        chips[name] = entry | {"sources": sources}
    return {"sources": facts["sources"], "aliases": ALIASES, "chips": chips}


def main() -> int:
    """Read the first path, write the second."""
    if len(sys.argv) != 3:
        sys.stderr.write("usage: condense_chips.py SOC_JSON CHIPS_JSON\n")
        return 2
    facts = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    text = json.dumps(condense(facts), indent=1, ensure_ascii=False) + "\n"
    Path(sys.argv[2]).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
