"""What it costs when cube and vector cores wait for each other: kernels of ours, against the same work done alone."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from harness.model.kernels.kernel_runner import KernelRunner

pytestmark = pytest.mark.timeout(1200)


def hand_over(mix: KernelRunner, tiles: int, products: int, calls: int, ring: int = 0, **extra: Any) -> dict[str, Any]:
    ran = mix.run(
        "hand_over", [], [np.zeros(8, np.float32)], tiling=struct.pack("4i", tiles, products, calls, ring),
        mode="timing", timing=True, **extra,
    )  # fmt: skip
    assert ran.answer["ok"], ran.answer
    assert [found for found in ran.answer["violations"] if found["severity"] == "error"] == []
    return ran.answer


def core_us(answer: dict[str, Any]) -> float:
    return answer["latency_us"] - answer["launch_us"]


def share_cube(
    mix: KernelRunner, sharers: int, blocks: int = 1, mode: str = "timing", one_place: bool = False
) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-3, 4, (256, 256)).astype(np.float16) for _ in range(2))
    out = np.zeros((2 * blocks, 256, 256), np.float32)
    ran = mix.run("share_cube", [a, b], [out], cores=blocks, tiling=struct.pack("2i", sharers, one_place), mode=mode,
                  timing=True, system_workspace=16 << 20)  # fmt: skip
    assert ran.answer["ok"], ran.answer
    return ran.answer, (a.astype(np.float32) @ b.astype(np.float32), ran.outputs[0])


@pytest.fixture(scope="module")
def alone(mix: KernelRunner) -> dict[str, float]:
    """The start that both sides have, and what one tile costs each side beyond it."""
    start = core_us(hand_over(mix, 0, 0, 0))
    cube = core_us(hand_over(mix, 8, 4, 0)) - start
    vector = core_us(hand_over(mix, 0, 0, 32)) - start
    return {"start": start, "cube": cube / 8, "vector": vector / 4}  # of 4 products, of 8 calls


def test_a_ring_of_one_tile_costs_the_sum(mix: KernelRunner, alone: dict[str, float]) -> None:
    serial = core_us(hand_over(mix, 8, 4, 8, ring=1)) - alone["start"]
    total = 8 * (alone["cube"] + alone["vector"])
    assert total <= serial < 1.35 * total  # two flags a tile


def test_tiles_made_ahead_cost_the_longer_side(mix: KernelRunner, alone: dict[str, float]) -> None:
    # The flag counts to 15: eight tiles never fill it.
    overlapped = core_us(hand_over(mix, 8, 4, 8)) - alone["start"]
    longer = max(alone["cube"], alone["vector"])
    assert 8 * longer <= overlapped < 8 * longer + alone["cube"] + alone["vector"]
    two_buffers = core_us(hand_over(mix, 8, 4, 8, ring=2)) - alone["start"]
    serial = core_us(hand_over(mix, 8, 4, 8, ring=1)) - alone["start"]
    assert overlapped <= two_buffers < 0.8 * serial


def test_more_work_on_the_shorter_side_costs_nothing(mix: KernelRunner) -> None:
    slow_cube = core_us(hand_over(mix, 8, 12, 2))
    assert core_us(hand_over(mix, 8, 12, 4)) == pytest.approx(slow_cube, rel=0.05)
    assert core_us(hand_over(mix, 8, 24, 2)) > 1.7 * slow_cube


def test_ai_cores_that_do_the_same_take_the_time_of_one(mix: KernelRunner) -> None:
    one, many = (hand_over(mix, 6, 4, 8, ring=1, cores=n) for n in (1, 20))
    assert core_us(many) == pytest.approx(core_us(one), rel=1e-9)
    assert many["pipes_us"] == pytest.approx(one["pipes_us"])


def test_two_vector_cores_share_one_cube(mix: KernelRunner) -> None:
    one, (expected, found) = share_cube(mix, 1, mode="functional")
    np.testing.assert_array_equal(found[0], expected)
    both, (expected, found) = share_cube(mix, 2, mode="functional")
    np.testing.assert_array_equal(found, np.stack([expected, expected]))
    assert both["pipes_us"]["cube"] == pytest.approx(2 * one["pipes_us"]["cube"])
    assert core_us(both) > core_us(one) + 0.9 * one["pipes_us"]["cube"]


def test_times_are_the_same_run_to_run_and_in_both_modes(mix: KernelRunner) -> None:
    first, _ = share_cube(mix, 2, blocks=3)
    again, _ = share_cube(mix, 2, blocks=3)
    whole, _ = share_cube(mix, 2, blocks=3, mode="functional")
    assert first["latency_us"] == again["latency_us"] == whole["latency_us"]
    assert first["samples_us"] == again["samples_us"] == whole["samples_us"]


def test_cores_that_store_the_same_product_at_one_place_do_no_harm(mix: KernelRunner) -> None:
    answer, (expected, found) = share_cube(mix, 2, mode="functional", one_place=True)
    np.testing.assert_array_equal(found[0], expected)
    assert answer["violations"] == []
