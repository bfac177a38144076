"""A server process for the timing tests: traces in, times out."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ascendopt.harness.devices.model as model_package
from ascendopt.harness.devices.model.runtime_build import build_runtime
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.devices.model.worker import Worker

TIMING = Path(model_package.__file__).parent / "timing"

Replay = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """The real server, built if it is not in the cache."""
    server = Worker(build_runtime(Toolchain()))
    yield server
    server.close()


@pytest.fixture(scope="session")
def replay(worker: Worker) -> Replay:
    """``replay(trace, chip or path, samples=, seed=)``: the server's answer to a hand-written trace."""

    def ask(trace: dict[str, Any], params: str | Path = "Ascend910B1", **extra: int) -> dict[str, Any]:
        path = params if isinstance(params, Path) else TIMING / f"{params}.json"
        return worker.request("replay", {"params": str(path), "trace": trace, **extra}, 120)

    return ask


def _entry(value: float, uncertainty: float = 0.0, source: str = "fitted") -> dict[str, Any]:
    return {"value": value, "unit": "-", "uncertainty": uncertainty, "source": source, "note": "test"}


ROUND = {
    "clock_mhz": 1000,
    "vector_cores": 0,
    "l2_bytes": 1e9,
    "hbm_gbps": 1e9,
    "l2_gbps": 1e9,
    "port_gbps": 1e9,
    "mix_loss": 0,
    "queue_exponent": 2,
    "vector_startup": 20,
    "vector_minimum": 3,
    "load_latency_hbm": 300,
    "load_latency_l2": 200,
    "load_bandwidth_hbm": 50,
    "load_bandwidth_l2": 100,
    "transfer_issue": 20,
    "row_minimum": 2,
    "row_overhead": 1,
    "granule_bytes": 0,
    "store_latency": 100,
    "store_bandwidth": 50,
    "flag_cycles": 5,
    "barrier_pipe": 40,
    "barrier_reduction": 40,
    "kernel_start_us": 0,
    "barrier_all": 10,
    "sync_all": 500,
    "cross_flag": 60,
    "scalar_issue": 0,
    "scalar_call": 8,
    "launch_mix_us": 0,
    "launch_base_us": 0,
    "launch_core_us": 0,
}
"""A chip that one can reckon with: 1 cycle = 1 ns, nothing shared, instructions issue at no cost."""


@pytest.fixture
def round_chip(tmp_path: Path) -> Callable[..., Path]:
    """``round_chip(constant=value or {"value":..,"uncertainty":..})``: a timing file of round numbers."""

    def write(**changes: float | dict[str, Any]) -> Path:
        shipped: dict[str, Any] = json.loads((TIMING / "Ascend910B1.json").read_text())
        data = copy.deepcopy(shipped)
        for name, entry in data["constants"].items():
            entry.update(uncertainty=0.0, source="fitted", value=ROUND.get(name, entry["value"]))
        data["vector"] = {"default": {"any": {"per_repeat": _entry(1)}}}
        for name, change in changes.items():
            update = change if isinstance(change, dict) else {"value": change}
            target = data["vector"]["default"]["any"]["per_repeat"] if name == "per_repeat" else None
            (data["constants"][name] if target is None else target).update(update)
        path = tmp_path / f"chip{len(list(tmp_path.iterdir()))}.json"
        path.write_text(json.dumps(data))
        return path

    return write
