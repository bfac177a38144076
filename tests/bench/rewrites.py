"""Kernel rewrites: compiled, run with all checks on a small shape, timed on a large one. And what a child costs."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from bench.benched import ADD, SOC, benched, case, write
from bench.measure import Line, children_cpu_s, process_cpu_s

from ascendopt.harness.devices.base import BuildOptions
from ascendopt.harness.devices.model.device import ModelDevice

ROUNDS = 5
STARTS = 100


def lines() -> list[Line]:
    return [_rewrites(), _starts()]


def _rewrites() -> Line:
    small, large = case(64 * 4096), case(2048 * 4096)
    inputs = [np.ones(64 * 4096, np.float16)] * 2
    device = ModelDevice(SOC)
    spent = 0.0
    with TemporaryDirectory() as folder:
        try:
            device.prepare()
            for number in range(ROUNDS + 1):
                before = _everything(device)
                # Another text each time: the cache does not know it.
                root = write(Path(folder), f"{ADD}  // {number} {time.time_ns()}")
                built = device.build(root, BuildOptions(SOC))
                built.run(small, inputs)
                built.profile(large)
                if number:  # the first round also compiles the host code
                    spent += _everything(device) - before
        finally:
            device.close()
    return Line("kernel rewrites: compile, run, time", ROUNDS / spent, "1/s of a core", 2, False)


def _starts() -> Line:
    """A child: forked, confined, the host object loaded and asked for a tiling."""
    with benched(ADD) as (device, built):
        built.tile(case(4096))
        before = process_cpu_s(device.worker.pid)
        for _ in range(STARTS):
            built.tile(case(4096))
        spent = process_cpu_s(device.worker.pid) - before
    return Line("a confined child that loads and tiles", 1000 * spent / STARTS, "ms CPU", 15, True)


def _everything(device: ModelDevice) -> float:
    return time.process_time() + children_cpu_s() + process_cpu_s(device.worker.pid)
