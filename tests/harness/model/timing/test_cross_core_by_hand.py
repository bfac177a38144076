"""Cores that wait for each other, worked out by hand on the chip of round numbers (see ``conftest.ROUND``).

An Add of n repeats takes 20 + n cycles there, a flag within an AI Core 60, one between AI Cores and a SyncAll 500.
"""

from __future__ import annotations

from typing import Any

import pytest
from harness.model.timing.traces import set_flag, vector, wait_flag

Item = dict[str, Any]
ALL, PAIR, GROUP, SIGNAL = range(4)
ADD_80 = 100
MMAD_START = 20


def tell(mode: int, pipe: str, flag: int = 0, **more: int) -> Item:
    return {"do": "cross_set", "mode": mode, "pipe": pipe, "flag": flag, **more}


def hear(flag: int = 0, mode: int = ALL, **more: int) -> Item:
    return {"do": "cross_wait", "mode": mode, "flag": flag, **more}


def mmad(steps: int) -> Item:
    return {"do": "instr", "pipe": "M", "op": "Mmad", "dtype": "float16", "repeats": steps, "elements": 256}


def ai_core(cube: list[Item], *vectors: list[Item], count: int = 1) -> dict[str, Any]:
    """``count`` AI Cores of one cube core and the given vector cores."""
    programs = [cube, *vectors]
    return {"cubes": 1, "vectors": len(vectors), "cores": list(range(len(programs))) * count, "programs": programs}


def cycles(answer: dict[str, Any]) -> float:
    assert answer["ok"], answer
    return 1000 * answer["latency_us"]


@pytest.mark.parametrize("count", [1, 3])
def test_vector_cores_wait_for_the_cube(replay: Any, round_chip: Any, count: int) -> None:
    cube = [mmad(1000), tell(GROUP, "M")]
    after = [hear(), vector("Add", 80)]
    answer = replay(ai_core(cube, after, after, count=count), round_chip())
    assert cycles(answer) == pytest.approx(MMAD_START + 1000 + 60 + ADD_80)


def test_the_cube_waits_for_both_vector_cores(replay: Any, round_chip: Any) -> None:
    short, long = ([vector("Add", n), tell(GROUP, "V")] for n in (80, 480))
    answer = replay(ai_core([hear(), mmad(1000)], short, long), round_chip())
    assert cycles(answer) == pytest.approx(500 + 60 + MMAD_START + 1000)


def test_tiles_that_are_handed_over_one_by_one_overlap(replay: Any, round_chip: Any) -> None:
    # Eight tiles of 1000 cycles each on both sides: the vector core is one tile and one flag behind.
    mmad_gap = 2
    cube = [{"loop": 8, "body": [mmad(1000), tell(GROUP, "M")]}]
    after = [{"loop": 8, "body": [hear(), vector("Add", 980)]}]
    answer = replay(ai_core(cube, after), round_chip())
    cube_done = MMAD_START + 1000 + 7 * (1000 + mmad_gap)
    assert cycles(answer) == pytest.approx(cube_done + 60 + 1000)


def test_a_ring_of_one_buffer_is_serial(replay: Any, round_chip: Any) -> None:
    cube = [{"loop": 4, "body": [hear(1), mmad(1000), tell(GROUP, "M", 0)]}]
    after = [tell(GROUP, "V", 1), {"loop": 4, "body": [hear(0), vector("Add", 980), tell(GROUP, "V", 1)]}]
    answer = replay(ai_core(cube, after), round_chip())
    # The cube starts anew after each wait.
    assert cycles(answer) == pytest.approx(60 + 4 * (MMAD_START + 1000 + 60 + 1000) + 3 * 60)


def test_a_flag_of_all_cores_comes_with_the_slowest(replay: Any, round_chip: Any) -> None:
    quick, slow = ([vector("Add", n), tell(ALL, "V", 5, cores=3), hear(5), vector("Add", 80)] for n in (80, 480))
    answer = replay({"cores": [0, 1, 0], "programs": [quick, slow]}, round_chip())
    assert cycles(answer) == pytest.approx(500 + 500 + ADD_80)


def test_a_pair_waits_for_its_own_only(replay: Any, round_chip: Any) -> None:
    one, other = ([vector("Add", n), tell(PAIR, "V", 2), hear(2), vector("Add", 80)] for n in (80, 480))
    both = ai_core([], one, other)
    # A second AI Core of two quick cores is done long before.
    trace = {**both, "cores": [0, 1, 2, 0, 1, 1]}
    assert cycles(replay(trace, round_chip())) == pytest.approx(500 + 60 + ADD_80)


def test_signals_through_global_memory_make_a_chain(replay: Any, round_chip: Any) -> None:
    programs = [
        [hear(mode=SIGNAL, signal=1), vector("Add", 80)],
        [hear(mode=SIGNAL, signal=2), vector("Add", 80), tell(SIGNAL, "V", signal=1)],
        [vector("Add", 80), tell(SIGNAL, "V", signal=2)],
    ]
    answer = replay({"cores": [0, 1, 2], "programs": programs}, round_chip())
    assert cycles(answer) == pytest.approx(3 * ADD_80 + 2 * 500)


def test_a_flag_from_before_a_sync_all_is_there_at_once(replay: Any, round_chip: Any) -> None:
    cube = [mmad(1000), tell(GROUP, "M"), {"do": "sync_all"}]
    after = [{"do": "sync_all"}, hear(), vector("Add", 80)]
    answer = replay(ai_core(cube, after), round_chip())
    assert cycles(answer) == pytest.approx(MMAD_START + 1000 + 500 + ADD_80)


def test_vector_cores_of_an_ai_core_share_its_cube(replay: Any, round_chip: Any) -> None:
    uses = [mmad(1000), set_flag("M", "S"), wait_flag("M", "S"), vector("Add", 80)]
    once = MMAD_START + 1000
    alone = replay(ai_core([], uses, [vector("Add", 80)]), round_chip())
    assert cycles(alone) == pytest.approx(once + 5 + ADD_80)
    both = replay(ai_core([], uses, uses, count=2), round_chip())
    assert cycles(both) == pytest.approx(2 * once + 5 + ADD_80)
    assert 1000 * both["pipes_us"]["cube"] == pytest.approx(2 * once)


def test_the_cube_serves_whoever_asks_first(replay: Any, round_chip: Any) -> None:
    result = [set_flag("M", "S"), wait_flag("M", "S")]
    late = [{**mmad(1000), "calls": 100}, *result]  # asks after 800 cycles
    early = [mmad(3000), *result, vector("Add", 80)]
    answer = replay(ai_core([], late, early), round_chip())
    assert cycles(answer) == pytest.approx(2 * MMAD_START + 3000 + 1000 + 5)


def test_a_wait_that_nobody_ends_is_an_error(replay: Any, round_chip: Any) -> None:
    answer = replay(ai_core([mmad(1)], [hear(3)]), round_chip())
    assert not answer["ok"]
    assert "cross-core flag 3" in answer["reason"] and "hang" in answer["reason"]


def test_samples_do_not_depend_on_how_many_are_drawn(replay: Any) -> None:
    cube = [{"loop": 3, "body": [mmad(500), tell(GROUP, "M")]}]
    after = [{"loop": 3, "body": [hear(), vector("Add", 300)]}]
    few, many = (replay(ai_core(cube, after, after), samples=n, seed=7)["samples_us"] for n in (5, 40))
    assert few == many[:5]
    assert len(set(many)) > 30


def test_the_timeline_shows_all_cores_and_what_they_wait_for(replay: Any, round_chip: Any) -> None:
    cube = [mmad(1000), tell(GROUP, "M")]
    after = [hear(), vector("Add", 80)]
    answer = replay(ai_core(cube, after, after), round_chip(), timeline=True)
    rows = sorted((core, pipe, round(1000 * start), round(1000 * length), waits)
                  for pipe, start, length, _, _, _, waits, core in answer["timeline"])  # fmt: skip
    scalar, v, m, other_cores = 0, 1, 2, 8
    told = MMAD_START + 1000 + 60
    assert rows == [
        (0, m, 0, MMAD_START + 1000, -1),
        (1, scalar, 0, told, other_cores), (1, v, told, ADD_80, -1),
        (2, scalar, 0, told, other_cores), (2, v, told, ADD_80, -1),
    ]  # fmt: skip
