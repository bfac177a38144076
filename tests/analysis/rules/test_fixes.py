"""Safe fixes remove their finding, bring no other one, and come to an end; unsafe ones are left to a person."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from analysis.rules.fixture import read_fixture

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.fixing import apply_fixes, chosen_fixes, whole_statements
from ascendopt.analysis.operators import discover

FOLDER = Path(__file__).parent / "fixtures"
SAMPLES = Path(__file__).parents[3] / "samples"
# Rules with a fix for a single edit that restores legality, by a fixture that shows it.
SAFE = (
    *("aln008", "aln008_from_host", "aln010", "atm001_one_store", "dty008", "msk001", "msk002", "ovl005", "que001"),
    *("que001_other_queue", "que001_twice", "syn001", "syn006", "syn008", "syn011"),
)
UNSAFE = ("aln011", "atm001", "dty002", "mis007", "que002", "syn007", "xcr003")
MOST_ROUNDS = 5


def sources(root: Path) -> dict[Path, bytes]:
    found = [root] if root.is_file() else [path for path in root.rglob("*") if path.suffix in (".cpp", ".h")]
    return {path: path.read_bytes() for path in found}


def check(root: Path, soc: str) -> list[Finding]:
    facts = analyse_operator(discover(root), soc)
    return whole_statements(check_facts(facts, load_chip(soc)), sources(root))


def opened(stem: str, folder: Path) -> tuple[Path, str, str]:
    """The fixture written to ``folder``, its chip, and the rule that it is about."""
    fixture = read_fixture(FOLDER / f"{stem}.cpp")
    rule = "ASC-" + stem.split("_")[0].upper()
    return fixture.write(folder.resolve()), fixture.options.get("soc", "Ascend910B2"), rule


def settle(root: Path, soc: str) -> list[Finding]:
    """Applies safe fixes until there are none; what is left. No rule may find more than before."""
    left = check(root, soc)
    before = Counter(finding.rule for finding in left)
    for _ in range(MOST_ROUNDS):
        fixes = chosen_fixes(left)
        if not fixes:
            return left
        for path, data in apply_fixes(fixes, sources(root)).items():
            path.write_bytes(data)
        left = check(root, soc)
        assert not Counter(finding.rule for finding in left) - before
    raise AssertionError(f"no end after {MOST_ROUNDS} rounds: {[finding.rule for finding in left if finding.fix]}")


@pytest.mark.parametrize("stem", SAFE)
def test_a_safe_fix_removes_its_finding(stem: str, tmp_path: Path) -> None:
    root, soc, rule = opened(stem, tmp_path)
    wanted = [finding for finding in check(root, soc) if finding.rule == rule]
    assert any(finding.fix is not None and finding.fix.safe for finding in wanted)
    left = [finding for finding in settle(root, soc) if finding.rule == rule]
    assert len(left) == sum(finding.fix is None or not finding.fix.safe for finding in wanted)


@pytest.mark.parametrize("stem", UNSAFE)
def test_an_unsafe_fix_is_offered_and_not_applied(stem: str, tmp_path: Path) -> None:
    root, soc, rule = opened(stem, tmp_path)
    fixes = [finding.fix for finding in check(root, soc) if finding.rule == rule and finding.fix is not None]
    assert fixes and not any(fix.safe for fix in fixes)
    assert not set(chosen_fixes(check(root, soc))) & set(fixes)


def test_safe_fixes_of_every_fixture_come_to_an_end_and_bring_nothing_new(tmp_path: Path) -> None:
    for index, path in enumerate(sorted(FOLDER.glob("*.cpp"))):
        root, soc, _ = opened(path.stem, tmp_path / str(index))
        done = sources(root) if settle(root, soc) is not None else {}
        settle(root, soc)
        assert sources(root) == done, path.stem


def test_operators_that_are_right_are_left_alone() -> None:
    for folder in sorted(path.parent for path in SAMPLES.glob("*/op_host")):
        faults = [one for one in check(folder, "Ascend910B2") if one.severity in (Severity.ERROR, Severity.WARNING)]
        assert not chosen_fixes(faults), folder.name


KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void fixture(GM_ADDR x, uint32_t n) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 2, 512);
    for (uint32_t i = 0; i < 8; ++i) {
        LocalTensor<half> in = queue.AllocTensor<half>();
        @LAST@
    }
}
"""


@pytest.mark.parametrize(
    ("last", "after"),
    [
        ("Exp(in, in, 256);", "Exp(in, in, 256);\n        queue.FreeTensor(in);"),
        ("if (n) Exp(in, in, 256);", None),
        ("if (n)\n            Exp(in, in, 256);", None),
        ("const int k = (Exp(in, in, 256), 1);", None),
    ],
)
def test_a_statement_is_put_behind_a_statement_only(last: str, after: str | None, tmp_path: Path) -> None:
    path = tmp_path.resolve() / "kernel.cpp"
    path.write_text(KERNEL.replace("@LAST@", last))
    fixes = [f.fix for f in check(path, "Ascend910B2") if f.rule == "ASC-QUE001" and f.fix is not None]
    if after is None:
        assert not fixes
    else:
        assert apply_fixes(fixes, sources(path))[path].decode() == KERNEL.replace("@LAST@", after)
