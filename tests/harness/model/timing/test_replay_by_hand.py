"""The replay against times that were worked out by hand, on a chip of round numbers (see ``conftest.ROUND``).

One cycle is one nanosecond there, so latencies are compared in cycles: 1000 * latency_us.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from harness.model.timing.traces import load, set_flag, store, vector, wait_flag

Item = dict[str, Any]


def _one(items: list[Item], cores: int = 1) -> dict[str, Any]:
    return {"cores": [0] * cores, "programs": [items]}


def _cycles(answer: dict[str, Any]) -> float:
    assert answer["ok"], answer
    return 1000 * answer["latency_us"]


def test_one_load_costs_latency_and_bytes(replay: Any, round_chip: Any) -> None:
    answer = replay(_one([load(5000)]), round_chip())
    assert _cycles(answer) == pytest.approx(300 + 5000 / 50)
    assert answer["bound"] == "mte2"


def test_loads_of_the_matmul_library_on_mte1_are_traffic(replay: Any, round_chip: Any) -> None:
    # What a vector core's library loads to L1 comes from global memory, and a second time from the L2 cache.
    items = [load(5000, flags=["to_l1"]), {"do": "barrier_all"}, load(5000, flags=["to_l1"])]
    usual = replay(_one(items), round_chip())
    library = replay(_one([{**item, "pipe": "MTE1"} if "pipe" in item else item for item in items]), round_chip())
    assert _cycles(library) == pytest.approx(_cycles(usual))


def test_loads_pipeline_so_latency_counts_once(replay: Any, round_chip: Any) -> None:
    answer = replay(_one([load(5000), load(5000, gm=1 << 20), load(5000, gm=1 << 21)]), round_chip())
    assert _cycles(answer) == pytest.approx(300 + 3 * 100)


def test_tiny_loads_are_bound_by_issue(replay: Any, round_chip: Any) -> None:
    items = [{"loop": 100, "body": [load(32)], "gm_step": 4096}]
    assert _cycles(replay(_one(items), round_chip())) == pytest.approx(300 + 100 * 20)


def test_rows_cost_their_overhead(replay: Any, round_chip: Any) -> None:
    # 64 rows of 100 B: one cycle of overhead and two of data each.
    assert _cycles(replay(_one([load(100, rows=64, pitch=4096)]), round_chip())) == pytest.approx(300 + 64 * 3)


def test_a_second_read_of_the_same_address_hits_the_cache(replay: Any, round_chip: Any) -> None:
    items = [load(5000), {"do": "barrier_all"}, load(5000)]
    # First from HBM 300 + 100, then the barrier 10, then from L2 200 + 50.
    assert _cycles(replay(_one(items), round_chip())) == pytest.approx(400 + 10 + 250)


def test_a_second_read_misses_when_the_cache_is_too_small_or_disabled(replay: Any, round_chip: Any) -> None:
    items = [load(5000), {"do": "barrier_all"}, load(5000)]
    assert _cycles(replay(_one(items), round_chip(l2_bytes=4000))) == pytest.approx(400 + 10 + 400)
    bypass = [load(5000, flags=["l2_bypass"]), {"do": "barrier_all"}, load(5000, flags=["l2_bypass"])]
    assert _cycles(replay(_one(bypass), round_chip())) == pytest.approx(400 + 10 + 400)


def test_pipes_overlap_unless_a_flag_orders_them(replay: Any, round_chip: Any) -> None:
    free = [load(5000), vector("Add", 80)]
    assert _cycles(replay(_one(free), round_chip())) == pytest.approx(400)
    ordered = [load(5000), set_flag("MTE2", "V"), wait_flag("MTE2", "V"), vector("Add", 80)]
    # 400, the flag 5, then start-up 20 and 80 repeats.
    assert _cycles(replay(_one(ordered), round_chip())) == pytest.approx(400 + 5 + 100)


def test_bank_conflicts_multiply_the_repeats(replay: Any, round_chip: Any) -> None:
    for flag, factor in (("bank_read_read", 2.0), ("bank_read_write", 1.8), ("partial_read_read", 1.7)):
        items = [vector("Add", 100, flags=(flag,))]
        assert _cycles(replay(_one(items), round_chip())) == pytest.approx(20 + 100 * factor)


def test_flags_are_a_queue(replay: Any, round_chip: Any) -> None:
    # Two sets of one event: the first wait takes the first load's, so the vector pipe starts after 400 + 5.
    items = [
        load(5000),
        set_flag("MTE2", "V"),
        load(50000, gm=1 << 20),
        set_flag("MTE2", "V"),
        wait_flag("MTE2", "V"),
        vector("Add", 80),
        wait_flag("MTE2", "V"),
        vector("Add", 80),
    ]
    # The second load ends at 100 + 1000 + 300; its flag and the second call follow.
    assert _cycles(replay(_one(items), round_chip())) == pytest.approx(1400 + 5 + 100)


def _pipeline(buffers: int, tiles: int) -> list[Item]:
    items: list[Item] = [set_flag("V", "MTE2", e) for e in range(buffers)]
    for tile in range(tiles):
        event = tile % buffers
        items += [
            wait_flag("V", "MTE2", event),
            load(50000, gm=tile << 20),
            set_flag("MTE2", "V", event),
            wait_flag("MTE2", "V", event),
            vector("Add", 380),
            set_flag("V", "MTE2", event),
        ]
    return items


def test_one_buffer_serialises_load_and_compute(replay: Any, round_chip: Any) -> None:
    # A tile: load 1000 + 300, flag 5, compute 400, flag 5; the first wait costs a flag too, the last flag nothing.
    answer = replay(_one(_pipeline(1, 4)), round_chip())
    assert _cycles(answer) == pytest.approx(5 + 4 * (1300 + 5 + 400 + 5) - 5 + 5, abs=5)
    assert 1000 * answer["pipes_us"]["vector"] == pytest.approx(1600)


def test_two_buffers_hide_compute_behind_loads(replay: Any, round_chip: Any) -> None:
    # Loads follow each other every 1000 cycles; the last one's latency, flag and compute remain.
    answer = replay(_one(_pipeline(2, 4)), round_chip())
    assert _cycles(answer) == pytest.approx(5 + 4 * 1000 + 300 + 5 + 400 + 5, abs=10)


def test_barrier_all_joins_every_pipe(replay: Any, round_chip: Any) -> None:
    items = [load(5000), vector("Add", 80), {"do": "barrier_all"}, vector("Add", 80)]
    assert _cycles(replay(_one(items), round_chip())) == pytest.approx(400 + 10 + 100)


def test_vector_barrier_drains_the_pipe(replay: Any, round_chip: Any) -> None:
    items = [vector("Add", 80), {"do": "barrier", "pipe": "V"}, vector("Add", 80)]
    assert _cycles(replay(_one(items), round_chip())) == pytest.approx(100 + 40 + 100)


def test_scalar_work_delays_what_follows(replay: Any, round_chip: Any) -> None:
    items = [{**vector("Add", 80), "calls": 10}]
    answer = replay(_one(items), round_chip())
    assert _cycles(answer) == pytest.approx(80 + 100)
    assert 1000 * answer["pipes_us"]["scalar"] == pytest.approx(80)


def test_sync_all_waits_for_the_slowest_core(replay: Any, round_chip: Any) -> None:
    short = [vector("Add", 80), {"do": "sync_all"}, vector("Add", 80)]
    long = [vector("Add", 480), {"do": "sync_all"}, vector("Add", 80)]
    trace = {"cores": [0, 1, 0], "programs": [short, long]}
    assert _cycles(replay(trace, round_chip())) == pytest.approx(500 + 500 + 100)


def test_a_wait_without_a_set_is_an_error(replay: Any, round_chip: Any) -> None:
    answer = replay(_one([wait_flag("MTE2", "V", 3), vector("Add", 1)]), round_chip())
    assert not answer["ok"]
    assert "pipe V waits for event 3 of pipe MTE2" in answer["reason"]


def test_cores_that_disagree_on_sync_all_are_an_error(replay: Any, round_chip: Any) -> None:
    trace = {"cores": [0, 1], "programs": [[{"do": "sync_all"}], [vector("Add", 1)]]}
    answer = replay(trace, round_chip())
    assert not answer["ok"]
    assert "SyncAll" in answer["reason"]


def test_more_blocks_than_cores_run_in_waves(replay: Any, round_chip: Any) -> None:
    answer = replay(_one([vector("Add", 80)], cores=5), round_chip(vector_cores=2))
    assert _cycles(answer) == pytest.approx(3 * 100)


def test_shared_bandwidth_joins_by_the_norm(replay: Any, round_chip: Any) -> None:
    # Two cores read 10 000 B each: 500 cycles alone; 20 B/ns for both: 1000 cycles. p = 2.
    chip = round_chip(hbm_gbps=20)
    assert _cycles(replay(_one([load(10000)], cores=2), chip)) == pytest.approx(math.hypot(500, 1000))


def test_a_longer_core_ends_alone(replay: Any, round_chip: Any) -> None:
    # Core 0: 800 cycles, core 1: 1800 cycles with 3x the bytes. While both run (800 cycles of core 1) they move
    # 25 000 B and 75 000 B * 800/1800; then core 1 moves the rest alone. 50 B/ns, p = 2.
    trace = {"cores": [0, 1], "programs": [[load(25000)], [load(75000, gm=1 << 30)]]}
    first = math.hypot(800, (25000 + 75000 * 800 / 1800) / 50)
    second = math.hypot(1000, 75000 * 1000 / 1800 / 50)
    assert _cycles(replay(trace, round_chip(hbm_gbps=50))) == pytest.approx(first + second)


def test_written_bytes_cost_hbm_only_beyond_the_cache(replay: Any, round_chip: Any) -> None:
    program = [load(30000), store(10000)]
    # Everything fits: only the loads use HBM. 30 000 B at 10 B/ns, the core itself takes 900 cycles.
    fits = replay(_one(program), round_chip(hbm_gbps=10, l2_bytes=1e6))
    assert _cycles(fits) == pytest.approx(math.hypot(900, 3000))
    # The last cacheful of the stream stays: 10 000 - 20 000 * 10/40 = 5 000 B are written back.
    spills = replay(_one(program), round_chip(hbm_gbps=10, l2_bytes=20000))
    assert _cycles(spills) == pytest.approx(math.hypot(900, 3500))


def test_pipe_times_under_load_add_up(replay: Any, round_chip: Any) -> None:
    # Loads alone, bandwidth shared four ways: MTE2 is busy for the whole time.
    answer = replay(_one([{"loop": 8, "body": [load(10000)], "gm_step": 1 << 20}], cores=4), round_chip(hbm_gbps=50))
    assert answer["pipes_us"]["mte2"] == pytest.approx(answer["latency_us"], rel=0.01)
