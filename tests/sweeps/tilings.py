"""Compares the tiling search with plain searches on operators of cann-ops that have room: `tilings.py CANN_OPS`.

Each operator is copied, with a workload of its own beside it: one dtype combination of what is inferred (`--dtypes`:
the first, the second ..), with every case timed but the smallest. A short run of two methods with a seed of its own
shows which operators have room. Only these are searched by all methods and seeds. What is done is not done again: the
same command goes on after a stop.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ascendopt.harness.evaluation import elements
from ascendopt.harness.workload import Case
from ascendopt.harness.workload_file import FILE_NAME, read_workload_file
from ascendopt.harness.workload_writer import workload_text

ASCENDOPT = Path(sys.executable).parent / "ascendopt"
# The model device repeats itself to the digit, and programs are compared over the same parameter sets.
# One report has one chip, whichever the operators name.
COMMON = ("--soc", "Ascend910B2", "--margin", "0.5")
SCREEN = ("--methods", "stage2,random", "--budget", "24", "--seed", "100", *COMMON)
STUDY = ("--methods", "stage2,random,tpe,grid", "--budget", "60", "--seeds", "5", *COMMON)
ROOM = 1.01


def main(arguments: argparse.Namespace) -> int:
    lines = arguments.operators.read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if line and not line.startswith("#")]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        kept = list(pool.map(partial(studied, arguments), names))
    roomy = [folder for folder in kept if folder is not None]
    print(f"{len(roomy)} of {len(names)} operators have room", flush=True)
    return bench(roomy, STUDY, arguments.out / "runs", quiet=False) if roomy else 0


def studied(arguments: argparse.Namespace, name: str) -> Path | None:
    """The copy of an operator with its runs done; None when it can't run or has no room."""
    out, number = arguments.out, arguments.dtypes
    folder = out / "operators" / (name.replace("/", "-") + (f"-dtypes{number}" if number > 1 else ""))
    try:
        if not (folder / "ascendopt.toml").is_file():
            prepare(arguments.checkout / "src" / name, folder, number)
    except ValueError as error:
        print(f"{name}: {error}", flush=True)
        return None
    screen = out / "screen" / folder.name
    if not (screen / "metrics.json").is_file() and bench([folder], SCREEN, screen) != 0:
        print(f"{name}: can't be run", flush=True)
        return None
    methods = json.loads((screen / "metrics.json").read_text(encoding="utf-8"))["methods"]
    gain = max(method["gm"] for method in methods.values())
    if gain < ROOM:
        print(f"{name}: no room, {gain:.3f}x", flush=True)
        return None
    bench([folder], STUDY, out / "runs")
    print(f"{name}: done, {gain:.3f}x at first", flush=True)
    return folder


def prepare(operator: Path, folder: Path, number: int) -> None:
    """Copy an operator and write its workload. Raises ValueError with what can't be inferred."""
    shutil.copytree(operator, folder, dirs_exist_ok=True)
    # What operators of a repository share is found in a folder of this name above them.
    shutil.copytree(operator.parents[1] / "common", folder.parent / "common", dirs_exist_ok=True)
    file = folder / FILE_NAME
    done = subprocess.run([ASCENDOPT, "workload", "init", folder], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    content = read_workload_file(file)
    cases = of_dtypes(content.workload.cases, number)
    smallest = min(cases, key=elements)
    timed = tuple(replace(case, correctness_only=case is smallest and len(cases) > 1) for case in cases)
    text = workload_text(folder, replace(content, workload=replace(content.workload, cases=timed)))
    file.write_text(text, encoding="utf-8")


def of_dtypes(cases: Sequence[Case], number: int) -> list[Case]:
    """The cases of the `number`-th dtype combination. Raises ValueError when there are fewer."""
    combinations: dict[tuple[str, ...], list[Case]] = {}
    for case in cases:
        dtypes = tuple(spec.dtype for spec in (*case.inputs, *case.outputs))
        combinations.setdefault(dtypes, []).append(case)
    if number > len(combinations):
        raise ValueError(f"there are {len(combinations)} dtype combinations")
    return list(combinations.values())[number - 1]


def bench(operators: Sequence[Path], options: Sequence[str], out: Path, quiet: bool = True) -> int:
    command = [ASCENDOPT, "bench", *operators, *options, "--out", out]
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL if quiet else None).returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--operators", type=Path, default=Path(__file__).with_suffix(".txt"))
    parser.add_argument("--out", type=Path, default=Path("out/tilings"))
    parser.add_argument("--dtypes", type=int, default=1, metavar="N", help="the N-th dtype combination, from 1")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if not (given.checkout / "src").is_dir():
        sys.exit(f"{given.checkout} is no checkout of cann-ops: it has no src folder")
    sys.exit(main(given))
