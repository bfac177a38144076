"""Replay alone: traces of 48 cores and 200,000 records, under the centre and the parameter sets of a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.measure import Line, process_cpu_s

import ascendopt.harness.devices.model as model_package
from ascendopt.harness.devices.model.runtime_build import build_runtime
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.devices.model.worker import Worker

TIMING = Path(model_package.__file__).parent / "timing"
CORES = 48
RECORDS = 200_000


def _program(tiles: int, bytes_: int) -> list[dict[str, Any]]:
    """Load, compute, store with flags between them: eight records a tile."""

    def flag(do: str, source: str, target: str) -> dict[str, Any]:
        return {"do": do, "from": source, "to": target, "event": 0}

    def copy(pipe: str, gm: int, flags: list[str]) -> dict[str, Any]:
        return {"do": "transfer", "pipe": pipe, "rows": 1, "bytes": bytes_, "gm": gm, "pitch": 0, "flags": flags}

    body = [
        copy("MTE2", 0, []),
        flag("set", "MTE2", "V"),
        flag("wait", "MTE2", "V"),
        {"do": "instr", "pipe": "V", "op": "Add", "dtype": "float16", "repeats": 32, "flags": []},
        flag("set", "V", "MTE3"),
        flag("wait", "V", "MTE3"),
        copy("MTE3", 1 << 40, ["gm_write"]),
        {"do": "barrier", "pipe": "MTE3"},
    ]
    return [{"loop": tiles, "body": body, "gm_step": bytes_}]


def lines() -> list[Line]:
    tiles = RECORDS // CORES // 8
    equal = {"cores": [0] * CORES, "programs": [_program(tiles, 8192)]}
    different = {"cores": list(range(CORES)), "programs": [_program(tiles, 8192 + 32 * n) for n in range(CORES)]}
    worker = Worker(build_runtime(Toolchain()))
    try:
        return [
            Line("replay, 48 equal cores of 4.2 k records", _cpu_ms(worker, equal, 0, 200), "ms CPU", 3, True),
            Line("  and 32 parameter sets", _cpu_ms(worker, equal, 32, 50), "ms CPU", 8, True),
            Line("replay, 48 different cores", _cpu_ms(worker, different, 0, 10), "ms CPU", 200, True),
            Line("  and 32 parameter sets", _cpu_ms(worker, different, 32, 5), "ms CPU", 400, True),
        ]
    finally:
        worker.close()


def _cpu_ms(worker: Worker, trace: dict[str, Any], samples: int, rounds: int) -> float:
    """A replay, without what it takes to read the trace: that is what a request without constants costs."""
    params = str(TIMING / "Ascend910B1.json")
    answer = worker.request("replay", {"params": params, "trace": trace, "samples": samples}, 120)
    assert answer["ok"] and len(answer["samples_us"]) == samples, answer
    spent: list[float] = []
    for path in (params, str(TIMING / "missing.json")):
        before = process_cpu_s(worker.pid)
        for _ in range(rounds):
            worker.request("replay", {"params": path, "trace": trace, "samples": samples}, 120)
        spent.append(process_cpu_s(worker.pid) - before)
    return 1000 * (spent[0] - spent[1]) / rounds
