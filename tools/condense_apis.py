"""Condense a table of AscendC functions (``api.json``: signatures, dtypes and chips of each page) into the
package's ``apis.json``.

Usage: python tools/condense_apis.py FACTS/api.json analysis/ascendopt/analysis/data/apis.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# Functions whose operands the analysis reads; queues, tensors and macros are understood by the walk itself.
CATEGORIES = frozenset(
    (
        *("arith", "compound", "reduce", "compare_select", "gather_scatter", "cast", "cast_cfg", "logic", "fill"),
        *("layout", "rearrange", "sort", "mask", "data_move", "data_move_cfg", "cube", "sync", "cross_core_sync"),
        *("atomic", "cache", "system", "highlevel"),
    )
)
# The page's name -> what sources call it besides. The older names take the same parameters in the same order.
OTHER_NAMES = {
    "ReduceRepeat": ("WholeReduceSum", "WholeReduceMax", "WholeReduceMin"),
    "Compares": ("CompareScalar",),
    "LoadData_2D": ("LoadData",),
    "LoadData_3D": ("LoadData",),
}
# Older functions with an order of their own; from the pages of their replacements and the compatibility notes.
OLDER = {
    "BlockReduceSum": "ReduceDataBlock",
    "BlockReduceMax": "ReduceDataBlock",
    "BlockReduceMin": "ReduceDataBlock",
    "PairReduceSum": "ReducePairElem",
    "RepeatReduceSum": "ReduceRepeat",
}
OLDER_ORDER = ("dst", "src", "repeatTime", "mask", "dstRepStride", "srcBlkStride", "srcRepStride")
REPEAT_REDUCE_ORDER = (*OLDER_ORDER[:4], "dstBlkStride", "srcBlkStride", "dstRepStride", "srcRepStride")
ROLES = {"local_tensor": "local", "global_tensor": "global"}


def condense(facts: dict[str, Any]) -> dict[str, Any]:
    """Every name with its pages: pipe, chips, signatures (parameter, kind, element), dtypes by chip family."""
    apis: dict[str, list[dict[str, Any]]] = {}
    for entry in facts["apis"]:
        if entry["category"] not in CATEGORIES or not entry["name"].isidentifier() or not entry.get("signatures"):
            continue
        page = page_of(entry)
        for name in (entry["name"], *OTHER_NAMES.get(entry["name"], ())):
            apis.setdefault(name, []).append(page)
    for name, modern in OLDER.items():
        order = REPEAT_REDUCE_ORDER if name == "RepeatReduceSum" else OLDER_ORDER
        kinds = {"dst": ["local", "T"], "src": ["local", "T"], "mask": ["mask", None]}
        signature = [[part, *kinds.get(part, ["int", None])] for part in order]
        apis[name] = [{**page, "signatures": [signature]} for page in apis[modern]]
    return {"source": facts["source"], "apis": dict(sorted(apis.items()))}


def page_of(entry: dict[str, Any]) -> dict[str, Any]:
    """One documentation page."""
    page: dict[str, Any] = {
        "pipe": entry.get("pipe"),
        "core": entry.get("core"),
        "families": sorted(family for family, has in entry["support"].items() if has),
        "signatures": unique([signature(one) for one in entry["signatures"]]),
        "doc": entry["doc"],
    }
    dtypes: dict[str, dict[str, Any]] = entry.get("dtypes") or {}
    types = {family: said["types"] for family, said in dtypes.items() if said.get("types")}
    rows = {family: said["combinations"] for family, said in dtypes.items() if said.get("combinations")}
    if types:
        page["types"] = types
    if rows:
        page["combinations"] = rows
    return page


def signature(said: dict[str, Any]) -> list[list[str | None]]:
    """Parameters as [name, kind, element or type]."""
    return [
        [part["name"].removesuffix("[]"), ROLES.get(part["kind"], part["kind"]), part.get("elem") or part.get("type")]
        for part in said["params"]
    ]


def unique(signatures: list[list[list[str | None]]]) -> list[list[list[str | None]]]:
    """Without repetitions, in order."""
    return [one for index, one in enumerate(signatures) if one not in signatures[:index]]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: condense_apis.py FACTS/api.json TARGET.json")
    table = condense(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    Path(sys.argv[2]).write_text(json.dumps(table, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
