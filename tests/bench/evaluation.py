"""Host tiling and timing of an operator that is compiled: what a tiling search pays when only numbers change."""

from __future__ import annotations

from pathlib import Path

from bench.measure import Line, process_cpu_s

from ascendopt.harness.devices.base import BuildOptions, DeviceFailure
from ascendopt.harness.devices.model.device import ModelBuilt, ModelDevice
from ascendopt.harness.target import open_target

SAMPLE = Path("samples/scaled_add")
SINGLE = 200
BATCH = 50


def lines() -> list[Line]:
    target = open_target(SAMPLE, None, None)
    case = target.workload.cases[0]
    device = ModelDevice(target.soc)
    try:
        built = device.build(SAMPLE, BuildOptions(target.soc))
        assert isinstance(built, ModelBuilt)
        built.profile(case)
        pid = device.worker.pid
        assert pid is not None
        before = process_cpu_s(pid)
        for _ in range(SINGLE):
            built.profile(case)
        middle = process_cpu_s(pid)
        for _ in range(SINGLE // BATCH):
            results = built.profile_many([(case, None)] * BATCH)
            assert not any(isinstance(result, DeviceFailure) for result in results)
        after = process_cpu_s(pid)
    finally:
        device.close()
    return [
        Line("tile and time, one a request", SINGLE / (middle - before), "1/s of a core", 80, False),
        Line(f"tile and time, {BATCH} a request", SINGLE / (after - middle), "1/s of a core", 200, False),
    ]
