"""Functional runs with all checks, beside numpy doing the same; and element-wise access from scalar code."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from bench.benched import ADD, EXP, SCALAR, benched, case
from bench.measure import Line, process_cpu_s

ELEMENTS = 1 << 24
SCALAR_ELEMENTS = 1 << 22
ROUNDS = 3


def lines() -> list[Line]:
    found: list[Line] = []
    for what, body, dtype, reference, target in (
        ("float16 Add", ADD, "float16", np.add, 150),
        ("float32 Exp", EXP, "float32", lambda x, _: np.exp(x), 50),
    ):
        ours, numpys = _seconds(body, dtype, reference)
        rate = ELEMENTS / ours / 1e6
        note = f"numpy {ELEMENTS / numpys / 1e6:.0f}, {numpys / ours:.2f} x numpy"
        found.append(Line(f"functional run with checks, {what}", rate, "M elem/s", target, False, note))
    return [*found, _scalar()]


def _seconds(body: str, dtype: str, reference: Callable[..., object]) -> tuple[float, float]:
    """CPU seconds of the kernel in the server's child and of numpy here, in turn; the best of each."""
    rng = np.random.default_rng(1)
    inputs = [rng.uniform(-4, 4, ELEMENTS).astype(dtype) for _ in range(2)]
    wanted = case(ELEMENTS, dtype)
    ours: list[float] = []
    numpys: list[float] = []
    with benched(body) as (device, built):
        built.run(wanted, inputs, timing=False)
        for _ in range(ROUNDS):
            before = process_cpu_s(device.worker.pid)
            built.run(wanted, inputs, timing=False)
            ours.append(process_cpu_s(device.worker.pid) - before)
            start = time.process_time()
            reference(*inputs)
            numpys.append(time.process_time() - start)
    return min(ours), min(numpys)


def _scalar() -> Line:
    wanted = case(SCALAR_ELEMENTS)
    inputs = [np.ones(SCALAR_ELEMENTS, np.float16)] * 2
    with benched(SCALAR) as (device, built):
        built.run(wanted, inputs, timing=False)  # sees the accesses; the kernel is compiled with -O1 from now on
        built.run(wanted, inputs, timing=False)
        before = process_cpu_s(device.worker.pid)
        for _ in range(ROUNDS):
            built.run(wanted, inputs, timing=False)
        spent = (process_cpu_s(device.worker.pid) - before) / ROUNDS
    return Line("scalar accesses to UB at -O1", 2 * SCALAR_ELEMENTS / spent / 1e6, "M/s", 80, False)
