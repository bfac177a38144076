"""An error is wrong on the chip; what may work there is said, at a lower level."""

from __future__ import annotations

from pathlib import Path

import pytest
from analysis.rules.fixture import read_fixture

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.findings import Severity
from ascendopt.analysis.operators import discover
from ascendopt.analysis.selection import Selection

FOLDER = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize(
    ("stem", "severity"),
    [
        ("dty001", Severity.ERROR),
        ("dty001_bitwise", Severity.WARNING),  # the unit sees bits
        ("mem006", Severity.ERROR),
        ("mem006_last_buffer", Severity.WARNING),  # nothing is overwritten yet
        ("mem009", Severity.WARNING),  # the kernel before may have left the state as it should be
        ("que001_early_return", Severity.ERROR),
        ("que001_nothing_to_do", Severity.WARNING),  # the host may never let it happen
        ("que001_other_queue", Severity.ERROR),
        ("que001_other_queue_alike", Severity.WARNING),  # the buffer itself is free again
    ],
)
def test_levels(stem: str, severity: Severity, tmp_path: Path) -> None:
    root = read_fixture(FOLDER / f"{stem}.cpp").write(tmp_path.resolve())
    chosen = Selection.of((stem.split("_")[0].upper(),))
    found = check_facts(analyse_operator(discover(root), "Ascend910B2"), load_chip("Ascend910B2"), None, chosen)
    assert {finding.severity for finding in found} == {severity}
