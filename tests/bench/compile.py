"""Compiling: a kernel and its host code with nothing cached but the runtime and the precompiled headers; and cached."""

from __future__ import annotations

import os
import time
from pathlib import Path

from bench.measure import Line, children_cpu_s

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.devices.model.built import ModelBuilt
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.operator_copy import Scratch, read_operator
from ascendopt.harness.target import Target, open_target

SMALL = Path("samples/scaled_add")
NORM = Path("samples/rms_scale")
ROUNDS = 5


def lines() -> list[Line]:
    small, host, cached = _compile(SMALL)
    note = f"best of {ROUNDS}"
    found = [
        Line(f"kernel compile and link, {SMALL}", small, "s CPU", 0.3, True, note),
        Line(f"host compile and link, {SMALL}", host, "s CPU", 0.9, True, note),
        Line(f"host and kernel from the cache, {SMALL}", 1000 * cached, "ms CPU", 20, True, note),
    ]
    # CANN_OPS: a checkout of the public operators, whose rms_norm has ten tiling keys.
    checkout = os.environ.get("CANN_OPS")
    norm = Path(checkout) / "src/norm/rms_norm" if checkout else NORM
    found.append(Line(f"kernel compile and link, {norm.name}", _compile(norm)[0], "s CPU", 1.0, True, note))
    return found


def _compile(operator: Path) -> tuple[float, float, float]:
    """CPU seconds of the kernel, of the host code, and of both from the cache."""
    target = open_target(operator, None, None)
    device = ModelDevice(target.soc)
    kernels: list[float] = []
    hosts: list[float] = []
    cached: list[float] = []
    try:
        with Scratch(read_operator(operator)) as scratch:
            folder = scratch.materialise(None)
            for number in range(ROUNDS + 1):
                for part in ("op_host", "op_kernel"):
                    for file in (folder / part).glob("*.cpp"):
                        # Another text each time: nothing of the operator is found in the cache.
                        file.write_text(f"{file.read_text()}\n// {number} {time.time_ns()}\n")
                host, kernel = _build(device, folder, target)
                if number:  # the first round also makes the precompiled headers
                    hosts.append(host)
                    kernels.append(kernel)
                    cached.append(sum(_build(device, folder, target)))
    finally:
        device.close()
    return min(kernels), min(hosts), min(cached)


def _build(device: ModelDevice, folder: Path, target: Target) -> tuple[float, float]:
    """CPU seconds of host and kernel."""
    start = _everything()
    built = device.build(folder, BuildOptions(target.soc))
    assert isinstance(built, ModelBuilt)
    middle = _everything()
    built.kernel(target.workload.cases[0])
    return middle - start, _everything() - middle


def _everything() -> float:
    return time.process_time() + children_cpu_s()
