"""Little is known of the cost of a launch, so that it decides no comparison."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from harness.tiny_operator import case, write_operator

from ascendopt.harness.devices.base import BuildOptions, Profile, Timing
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.evaluation import CaseResult
from ascendopt.harness.gates.profile import Gain, modelled_gain

CORES = (1, 2, 4, 8, 16, 24, 40, 48)


@pytest.fixture(scope="module")
def device() -> Iterator[ModelDevice]:
    device = ModelDevice("Ascend910B2")
    yield device
    device.close()


def on_cores(device: ModelDevice, folder: Path, elements: int) -> dict[int, Timing]:
    """Times of the same kernel with its elements spread over so many cores."""
    built = device.build(write_operator(folder), BuildOptions("Ascend910B2"))
    wanted = case(elements)
    tiling = built.tile(wanted)
    times: dict[int, Timing] = {}
    for cores in CORES:
        per_core = -(-elements // (cores * 16)) * 16
        raw = struct.pack("<III", elements, per_core, 1024) + tiling.raw[12:]
        (profile,) = built.profile_many([(wanted, replace(tiling, raw=raw, block_dim=cores))])
        assert isinstance(profile, Profile)
        times[cores] = profile.timing
    return times


def gain(base: tuple[int, Timing], new: tuple[int, Timing]) -> Gain:
    one, two = (
        CaseResult(
            "a",
            latency_us=timing.latency_us,
            samples_us=timing.samples_us,
            launch_us=timing.launch_us,
            launch_samples_us=timing.launch_samples_us,
            block_dim=cores,
        )
        for cores, timing in (base, new)
    )
    return modelled_gain([one], [two], {"a": 1.0})


@pytest.mark.device
@pytest.mark.timeout(600)
def test_core_counts_of_a_small_kernel_are_no_gain(device: ModelDevice, tmp_path: Path) -> None:
    # 640 elements: one core is enough, the others only cost launch. As modelled 48 cores take over 4 us, one takes 2.
    times = on_cores(device, tmp_path, 640)
    assert times[48].latency_us > 2 * times[1].latency_us > 3
    for base in times.items():
        assert not [new for new in times.items() if gain(base, new).faster], base


@pytest.mark.device
@pytest.mark.timeout(600)
def test_fewer_cores_are_never_a_gain_and_work_that_is_spread_is_one(device: ModelDevice, tmp_path: Path) -> None:
    times = on_cores(device, tmp_path, 262_144)
    for base in times.items():
        assert not [cores for cores in times if cores < base[0] and gain(base, (cores, times[cores])).faster]
    assert gain((1, times[1]), (8, times[8])).faster


def small(cores: int | None, core_us: float, launch_us: float) -> CaseResult:
    total = core_us + launch_us
    return CaseResult(
        "a",
        latency_us=total,
        samples_us=(total,) * 8,
        launch_us=launch_us,
        launch_samples_us=(launch_us,) * 8,
        block_dim=cores,
    )


def compared(base: CaseResult, new: CaseResult) -> Gain:
    return modelled_gain([base], [new], {"a": 1.0})


def test_what_is_saved_by_fewer_cores_does_not_count() -> None:
    # 48 cores to 12: up to three quarters of the launch is no merit. 3 us fall to 1; 2 of 2.25 are put back.
    found = compared(small(48, 1.0, 3.0), small(12, 1.0, 1.0))
    assert found.speedup == 1.0 and not found.faster
    # 48 to 36: only a quarter, 0.75 us, is put back: 4 / 2.75.
    assert compared(small(48, 1.0, 3.0), small(36, 1.0, 1.0)).speedup == pytest.approx(4 / 2.75, abs=1e-6)


def test_a_shorter_kernel_on_as_many_cores_keeps_what_it_saves() -> None:
    assert compared(small(48, 20.0, 6.0), small(48, 10.0, 3.0)).speedup == 2.0
    assert compared(small(4, 20.0, 1.0), small(48, 4.0, 3.0)).speedup == 3.0


def test_a_gain_of_the_cores_stays_with_fewer_of_them() -> None:
    # 10 us of work in 5 us on half the cores: 13 / (5 + 3), whatever the launch saves.
    found = compared(small(48, 10.0, 3.0), small(24, 5.0, 1.5))
    assert found.speedup == pytest.approx(13 / 8, abs=1e-6) and found.faster
