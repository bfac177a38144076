"""Judges operators of cann-ops by the goldens of other repositories: `goldens.py CANN_OPS CHECKOUT.. [--json FILE]`.

A golden belongs to the operator of cann-ops whose folder has the same name. Each operator runs the smallest case of
each dtype combination, as `corpus.py --quick` does. It agrees when all of these agree.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpus import REFERENCE, find_operators, swept
from golden_files import find_goldens, needed_modules

AGREES, DISAGREES, NOT_RUN, NEEDS = "agrees", "disagrees", "not run", "needs"
# Not among what AscendOptimizer installs, nor asked of whoever runs this.
FRAMEWORKS = frozenset({"torch", "torchvision", "tensorflow"})
_MISSING = re.compile(r"ModuleNotFoundError: No module named '(\w+)")


@dataclass
class Row:
    """An operator and its golden: how they compare; for NEEDS the reason is the module."""

    operator: str
    golden: str
    verdict: str
    reason: str = ""
    seconds: float = 0.0
    cases: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def main(arguments: argparse.Namespace) -> int:
    goldens = find_goldens(arguments.goldens)
    operators = find_operators(arguments.checkout / "src", arguments.only)
    pairs = [(path, goldens[path.name]) for path in operators if path.name in goldens]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda pair: compared(*pair), pairs))
    for row in rows:
        print(f"{row.operator:46}{row.verdict:11}{row.reason[:200]}")
    print(summary(rows, len(operators)))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    return 0


def compared(operator: Path, golden: Path) -> Row:
    """One operator against its golden, which is not started where it needs a framework in any case."""
    name, source = f"{operator.parent.name}/{operator.name}", "/".join(golden.parts[-6:-3])
    try:
        frameworks = sorted(needed_modules(golden, operator.name) & FRAMEWORKS)
    except SyntaxError as error:
        return Row(name, source, NOT_RUN, f"the golden is no Python: {error.msg}")
    if frameworks:
        return Row(name, source, NEEDS, frameworks[0])
    row = swept(operator, ["--quick", "--golden", str(golden)])
    verdict, reason = judged(row)
    return Row(name, source, verdict, reason, row["seconds"], row.get("cases", []))


def judged(row: dict[str, Any]) -> tuple[str, str]:
    """Verdict and reason from the row of one operator: a case with other values outweighs one that did not run."""
    cases: list[dict[str, Any]] = row.get("cases", [])
    if not cases:
        return NOT_RUN, f"{row['stage']}: {row['reason']}"
    different = [case for case in cases if case["state"] == "incorrect"]
    failed = [case for case in cases if not case["correct"] and case not in different]
    if different:
        return DISAGREES, _of(different, cases)
    if not failed:
        return AGREES, f"{len(cases)} cases"
    missing = _MISSING.search(failed[0]["reason"])
    if failed[0]["state"] == REFERENCE and missing and missing[1] in FRAMEWORKS:
        return NEEDS, missing[1]
    return NOT_RUN, _of(failed, cases)


def _of(chosen: Sequence[dict[str, Any]], cases: Sequence[dict[str, Any]]) -> str:
    return f"{len(chosen)} of {len(cases)} cases: {chosen[0]['reason']}"


def summary(rows: Sequence[Row], operators: int) -> str:
    """The counts in one line."""
    counts = Counter(row.verdict for row in rows)
    modules = Counter(row.reason for row in rows if row.verdict == NEEDS)
    needs = "".join(f", {count} need {module}" for module, count in sorted(modules.items()))
    states = ", ".join(f"{counts[verdict]} {verdict}" for verdict in (AGREES, DISAGREES, NOT_RUN))
    return f"{len(rows)} of {operators} operators have a golden: {states}{needs}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("goldens", type=Path, nargs="+", help="checkouts with goldens, e.g. of ops-nn and ops-math")
    parser.add_argument("--only")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if not (given.checkout / "src").is_dir():
        sys.exit(f"{given.checkout} is no checkout of cann-ops: it has no src folder")
    if empty := [str(path) for path in given.goldens if not path.is_dir()]:
        sys.exit(f"there is no folder {empty[0]}")
    sys.exit(main(given))
