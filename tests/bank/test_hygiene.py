"""What teaches nothing is found; what real kernels say about themselves is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bank.bank_samples import evidence, sample, varied

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.hygiene import codes, faults, quarantine_codes, screened
from ascendopt.bank.identity import identified
from ascendopt.bank.motif import Motif, Provenance, Rewrite, Status

TILE = SymptomKind.SMALL_TILE


def edit(removed: str, added: str = "", before: str = "", after: str = "") -> Motif:
    """A motif that is only a diff; the lines around the edit are given too."""

    def marked(text: str, sign: str) -> list[str]:
        return [f"{sign}{line}" for line in text.splitlines()]

    lines = [*marked(before, " "), *marked(removed, "-"), *marked(added, "+"), *marked(after, " ")]
    old = sum(line[0] in "- " for line in lines)
    new = sum(line[0] in "+ " for line in lines)
    diff = "\n".join(["--- a/k.cpp", "+++ b/k.cpp", f"@@ -1,{old} +1,{new} @@", *lines, ""])
    return identified(replace(sample(TILE, "t", "", ""), rewrite=Rewrite(diff=diff)))


def found(motif: Motif) -> list[str]:
    return [fault.code for fault in faults(motif)]


def test_sound_motifs_have_no_fault() -> None:
    assert [faults(motif) for motif in varied()] == [()] * len(varied())
    assert faults(edit("tileLength = 64;", "tileLength = 2048;")) == ()


@pytest.mark.parametrize(
    "comment",
    [
        "force single core",
        "Force the tile to 8 elements",
        "intentionally small",
        "Deliberately serialise the pipes.",
        "use a dummy buffer",
        "to simulate a slow copy",
        "degrade throughput",
        "artificially limit the depth",
        "Disable double buffering",
        "De-opt: one row at a time",
        "cap the tile to a small size",
        "break the vectorized path",
        "recompute the scale in every iteration",
        "use GetValue instead of vector instructions",
        "故意降低效率",
    ],
)
def test_confessions_in_removed_comments(comment: str) -> None:
    assert found(edit(f"n = 8;  // {comment}", "n = 64;")) == ["confession"]
    assert found(edit(f"/* {comment} */\nn = 8;", "n = 64;")) == ["confession"]


def test_confessions_in_names_and_around_the_edit() -> None:
    assert found(edit("constexpr int DEGRADED_COUNT = 8;", "constexpr int DEGRADED_COUNT = 64;")) == ["confession"]
    assert found(edit("n = 8;", "n = 64;", before="// intentionally slow")) == ["confession"]
    assert found(edit("n = 8;", "n = 64;  // force tiny tiles")) == ["confession"]


@pytest.mark.parametrize(
    "comment",
    [
        "align up to 32 bytes",
        "split the rows over all cores, the last one gets the tail",
        "wait until the copy has ended",
        "tile length in elements",
        "single row: the whole row fits into UB",
        "one repeat has 256 bytes",
        "in place: x is not needed any more",
        "小轮, 更新本次要处理的元素数量",
    ],
)
def test_comments_of_real_kernels_are_no_confessions(comment: str) -> None:
    assert found(edit(f"n = 8;  // {comment}", "n = 64;", before=f"// {comment}")) == []


def test_what_both_sides_say_is_no_confession_of_the_slow_one() -> None:
    remark = "// avoid optimized path for unaligned rows"
    assert found(edit(f"n = 8;  {remark}", "n = 64;")) == ["confession"]
    assert found(edit(f"n = 8;  {remark}", f"n = 64;  {remark}")) == []
    assert found(edit("n = 8;", "n = 64;", before=remark)) == []


@pytest.mark.parametrize(
    ("removed", "before", "after"),
    [
        ("volatile int spin = 0;\nfor (int i = 0; i < 9; i++) { spin += i; }", "", ""),
        ("int dummySum = Sum(x);", "", ""),
        ("for (int i = 0; i < 1000; i++) {}", "", ""),
        ("for (int i = 0; i < F(n); ++i);", "", ""),
        ("Adds(y, x, c, n);", "Adds(y, x, c, n);", ""),
        ("Adds(y,x,c,n);", "", "Adds(y, x, c, n);"),
        ("DataCopy(a, b, n);\nDataCopy(a, b, n);", "", ""),
        ("A(1);\nB(2);\nA(1);\nB(2);", "", ""),
        ("A(1);\nB(2);", "A(1);\n\nB(2);  // once", ""),
    ],
)
def test_pure_waste(removed: str, before: str, after: str) -> None:
    assert found(edit(removed, "", before, after)) == ["pure-waste"]


@pytest.mark.parametrize(
    ("removed", "added", "before", "after"),
    [
        ("for (i) {\nA(i);\n}", "A(n);", "", "}"),
        ("PipeBarrier<PIPE_ALL>();", "PipeBarrier<PIPE_V>();", "Add(a, b, c, n);", "Mul(a, b, c, n);"),
        ("}", "", "}", "}"),
        ("volatile int a = 1;", "volatile int a = 2;", "", ""),
        ("Adds(y, x, c, n);", "", "Adds(y, x, d, n);", ""),
    ],
)
def test_real_work_is_no_waste(removed: str, added: str, before: str, after: str) -> None:
    assert found(edit(removed, added, before, after)) == []


def test_waste_in_patterns() -> None:
    assert found(sample(TILE, "t", "Exp($y, $x, $n); Exp($y, $x, $n);", "Exp($y, $x, $n);")) == ["pure-waste"]
    assert found(sample(TILE, "t", "f($x); f($x); g($y);", "f($x); f($x);")) == []


def test_no_edit_and_no_op() -> None:
    def only(rewrite: Rewrite) -> Motif:
        return identified(replace(sample(TILE, "t", "", ""), rewrite=rewrite))

    assert found(only(Rewrite())) == ["empty"]
    assert found(only(Rewrite(diff="--- a\n+++ b\n"))) == ["empty"]
    assert found(only(Rewrite(operator="buffer-depth"))) == []
    assert found(only(Rewrite(before="f( $x )", after="f($x)  // fast"))) == ["no-op"]
    assert found(edit("n = 8;  // bytes", "n   = 8;")) == ["no-op"]


def test_gains_that_are_none() -> None:
    def measured(*tests: tuple[float, float, float, float]) -> list[str]:
        made = tuple(replace(evidence(a, b), interval=(low, high)) for a, b, low, high in tests)
        return found(sample(TILE, "t", "a", "b", tests=made))

    assert measured() == []
    assert measured((100, 100, 0.9, 1.1)) == ["no-gain"]
    assert measured((90, 100, 0.8, 0.95)) == ["no-gain"]
    # Faster, but the interval holds 1: it may be noise.
    assert measured((102, 100, 0.99, 1.05)) == ["no-gain"]
    assert measured((102, 100, 1.01, 1.03)) == []
    assert measured((90, 100, 0.8, 0.95), (120, 100, 1.1, 1.3)) == []


def test_never_held() -> None:
    assert found(sample(TILE, "t", "a", "b", tests=(evidence(120, 100, held=0, failed=3),))) == ["never-held"]


def test_a_reviewed_motif_says_where_it_comes_from() -> None:
    motif = replace(sample(TILE, "t", "a", "b"), status=Status.REVIEWED)
    assert found(motif) == []
    unknown = replace(motif, provenance=Provenance("x", "", "unknown", "", ""))
    assert [fault.reason for fault in faults(unknown)] == ["reviewed without a known licence and date"]
    assert found(replace(unknown, status=Status.CANDIDATE)) == []


def test_screening_quarantines_and_says_why() -> None:
    bad = edit("volatile int x = 1;  // intentionally slow")
    held = screened(bad)
    assert held.status is Status.QUARANTINED
    assert held.quarantine_reason.startswith("confession, pure-waste: the removed text confesses: intentionally slow; ")
    assert quarantine_codes(held) == ["confession", "pure-waste"]
    assert screened(held) is held
    assert quarantine_codes(bad) == []
    assert quarantine_codes(replace(bad, status=Status.QUARANTINED, quarantine_reason="I do not like it")) == [
        "by-hand"
    ]


def test_every_code_is_explained() -> None:
    assert list(codes()) == ["empty", "no-op", "confession", "pure-waste", "no-gain", "never-held", "no-provenance"]
    assert all(text.endswith(".") for text in codes().values())
