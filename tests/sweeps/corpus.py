"""Runs every operator of a checkout of cann-ops on the model device: `corpus.py CANN_OPS [--only A,B] [--json FILE]`.

Each operator is compiled (host, and one kernel per dtype combination) and run on the cases of its workload, in a
process of its own. An operator gets the first stage that stopped it, and why; the table ends with the counts.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ascendopt.harness.devices.base import Device
    from ascendopt.harness.target import Target
    from ascendopt.harness.workload import Case

STAGES = ("workload", "host", "kernel", "tile", "run", "values", "ok")
LIMIT_S = 600
# State of a case whose reference failed, so that nothing is known of the values.
REFERENCE = "reference"


def main(arguments: argparse.Namespace) -> int:
    operators = find_operators(arguments.checkout / "src", arguments.only)
    options = ["--compile-only"] * arguments.compile_only + ["--quick"] * arguments.quick
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda path: swept(path, options), operators))
    for row in rows:
        print(f"{row['operator']:52}{row['stage']:10}{row['reason'][:160]}")
    counts = Counter(row["stage"] for row in rows)
    print(f"{len(rows)} operators: " + ", ".join(f"{counts[stage]} {stage}" for stage in STAGES if counts[stage]))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


def find_operators(sources: Path, only: str | None) -> list[Path]:
    """Folders with both sides, in the order of their names; ``only`` keeps some, as ``math/lerp,norm/rms_norm``."""
    folders = (path.parent for path in sources.rglob("op_kernel") if "common" not in path.parts[len(sources.parts) :])
    found = sorted(folder for folder in folders if (folder / "op_host").is_dir())
    wanted = set(only.split(",")) if only else None
    return [path for path in found if wanted is None or f"{path.parent.name}/{path.name}" in wanted]


def swept(operator: Path, options: Sequence[str]) -> dict[str, Any]:
    """The row of one operator, from a process of its own; ``options`` are those of ``one``."""
    command = [sys.executable, __file__, str(operator), "--one", *options]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S)
        row = json.loads(done.stdout) if done.returncode == 0 else {"stage": "run", "reason": done.stderr[-400:]}
    except subprocess.TimeoutExpired:
        row = {"stage": "run", "reason": f"not done in {LIMIT_S} s"}
    row["operator"] = f"{operator.parent.name}/{operator.name}"
    row["seconds"] = round(time.monotonic() - started, 1)
    print(f"  {row['operator']} {row['stage']} {row['seconds']}", file=sys.stderr)
    return row


def one(operator: Path, compile_only: bool, quick: bool, golden: Path | None = None) -> dict[str, Any]:
    """Take one operator as far as it goes; ``quick``: the smallest case of each dtype combination alone.

    ``golden`` judges it instead of the reference of its workload.
    """
    from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
    from ascendopt.harness.opening import Devices
    from ascendopt.harness.target import with_golden

    devices = Devices("model")
    try:
        try:
            target, device = devices.open(operator)
            target = with_golden(target, golden) if golden else target
            built = device.build(operator, BuildOptions(target.soc))
        except ValueError as error:
            return {"stage": "workload", "reason": str(error)}
        except DeviceFailure as failure:
            return {"stage": "host", "reason": str(failure), "log": failure.log}
        if quick:
            target = replace(target, workload=replace(target.workload, cases=smallest(target.workload.cases)))
        seen: set[tuple[str, ...]] = set()
        for case in target.workload.cases:
            dtypes = dtypes_of(case)
            if dtypes in seen or (compile_only and seen):
                continue
            seen.add(dtypes)
            try:
                built.kernel(case)
            except DeviceFailure as failure:
                return {"stage": "kernel", "reason": str(failure), "log": failure.log}
        if compile_only:
            return {"stage": "ok", "reason": ""}
        cases = list(reports(target, device))
    finally:
        devices.close()
    wrong = [case for case in cases if case["correct"] is False]
    state = "values" if wrong and all(case["state"] == "incorrect" for case in wrong) else "run" if wrong else "ok"
    reason = wrong[0]["reason"] if wrong else ""
    return {"stage": state, "reason": reason, "origin": target.origin, "notes": list(target.notes), "cases": cases}


def reports(target: Target, device: Device) -> Iterator[dict[str, Any]]:
    """What the gates say of each case, in JSON; a reference that fails on one is the state of that case alone."""
    from ascendopt.harness.gates.evaluator import ReferenceFailure
    from ascendopt.harness.inspection import inspect

    for case in target.workload.cases:
        alone = replace(target, workload=replace(target.workload, cases=(case,)))
        try:
            yield from (report.to_json() for report in inspect(alone, device))
        except ReferenceFailure as failure:
            yield {"name": case.name, "correct": False, "state": REFERENCE, "reason": str(failure)}


def dtypes_of(case: Case) -> tuple[str, ...]:
    """The dtype combination of a case."""
    return tuple(spec.dtype for spec in (*case.inputs, *case.outputs))


def smallest(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The case with the fewest elements of each dtype combination."""
    best: dict[tuple[str, ...], Case] = {}
    for case in cases:
        known = best.get(dtypes_of(case))
        if known is None or elements(case) < elements(known):
            best[dtypes_of(case)] = case
    return tuple(best.values())


def elements(case: Case) -> int:
    """Elements of all tensors of a case."""
    return sum(math.prod(shape) for spec in (*case.inputs, *case.outputs) for shape in spec.shapes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--quick", action="store_true", help="the smallest case of each dtype combination alone")
    parser.add_argument("--golden", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.checkout, given.compile_only, given.quick, given.golden)))
        sys.exit(0)
    if not (given.checkout / "src").is_dir():
        sys.exit(f"{given.checkout} is no checkout of cann-ops: it has no src folder")
    sys.exit(main(given))
