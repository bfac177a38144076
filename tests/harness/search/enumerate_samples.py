"""Writes ``landscapes/*.json``: every combination of the numbers of a sample, evaluated on the model device.

`make landscapes` runs it; it takes some minutes. Expressions are left out: with them no space is small.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.gates.static import StaticRules
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.search.space import TilingSpace
from ascendopt.harness.search.tunables import find_numbers
from ascendopt.harness.target import open_device, open_target

FOLDER = Path(__file__).with_name("landscapes")
SAMPLES = ("foreach_lerp", "mish", "rms_scale", "scaled_add")
DIGITS = 5


def enumerate_sample(sample: Path) -> dict[str, object]:
    """The tunables and, by genes, the speed-up, or the reason of a failure."""
    soc = open_target(sample).soc
    device = open_device("model", soc)
    try:
        target = open_target(sample, build=lambda operator, chip: device.build(operator, BuildOptions(chip)))
        tunables = find_numbers(target.sources.texts)
        space = TilingSpace(target.sources.texts, tunables)
        with Scratch(target.sources) as scratch:
            rules = StaticRules(target.sources.target, soc)
            gates = Evaluator(device, scratch, target.workload, EvaluatorSettings(soc), target.reference, rules)
            original = gates.original()
            found: dict[str, float | str] = {}
            for genes in product(*(range(size) for size in space.sizes)):
                same = genes == space.original
                result = original if same else gates.candidate(space.candidate(genes, "enumerated"), original)
                found[",".join(map(str, genes))] = 1.0 if same else _said(result)
    finally:
        device.close()
    described = [{"name": t.name, "role": t.role, "value": t.value, "domain": list(t.domain)} for t in tunables]
    return {"tunables": described, "programs": found}


def _said(result: Evaluation) -> float | str:
    return (
        round(result.speedup, DIGITS) if result.timed and result.speedup else f"{result.state.value}: {result.reason}"
    )


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[3]
    for name in sys.argv[1:] or SAMPLES:
        text = json.dumps(enumerate_sample(root / "samples" / name), indent=0)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        print(name)
