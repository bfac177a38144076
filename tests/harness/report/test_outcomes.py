"""Trials by outcome, and rejections by reason with the ranges of their numbers."""

from __future__ import annotations

from ascendopt.harness.report.model import TrialRow
from ascendopt.harness.report.outcomes import GeneSpan, outcomes_of


def trial(number: int, state: str, reason: str = "", tile: int = 512, buffers: int = 1, place: str = "") -> TrialRow:
    genes = {"TILE": tile, "BUFFERS": buffers}
    return TrialRow(number, number, state, "test", "", reason, None, None, 1.0, place, genes)


def test_states_are_counted_in_a_fixed_order() -> None:
    trials = [trial(1, "failed", "x"), trial(2, "ok"), trial(3, "static", "y"), trial(4, "ok"), trial(5, "repeat")]
    assert list(outcomes_of(trials).states.items()) == [("ok", 2), ("static", 1), ("failed", 1), ("repeat", 1)]


def test_reasons_that_differ_in_numbers_are_one_group_with_their_ranges() -> None:
    found = outcomes_of(
        [
            trial(
                1,
                "static",
                "queues need 327680 bytes of UB on Ascend910B2, 131072 too many (ASC-MEM001)",
                20480,
                1,
                "a.cpp:5",
            ),
            trial(
                2,
                "static",
                "queues need 262144 bytes of UB on Ascend910B2, 65536 too many (ASC-MEM001)",
                8192,
                2,
                "a.cpp:5",
            ),
            trial(3, "violation", "address 12 is not aligned", 6),
            trial(4, "ok", tile=4096),
            trial(5, "ok", buffers=2),
            trial(6, "ok", tile=256),
        ]
    ).reasons
    assert [(group.count, group.state, group.places) for group in found] == [
        (2, "static", ("a.cpp:5",)),
        (1, "violation", ()),
    ]
    assert found[0].reason == (
        "queues need 262144 to 327680 bytes of UB on Ascend910B2, 65536 to 131072 too many (ASC-MEM001)"
    )
    assert found[0].trials == (1, 2)
    # What passed had TILE 256 to 4096, and BUFFERS 1 or 2: TILE it is.
    assert found[0].genes == (GeneSpan("TILE", "8192 to 20480", "256 to 4096"),)
    assert found[1].genes == (GeneSpan("TILE", "6", "256 to 4096"),)


def test_the_same_words_of_two_gates_stay_apart_and_names_keep_their_digits() -> None:
    found = outcomes_of(
        [trial(1, "static", "tile2 is 3"), trial(2, "failed", "tile2 is 4"), trial(3, "failed", "tile3 is 4")]
    )
    assert sorted(group.reason for group in found.reasons) == ["tile2 is 3", "tile2 is 4", "tile3 is 4"]


def test_without_a_trial_that_passed_nothing_is_said_of_those() -> None:
    (group,) = outcomes_of(
        [trial(1, "static", "no", 8), trial(2, "static", "no", 8), trial(3, "static", "no", 64)]
    ).reasons
    assert group.genes == (GeneSpan("TILE", "8 to 64", None), GeneSpan("BUFFERS", "1", None))


def test_a_combination_of_values_that_pass_alone_names_all() -> None:
    trials = [trial(1, "ok", "", 64, 1), trial(2, "ok", "", 8, 2), trial(3, "static", "no", 64, 2)]
    assert outcomes_of(trials).reasons[0].genes == (
        GeneSpan("TILE", "64", "8 to 64"),
        GeneSpan("BUFFERS", "2", "1 to 2"),
    )


def test_one_rule_in_several_cases_is_one_group_without_the_advice() -> None:
    advice = "x 2 x 49152 bytes. Take a shorter tile (ASC-MEM001)"
    texts = (
        f"case large/half: 344064 bytes in UB, limit 196608 bytes: over by 147456 bytes. {advice}",
        f"case tail: 222208 bytes in UB, limit 196608 bytes: over by 25600 bytes. y 4 bytes, {advice}",
    )
    trials = [trial(n, "static", text, place=f"k.cpp:{n}") for n, text in enumerate(texts, 1)]
    (group,) = outcomes_of(trials).reasons
    assert (
        group.reason == "222208 to 344064 bytes in UB, limit 196608 bytes: over by 25600 to 147456 bytes (ASC-MEM001)"
    )
    assert group.cases == ("large/half", "tail") and group.places == ("k.cpp:1", "k.cpp:2")
