"""The model against published measurements of Atlas A2 (figures: README of the add and bank-conflict examples).

Totals of the add series within 8 %, its vector pipe within 1 %; what the model is known to miss is written down
in docs/model-device.md, not here.
"""

from __future__ import annotations

from typing import Any

import pytest
from harness.model.timing.traces import add_case, copy_program, trace, vector

# case: task time, aiv_vec_time (us)
ADD = {
    0: (1239689.1, None),
    1: (6909.6, 761.65),
    2: (306.58, 15.885),
    3: (268.5, 12.85),
    4: (264.0, 12.85),
    5: (187.68, 12.846),
    6: (184.5, 6.95),
}


@pytest.mark.parametrize("case", sorted(ADD))
def test_add_series(replay: Any, case: int) -> None:
    total, vector_us = ADD[case]
    answer = replay(add_case(case))
    assert answer["ok"], answer
    assert answer["latency_us"] == pytest.approx(total, rel=0.08)
    if vector_us is not None:
        assert answer["pipes_us"]["vector"] == pytest.approx(vector_us, rel=0.01)


def test_add_series_is_in_order(replay: Any) -> None:
    times = [replay(add_case(case))["latency_us"] for case in range(6)]
    assert times == sorted(times, reverse=True)


# case: aiv_mte2_time, aiv_mte3_time (us); the device reports them for the mean core.
PIPES = {2: (215.5, 54.3), 3: (184.4, 57.4), 4: (250.5, 85.0), 5: (176.0, 160.3), 6: (171.6, 121.4)}


@pytest.mark.parametrize("case", sorted(PIPES))
def test_add_series_attribution(replay: Any, case: int) -> None:
    mte2, mte3 = PIPES[case]
    pipes = replay(add_case(case))["pipes_us"]
    assert pipes["mte2"] == pytest.approx(mte2, rel=0.12)
    # Cases 5 and 6 differ by 40 us on MTE3 although they move the same bytes; the model gives them one value.
    assert pipes["mte3"] == pytest.approx(mte3, rel=0.25)


BANK = {
    (): 88430,
    ("bank_read_read",): 154179,
    ("bank_read_write",): 138787,
    ("partial_read_read",): 132608,
}


@pytest.mark.parametrize("flags", sorted(BANK))
def test_bank_conflicts(replay: Any, flags: tuple[str, ...]) -> None:
    """1000 Add calls of 4096 floats: 64 repeats each."""
    program = [{"loop": 1000, "body": [vector("Add", 64, dtype="float32", flags=flags)]}]
    answer = replay({"cores": [0], "programs": [program]})
    assert answer["pipes_us"]["vector"] * 1850 == pytest.approx(BANK[flags], rel=0.04)


# tile rows, row bytes, pitch, tiles a core, measured aiv time (us)
COPY = {
    "128 B rows, one a transfer": (1, 128, 24576, 49152, 554.3),
    "2 KB rows, 64 a transfer": (64, 2048, 24576, 48, 209.0),
}


@pytest.mark.parametrize("name", sorted(COPY))
def test_strided_copies(replay: Any, name: str) -> None:
    rows, row_bytes, pitch, tiles, measured = COPY[name]
    answer = replay(trace([tiles] * 48, lambda n: copy_program(n, rows, row_bytes, pitch)))
    launch = 0.5 + 0.15 * 48
    assert answer["latency_us"] - launch == pytest.approx(measured, rel=0.08)
