"""Checks folders of faulty inputs: found at the stated line, silent once fixed. `cases.py FOLDER`.

Each case is a folder with ``kernel.cpp`` (and ``host.cpp``), a fixed twin, and ``case.json`` with the chip, kind and
faulty lines. What shows only at run time (kind ``runtime``) is the device's to find (tests/harness/model): the analysis
must only say nothing false of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLACES = {"kernel.cpp": "op_kernel/kernel.cpp", "host.cpp": "op_host/host.cpp"}
TWINS = {"fixed.cpp": "kernel.cpp", "fixed_host.cpp": "host.cpp"}


@dataclass(frozen=True)
class Outcome:
    found: list[str]
    false_errors: list[str]
    noise: list[str]


def main(folder: Path) -> int:
    bad = 0
    for case in sorted(path.parent for path in folder.glob("*/case.json")):
        facts = json.loads((case / "case.json").read_text(encoding="utf-8"))
        outcome = judge(case, facts)
        expected = facts["kind"] not in ("clean", "runtime")
        state = "FALSE" if outcome.false_errors else "MISSED" if expected and not outcome.found else "ok"
        bad += state != "ok"
        print(f"{state:7}{facts['kind']:8}{case.name:44}{' '.join(outcome.found)}")
        for text in (*outcome.false_errors, *outcome.noise):
            print(f"        {text}")
    print(f"{bad} of the cases are not as stated")
    return 1 if bad else 0


def judge(case: Path, facts: dict[str, Any]) -> Outcome:
    lines = {(facts["faulty_file"], line) for line in facts["faulty_lines"]}
    faulty = list(check(case, facts["soc"], fixed=False))
    found = sorted({f["rule"] for f in faulty if (f["file"], f["line"]) in lines})
    if facts["kind"] == "clean":
        return Outcome([], [describe(f) for f in faulty if f["severity"] == "error"], noise(faulty))
    twin = list(check(case, facts["soc"], fixed=True))
    wrong = [f"in the fixed twin: {describe(f)}" for f in twin if f["severity"] == "error"]
    elsewhere = [f"elsewhere: {describe(f)}" for f in faulty if (f["file"], f["line"]) not in lines]
    return Outcome(found, wrong, elsewhere + [f"in the fixed twin: {text}" for text in noise(twin)])


def noise(findings: list[dict[str, Any]]) -> list[str]:
    return [describe(f) for f in findings if f["severity"] != "error"]


def describe(finding: dict[str, Any]) -> str:
    return f"{finding['file']}:{finding['line']} {finding['severity']} {finding['rule']}: {finding['message'][:120]}"


def check(case: Path, soc: str, *, fixed: bool) -> Iterator[dict[str, Any]]:
    """Findings of the case laid out as an operator; ``file`` is the name that the case gives it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "case"
        names = {name: case / name for name in PLACES if (case / name).exists()}
        if fixed:
            names |= {name: case / twin for twin, name in TWINS.items() if (case / twin).exists()}
        for name, source in names.items():
            (root / PLACES[name]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / PLACES[name])
        command = [str(Path(sys.executable).parent / "ascendopt"), "check", str(root), "--format", "json"]
        command += ["--soc", soc if soc != "Ascend910B" else "Ascend910B2"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode > 1:
            raise SystemExit(f"{case.name}: {done.stderr}")
        back = {place: name for name, place in PLACES.items()}
        for finding in json.loads(done.stdout)["findings"]:
            place = next((name for path, name in back.items() if finding["file"].endswith(path)), finding["file"])
            yield {**finding, "file": place}


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: cases.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
