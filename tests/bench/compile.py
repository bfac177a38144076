"""A kernel of add size, compiled and linked with nothing in the cache but the runtime and the precompiled header."""

from __future__ import annotations

import time
from pathlib import Path

from bench.measure import Line, children_cpu_s

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.devices.model.device import ModelBuilt, ModelDevice
from ascendopt.harness.operator_copy import Scratch, read_operator
from ascendopt.harness.target import open_target

SAMPLE = Path("samples/scaled_add")
ROUNDS = 5


def lines() -> list[Line]:
    target = open_target(SAMPLE, None, None)
    case = target.workload.cases[0]
    device = ModelDevice(target.soc)
    kernels: list[float] = []
    hosts: list[float] = []
    try:
        with Scratch(read_operator(SAMPLE)) as scratch:
            folder = scratch.materialise(None)
            for number in range(ROUNDS + 1):
                for part in ("op_host", "op_kernel"):
                    file = folder / part / "scaled_add.cpp"
                    # Another text each time: nothing of the operator is found in the cache.
                    file.write_text(f"{file.read_text()}\n// {number} {time.time_ns()}\n")
                before = children_cpu_s()
                built = device.build(folder, BuildOptions(target.soc))
                assert isinstance(built, ModelBuilt)
                middle = children_cpu_s()
                built.kernel(case)
                if number:  # the first round also makes the precompiled headers
                    hosts.append(middle - before)
                    kernels.append(children_cpu_s() - middle)
    finally:
        device.close()
    return [
        Line("kernel compile and link, samples/scaled_add", min(kernels), "s CPU", 0.5, True, f"best of {ROUNDS}"),
        Line("host compile and link, samples/scaled_add", min(hosts), "s CPU", 0.9, True, f"best of {ROUNDS}"),
    ]
