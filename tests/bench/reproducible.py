"""The same inputs give the same bytes and the same times: run to run, and with one server process or two at work."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from bench.benched import ADD, EXP, benched, case
from bench.measure import Line

Outcome = tuple[str, tuple[float, ...], tuple[tuple[str, float], ...]]


def lines() -> list[Line]:
    found: list[Line] = []
    for what, body, dtype in (("float16 Add", ADD, "float16"), ("float32 Exp", EXP, "float32")):
        first, second = _outcomes(body, dtype, 2)
        with ThreadPoolExecutor(2) as pool:
            together = [job.result()[0] for job in [pool.submit(_outcomes, body, dtype, 1) for _ in range(2)]]
        differing = sum(other != first for other in (second, *together))
        found.append(Line(f"runs that differ, {what}", differing, "of 3", 0, True, "bytes, times, all sets"))
    return found


def _outcomes(body: str, dtype: str, runs: int) -> list[Outcome]:
    """Digest of the output, times under every parameter set, pipe times; of ``runs`` runs in one server process."""
    elements = 300 * 4096
    rng = np.random.default_rng(5)
    inputs = [rng.uniform(-4, 4, elements).astype(dtype) for _ in range(2)]
    outcomes: list[Outcome] = []
    with benched(body) as (_, built):
        for _ in range(runs):
            result = built.run(case(elements, dtype), inputs)
            assert result.timing is not None
            digest = hashlib.sha256(np.ascontiguousarray(result.outputs[0]).tobytes()).hexdigest()
            times = (result.timing.latency_us, *result.timing.samples_us)
            outcomes.append((digest, times, tuple(sorted(result.timing.pipes_us.items()))))
    return outcomes
