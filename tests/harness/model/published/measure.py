"""Published measurements, reproduced: each point's kernel compiled, run on the model device and compared."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from harness.model.published.drive import Drive, Launch, NotDriven, drive

from ascendopt.harness.devices.base import BuildOptions, Built, DeviceFailure, Profile
from ascendopt.harness.devices.model.device import ModelDevice, ModelOptions
from ascendopt.harness.workload import Case, TensorSpec

HERE = Path(__file__).parent
POINTS = HERE / "points.json"
SAMPLES = 200
OUTPUTS = {"vector_calls": ("z",), "stream": ("z",), "rowwise": ("z", "scale"), "cube": ("z",)}
INPUTS = {"vector_calls": ("x",), "stream": ("x", "y"), "rowwise": ("x",), "cube": ("x", "y")}


@dataclass(frozen=True)
class Result:
    """One point. ``modelled`` is None when there is no kernel; ``why`` says why not."""

    id: str
    family: str
    measured: float
    unit: str
    modelled: float | None = None
    low: float = 0.0
    high: float = 0.0
    pipes: tuple[tuple[str, float], ...] = ()
    why: str = ""

    @property
    def error(self) -> float:
        """Modelled over measured, minus one."""
        assert self.modelled is not None
        return self.modelled / self.measured - 1

    @property
    def covered(self) -> bool:
        """Whether the measurement lies in the ensemble's 95 % interval."""
        return self.low <= self.measured <= self.high


class Bench:
    """Devices and compiled operators, one of each chip."""

    def __init__(self, samples: int = SAMPLES, timing: Path | None = None) -> None:
        self._options = ModelOptions(samples=samples, races=False)
        self._timing = timing
        self._devices: dict[str, ModelDevice] = {}
        self._built: dict[tuple[str, str], Built] = {}

    def close(self) -> None:
        for device in self._devices.values():
            device.close()

    def points(self, points: Iterable[Mapping[str, Any]]) -> list[Result]:
        """Every point in its order."""
        return [self._point(point) for point in points]

    def _point(self, point: Mapping[str, Any]) -> Result:
        family, target = point["family"], point.get("target")
        measured = point["measured"].get(target, 0.0) if target else 0.0
        unit = "cycles" if target == "cycles" else "us"
        try:
            plan = drive(point)
        except NotDriven as reason:
            return Result(point["id"], family, measured, unit, why=str(reason))
        try:
            profiles = [self._profile(plan, launch) for launch in plan.launches]
        except DeviceFailure as failure:
            return Result(point["id"], family, measured, unit, why=f"{failure}")
        return _result(point, plan, profiles, measured, unit, self._clock(plan.soc))

    def _profile(self, plan: Drive, launch: Launch) -> Profile:
        key = (plan.soc, launch.operator)
        if plan.soc not in self._devices:
            self._devices[plan.soc] = ModelDevice(plan.soc, options=self._options)
        if key not in self._built:
            self._built[key] = self._devices[plan.soc].build(HERE / launch.operator, BuildOptions(plan.soc))
        specs = {name: TensorSpec(name, "uint8", ((launch.size,),)) for name in ("x", "y", "z", "scale")}
        inputs = tuple(specs[name] for name in INPUTS[launch.operator])
        outputs = tuple(specs[name] for name in OUTPUTS[launch.operator])
        # The device remembers by name which cases depend on values.
        name = "-".join(map(str, launch.work))
        return self._built[key].profile(Case(name, inputs, outputs, {"work": launch.work}))

    def _clock(self, soc: str) -> float:
        path = self._devices[soc].chip.timing
        while True:
            data = json.loads(path.read_text())
            if "clock_mhz" in data.get("constants", {}):
                return float(data["constants"]["clock_mhz"]["value"])
            path = path.parent / data["base"]


def _result(
    point: Mapping[str, Any], plan: Drive, profiles: Sequence[Profile], measured: float, unit: str, clock: float
) -> Result:
    scale = clock if plan.cycles else 1.0
    centre, samples = 0.0, np.zeros(len(profiles[0].timing.samples_us))
    for launch, profile in zip(plan.launches, profiles, strict=True):
        timing = profile.timing
        # What stands for more than itself is launched once all the same.
        times = launch.factor > 1 and len(profiles) == 1
        off = timing.launch_us if plan.core or times else 0.0
        once = timing.launch_us if times and not plan.core else 0.0
        centre += launch.factor * (timing.latency_us - off) + once
        samples += launch.factor * (np.array(timing.samples_us) - off) + once
    low, high = np.quantile(samples, [0.025, 0.975]) if len(samples) else (centre, centre)
    pipes = tuple((name, value * plan.launches[0].factor) for name, value in profiles[0].timing.pipes_us.items())
    return Result(
        point["id"], point["family"], measured, unit, centre * scale, float(low) * scale, float(high) * scale, pipes
    )


@dataclass(frozen=True)
class Row:
    """Figures of one family. ``order`` counts pairs more than 5 % apart that the model puts in the measured order."""

    family: str
    points: int
    driven: int
    median: float
    p90: float
    worst: float
    right_order: int
    pairs: int
    covered: int


def rows(results: Sequence[Result]) -> list[Row]:
    """One row a family, in order of appearance, and ``all`` at the end."""
    families = list(dict.fromkeys(result.family for result in results))
    table = [_row(family, [r for r in results if r.family == family]) for family in families]
    total = _row("all", results)
    right = sum(row.right_order for row in table)
    pairs = sum(row.pairs for row in table)
    return [*table, Row(*(*_head(total), right, pairs, total.covered))]


def _head(row: Row) -> tuple[str, int, int, float, float, float]:
    return row.family, row.points, row.driven, row.median, row.p90, row.worst


def _row(family: str, results: Sequence[Result]) -> Row:
    driven = [result for result in results if result.modelled is not None]
    errors = sorted(abs(result.error) for result in driven) or [0.0]
    right, pairs = _order(driven)
    return Row(
        family,
        len(results),
        len(driven),
        statistics.median(errors),
        float(np.quantile(errors, 0.9)),
        errors[-1],
        right,
        pairs,
        sum(result.covered for result in driven),
    )


def _order(results: Sequence[Result]) -> tuple[int, int]:
    right = pairs = 0
    for a, b in combinations(results, 2):
        if abs(a.measured - b.measured) <= 0.05 * min(a.measured, b.measured):
            continue
        assert a.modelled is not None
        assert b.modelled is not None
        pairs += 1
        right += (a.modelled - b.modelled) * (a.measured - b.measured) > 0
    return right, pairs


def read_points(path: Path = POINTS) -> list[dict[str, Any]]:
    """The points of a file of published measurements."""
    return json.loads(path.read_text())["points"]
