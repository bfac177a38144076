"""A setup sent to a machine that has not the operator, or has it elsewhere."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

from harness.fake_device import toy_workload, write_toy_operator

from ascendopt.harness.executors.base import GateSetup
from ascendopt.harness.executors.shipping import ship
from ascendopt.harness.gates.evaluator import EvaluatorSettings
from ascendopt.harness.operator_copy import Scratch, read_operator
from ascendopt.harness.sandbox.reference_runner import ReferenceRunner


def test_sources_come_along_where_a_node_has_not_the_same_operator(tmp_path: Path) -> None:
    here = tmp_path / "here"
    (here / ".git").mkdir(parents=True)
    operator = write_toy_operator(here / "src" / "toy")
    (here / "common.h").write_text("// shared\n")
    (operator / "reference.py").write_text("# values\n")
    (here / "large.bin").write_bytes(b"x")
    workload = replace(toy_workload(), reference=operator / "reference.py")
    reference = ReferenceRunner(operator / "reference.py")
    sources = read_operator(operator)
    settings = EvaluatorSettings("Ascend910B2")
    sent = pickle.dumps(ship(GateSetup(sources, workload, settings, reference)))
    assert pickle.loads(sent).unpack(tmp_path / "unused").sources.root == operator
    here.rename(tmp_path / "elsewhere")
    there = pickle.loads(sent).unpack(tmp_path / "there")
    top = tmp_path / "there" / "here"
    assert there.sources.root == there.sources.target == top / "src" / "toy"
    assert there.sources.texts == sources.texts
    assert there.workload.reference == top / "src" / "toy" / "reference.py"
    assert there.workload.reference.read_text() == "# values\n"
    assert not (top / "large.bin").exists()
    with Scratch(there.sources) as scratch:
        copy = scratch.materialise(None)
        # An include of the repository's folder is found as it is here.
        assert (copy / ".." / ".." / "common.h").read_text() == "// shared\n"
