"""Gate 0: an error of the analysis that the original does not have."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.tiny_operator import write_operator

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.harness.evaluation import Gate
from ascendopt.harness.gates.static import StaticRules


def too_large(folder: Path) -> Path:
    # 2 x 131072 bytes are more than the 196608 bytes of UB.
    return write_operator(
        folder, kernel="TBuf<QuePosition::VECCALC> a, b; pipe.InitBuffer(a, 131072); pipe.InitBuffer(b, 131072);"
    )


def test_a_new_error_is_rejected_with_its_line(tmp_path: Path) -> None:
    gate = StaticRules(write_operator(tmp_path / "original"), "Ascend910B2")
    rejected = gate(too_large(tmp_path / "candidate"))
    assert rejected is not None and rejected.gate is Gate.STATIC and not rejected.passed
    assert rejected.file == "op_kernel/twice.cpp" and "ASC-MEM001" in rejected.reason
    assert (
        "InitBuffer(b" in (tmp_path / "candidate/twice/op_kernel/twice.cpp").read_text().splitlines()[rejected.line - 1]
    )


def test_an_error_that_the_original_has_too_is_not_the_candidates(tmp_path: Path) -> None:
    gate = StaticRules(too_large(tmp_path / "original"), "Ascend910B2")
    assert gate(too_large(tmp_path / "candidate")) is None


def test_the_unchanged_operator_passes(tmp_path: Path) -> None:
    gate = StaticRules(write_operator(tmp_path / "original"), "Ascend910B2")
    assert gate(write_operator(tmp_path / "candidate")) is None


def queue(folder: Path) -> Path:
    return write_operator(folder, kernel="TBuf<QuePosition::VECCALC> a; pipe.InitBuffer(a, data.tile * 32);")


def of_tile(tile: int) -> ActiveCase:
    return ActiveCase("one", "Ascend910B2", {"total": 4096, "perCore": 1024, "tile": tile}, {"x": "float16"}, 4, 7)


def test_the_values_of_a_tiling_decide_what_the_text_leaves_open(tmp_path: Path) -> None:
    gate = StaticRules(queue(tmp_path / "original"), "Ascend910B2")
    shared = queue(tmp_path / "shared")
    assert gate.shared(shared) is None
    assert gate.linked(shared, of_tile(1024), lambda: of_tile(1024)) is None
    rejected = gate.linked(shared, of_tile(8192), lambda: of_tile(1024))
    # 8192 x 32 bytes and two queues of 8192 halves are more than the 196608 bytes of UB.
    assert rejected is not None and rejected.gate is Gate.STATIC and rejected.file == "op_kernel/twice.cpp"
    assert rejected.reason.startswith("case one: ") and "ASC-MEM001" in rejected.reason
    # What the original does wrong in the same case is not the candidate's.
    fresh = StaticRules(queue(tmp_path / "again"), "Ascend910B2")
    assert fresh.linked(shared, of_tile(8192), lambda: of_tile(8192)) is None


def of_share(share: int) -> ActiveCase:
    tiling = {"total": 4096, "perCore": share, "tile": 1024}
    return ActiveCase("one", "Ascend910B2", tiling, {"x": "float16"}, 4, 7)


@pytest.mark.parametrize(
    ("around", "share", "rejected"),
    [
        ("@", 1000, True),
        ("@", 1024, False),
        ("for (uint32_t i = 0; i < data.total / data.perCore; i++) { @ }", 1000, True),
        # 4096 elements have no whole share of 5000.
        ("for (uint32_t i = 0; i < data.total / data.perCore; i++) { @ }", 5000, False),
        ("if (data.perCore % 16 == 0) { @ }", 1000, False),
        ("if (data.perCore % 16 != 0) { @ }", 1000, True),
        ("if (GetBlockIdx() > data.total) { @ }", 1000, False),
        ("if (data.perCore % 16 != 0) { return; } @", 1000, False),
    ],
)
def test_a_copy_that_drops_bytes_is_rejected_where_it_surely_happens(
    tmp_path: Path, around: str, share: int, rejected: bool
) -> None:
    copy = "LocalTensor<half> a = inQueue.AllocTensor<half>(); DataCopy(a, from, data.perCore); inQueue.FreeTensor(a);"
    shared = write_operator(tmp_path, kernel=around.replace("@", copy))
    gate = StaticRules(shared, "Ascend910B2")
    found = gate.linked(shared, of_share(share), lambda: of_share(1024))
    assert (found is not None) is rejected
    if found is not None:
        assert "ASC-ALN008" in found.reason and f"{share * 2} bytes" in found.reason
