"""Runs the kernel-launch examples of a checkout of asc-devkit: `examples.py ASC_DEVKIT [--only A,B] [--json FILE]`.

Each example that names A2 among its products is copied to a scratch folder and run as its README says: its own
gen_data.py, the program on the model device, its own verify_result.py. An example without a script passes when its
program ends with 0 and says so. Examples with scenarios (a CMake option) are run once for each scenario.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cmake import Listing, read_listing

SOC = "Ascend910B2"
ARCHITECTURE = "dav-2201"
FOLDER = "examples/01_simd_cpp_api"
LIMIT_S = 600
STATES = ("passed", "ran", "wrong", "violation", "crashed", "compile", "data", "skipped")
MEANING = {
    "passed": "own check passed",
    "ran": "ran to its end, brings no check",
    "wrong": "own check failed",
    "violation": "the device ended the run",
    "crashed": "ended by a signal or limit",
    "compile": "does not compile",
    "data": "its data script does not run here",
    "skipped": "other chip, framework or form",
}
_SCENARIO = re.compile(r"SCENARIO|_MODE$|CASE|UNITFLAG|GEMV|COPY_DST")
_NOT_SCENARIO = ("CMAKE_ASC_RUN_MODE", "CMAKE_VF_MODE")
_COMMAND = re.compile(r"^\s*python3?\s+(\S*(?:gen_data|verify_result)\.py)([^#\n&|;]*)", re.M)
_ASSIGNMENT = re.compile(r"^\s*([A-Z_]+)=(\w+)\s*(?:#.*)?$", re.M)
_FRAMEWORK = re.compile(r"^\s*(?:import|from)\s+(torch|tensorflow|torch_npu|scipy|en_dtypes)\b", re.M)


@dataclass(frozen=True)
class Run:
    """One example with one choice of its options."""

    folder: Path
    source: Path
    scenario: dict[str, str]

    def name(self, base: Path) -> str:
        chosen = ",".join(f"{key}={value}" for key, value in self.scenario.items())
        return self.folder.relative_to(base).as_posix() + (f" [{chosen}]" if chosen else "")


def main(arguments: argparse.Namespace) -> int:
    base = arguments.checkout / FOLDER
    wanted = arguments.only.split(",") if arguments.only else [""]
    sources = sorted(path for path in base.rglob("*.asc") if any(part in path.as_posix() for part in wanted))
    skipped = [{"run": p.parent.relative_to(base).as_posix(), "state": "skipped", "reason": why(p)} for p in sources]
    rows: list[dict[str, Any]] = [row for row in skipped if row["reason"]]
    runs = [run for path in sources if not why(path) for run in runs_of(path)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows += pool.map(swept, runs, [base] * len(runs))
    report(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def why(source: Path) -> str:
    """Why an example is not for this device; empty when it is."""
    readme = source.parent / "README.md"
    if not readme.is_file() or not (source.parent / "CMakeLists.txt").is_file():
        return "part of an example that is built otherwise"
    if "A2 训练" not in readme.read_text(encoding="utf-8", errors="replace"):
        return "not for A2"
    text = source.read_text(encoding="utf-8", errors="replace")
    if re.search(r"<torch/|<pybind11/|graph/operator_reg|graph/custom_op", text):
        return "a part of a PyTorch or GE program"
    if not re.search(r"\bmain\s*\(", text):
        return "a library, not a program"
    return ""


def runs_of(source: Path) -> list[Run]:
    """The example once for each of its scenarios."""
    folder = source.parent
    listing = read_listing(folder / "CMakeLists.txt", {"CMAKE_ASC_ARCHITECTURES": ARCHITECTURE})
    option = next((name for name in listing.options if _SCENARIO.search(name) and name not in _NOT_SCENARIO), None)
    if option is None:
        return [Run(folder, source, {})]
    default = listing.options[option]
    values = _values(listing.texts.get(option, ""))
    if default in ("ON", "OFF", "TRUE", "FALSE"):
        values = ["OFF", "ON"]
    values = values or [str(number) for number in range(16)]
    accepted = [value for value in values if not _listing(folder, {option: value}).rejected]
    accepted = [value for value in accepted if not _for_another_chip(source, value)] or accepted
    if len(accepted) > 14:
        accepted = [default]  # any number is accepted, so the numbers say nothing
    return [Run(folder, source, {option: value}) for value in accepted or [default]]


def _for_another_chip(source: Path, scenario: str) -> bool:
    """Whether the example says of a scenario that only another chip has it."""
    pattern = rf"场景\s*{scenario}(?!\d)[^\n]{{0,160}}?(?:仅支持|仅|只支持)\s*Ascend 950"
    texts = [source, source.parent / "README.md", source.parent / "CMakeLists.txt"]
    return any(re.search(pattern, path.read_text(encoding="utf-8", errors="replace")) for path in texts)


def _values(text: str) -> list[str]:
    """The values in a description such as `Scene number (1-4)` or `e.g. 1 2 3`."""
    if span := re.search(r"(\d+)\s*-\s*(\d+)", text):
        return [str(number) for number in range(int(span[1]), int(span[2]) + 1)]
    return list(dict.fromkeys(re.findall(r"(?<![\w.])\d+(?![\w.])", text)))


def _listing(folder: Path, scenario: dict[str, str]) -> Listing:
    given = {"CMAKE_ASC_ARCHITECTURES": ARCHITECTURE, "CMAKE_ASC_RUN_MODE": "npu", **scenario}
    return read_listing(folder / "CMakeLists.txt", given)


def swept(run: Run, base: Path) -> dict[str, Any]:
    """The row of one run, from a process of its own."""
    command = [sys.executable, __file__, str(run.source), "--one", json.dumps(run.scenario)]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S * 4)
        row = json.loads(done.stdout) if done.returncode == 0 else {"state": "crashed", "reason": done.stderr[-600:]}
    except subprocess.TimeoutExpired:
        row = {"state": "crashed", "reason": f"not done in {LIMIT_S * 4} s"}
    row = {"run": run.name(base), "seconds": round(time.monotonic() - started, 1), **row}
    print(f"  {row['run']} {row['state']} {row['seconds']}", file=sys.stderr)
    return row


def one(source: Path, scenario: dict[str, str]) -> dict[str, Any]:
    """Take one run as far as it goes."""
    with tempfile.TemporaryDirectory(prefix="ascendopt-example-") as name:
        folder = Path(name) / source.parent.name
        shutil.copytree(source.parent, folder)
        work = folder / "build"
        work.mkdir(exist_ok=True)
        prepare, verify = commands(folder, scenario)
        if prepare:
            script = folder / "scripts" / Path(prepare[0]).name
            failed = _script(prepare, work)
            if failed:
                needs = _FRAMEWORK.search(script.read_text(encoding="utf-8")) if script.is_file() else None
                return {"state": "data", "reason": f"needs {needs[1]}" if needs else failed}
        row = executed(folder / source.name, work, scenario)
        if row["state"] != "ran" or not verify:
            return row
        failed = _script(verify, work)
        return {**row, "state": "wrong" if failed else "passed", "reason": failed}


def executed(source: Path, work: Path, scenario: dict[str, str]) -> dict[str, Any]:
    """Compile and run the program in ``work``."""
    from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
    from ascendopt.harness.devices.model.device import ModelDevice

    device = ModelDevice(SOC)
    try:
        try:
            program = device.program(source, BuildOptions(SOC, _listing(source.parent, scenario).definitions))
        except DeviceFailure as failure:
            return {"state": "compile", "reason": str(failure), "log": failure.log[:3000]}
        try:
            result = program.run(work)
        except DeviceFailure as failure:
            return {"state": "crashed", "reason": str(failure)}
    finally:
        device.close()
    seen = [violation for launch in result.launches for violation in launch.violations]
    row: dict[str, Any] = {
        "launches": len(result.launches),
        "latency_us": [round(launch.timing.latency_us, 3) for launch in result.launches if launch.timing],
        "violations": [f"{v.severity} {v.code} {v.file}:{v.line} {v.message}" for v in seen],
    }
    if result.failure is not None:
        fatal = any(violation.severity == "error" for violation in seen)
        return {**row, "state": "violation" if fatal else "crashed", "reason": str(result.failure)}
    said = result.output.lower()
    if result.exit_code != 0 or "test failed" in said:
        return {**row, "state": "wrong", "reason": f"exit code {result.exit_code}: {result.output[-300:]}"}
    passed = "test pass" in said or re.search(r"\bpass(ed)?\b|success", said) is not None
    return (
        {**row, "state": "passed" if passed else "ran", "reason": ""}
        if not _has_verify(source)
        else {
            **row,
            "state": "ran",
            "reason": "",
        }
    )


def _has_verify(source: Path) -> bool:
    return bool(commands(source.parent, {})[1])


def commands(folder: Path, scenario: dict[str, str]) -> tuple[list[str], list[str]]:
    """The data and the verification command of the README, for ``scenario``."""
    text = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    found: dict[str, list[list[str]]] = {}
    known = {**dict(_ASSIGNMENT.findall(text)), "ASC_ARCH": ARCHITECTURE, **scenario}
    for script, rest in _COMMAND.findall(text):
        kind = "verify" if "verify" in script else "prepare"
        for name, value in known.items():
            rest = re.sub(rf"\$\{{?{name}\}}?", value, rest)
        # Options are spelled with the README's own scenario where it names one by number.
        if scenario and "$" not in rest:
            rest = re.sub(r"(-{1,2}(?:scenario\w*|m|mode)[= ])\d+", rf"\g<1>{next(iter(scenario.values()))}", rest)
        found.setdefault(kind, []).append([script, *rest.split()])
    # Where a switch has a command of its own, it comes after the one without.
    at = -1 if "ON" in scenario.values() else 0
    return found.get("prepare", [[]])[at], found.get("verify", [[]])[at]


def _script(command: list[str], work: Path) -> str:
    """Why a script failed; empty when it did not."""
    try:
        done = subprocess.run(
            [sys.executable, *command], cwd=work, capture_output=True, text=True, check=False, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return f"not done in {LIMIT_S} s"
    said = f"{done.stdout}\n{done.stderr}".strip()
    if done.returncode == 0 and "error" not in said.lower().replace("error ratio", ""):
        return ""
    lines = said.splitlines()
    return " | ".join([*lines[:2], *lines[-2:]])[:400] or f"exit code {done.returncode}"


def report(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        print(f"{row['run']:88}{row['state']:10}{row['reason'][:170]}".rstrip())
    counts = Counter(row["state"] for row in rows)
    print()
    for state in STATES:
        if counts[state]:
            print(f"{counts[state]:5} {state:10} {MEANING[state]}")
    doubtful = [row for row in rows if row["state"] == "passed" and faults(row)]
    if doubtful:
        print(f"\nThe device reports errors in {len(doubtful)} of the runs that passed:")
    for row in doubtful:
        print(f"  {row['run']}: {faults(row)[0].removeprefix('error ')[:170]}")


def faults(row: dict[str, Any]) -> list[str]:
    """Violations of level error that the device reported."""
    return [text for text in row.get("violations", ()) if text.startswith("error ")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", help="parts of paths, with commas between")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(one(given.checkout, json.loads(given.one))))
        sys.exit(0)
    if not (given.checkout / FOLDER).is_dir():
        sys.exit(f"{given.checkout} is no checkout of asc-devkit: it has no folder {FOLDER}")
    sys.exit(main(given))
