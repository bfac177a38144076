"""What a journal says, arranged for people: nothing here is known from anywhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ascendopt.harness.champion import TAKEN_BACK
from ascendopt.harness.evaluation import CaseResult, Evaluation
from ascendopt.harness.gates.correctness import tolerance
from ascendopt.harness.gates.profile import PERCENTILES, modelled_ratios
from ascendopt.harness.journal.events import Event, JournalError, read_events
from ascendopt.harness.journal.run_times import read_executor, read_workers
from ascendopt.harness.journal.store import ArtifactStore
from ascendopt.harness.report.constants import Basis, basis_of
from ascendopt.harness.workload import Sampled

# The p of fast_p.
LEVELS = (1.0, 1.2, 1.4, 1.8, 2.0)


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def sampled(self) -> Sampled | None: ...


@dataclass(frozen=True)
class TrialRow:
    """One trial. ``attempt`` is None for what cost nothing; ``best`` is the best speed-up so far; ``place`` is file and
    line of what ``reason`` is about."""

    number: int
    attempt: int | None
    state: str
    origin: str
    note: str
    reason: str
    speedup: float | None
    interval: tuple[float, float] | None
    best: float
    place: str = ""
    genes: Mapping[str, int | float | str] = field(default_factory=dict[str, "int | float | str"])


@dataclass(frozen=True)
class CaseRow:
    """One timed case before and after. Times in microseconds; without a winner the after fields are None."""

    name: str
    shapes: str
    dtypes: str
    before: CaseResult
    after: CaseResult | None
    speedup: float | None
    interval: tuple[float, float] | None
    weight: float = 1.0

    @property
    def samples(self) -> int:
        """How many parameter sets, or pairs, the interval is over."""
        return len((self.after or self.before).samples_us)


@dataclass(frozen=True)
class RangeRow:
    """A case with ranges: what they are, the members that it was sampled at, and at how many values were computed."""

    name: str
    ranges: str
    members: tuple[str, ...]
    cases: int
    correct: int


@dataclass(frozen=True)
class EpisodeReport:
    """Everything that a report shows of one episode. ``complete`` is False while it runs or after a kill.

    ``cases`` are those of the journal's header; ``basis`` says which constants of the model the gain rests on;
    ``unseen_before`` has the original's times of the unseen cases in microseconds.
    """

    operator: str
    device: str
    modelled: bool
    sandbox: str
    soc: str
    method: str
    budget: int
    seed: int
    margin: float
    reference: str | None
    baseline: Evaluation | None
    best: Evaluation | None
    unseen: Evaluation | None
    unseen_names: tuple[str, ...]
    rows: tuple[CaseRow, ...]
    trials: tuple[TrialRow, ...]
    note: str
    patch: str
    attempts: int
    valid: int
    free: int
    complete: bool
    tolerances: tuple[str, ...]
    ranges: tuple[RangeRow, ...] = ()
    workers: int = 1
    cases: tuple[Mapping[str, Any], ...] = ()
    basis: Basis | None = None
    unseen_before: Mapping[str, float] = field(default_factory=dict[str, float])
    ended_by: str = ""
    executor: str = ""

    @property
    def weighted(self) -> bool:
        """Whether the timed cases count differently in the geometric mean."""
        return len({row.weight for row in self.rows}) > 1

    @property
    def label(self) -> str:
        """``modelled`` or ``measured``: said wherever a time is."""
        return "modelled" if self.modelled else "measured"

    @property
    def speedup(self) -> float:
        """Of the winner; 1 when there is none."""
        return self.best.speedup if self.best and self.best.speedup else 1.0

    @property
    def paid(self) -> tuple[TrialRow, ...]:
        """The trials that were attempts."""
        return tuple(trial for trial in self.trials if trial.attempt is not None)

    def fast(self, level: float) -> float:
        """fast_p of one run: the share of its attempts that are correct and faster than ``level``."""
        paid = self.paid
        return sum((trial.speedup or 0.0) > level for trial in paid) / len(paid) if paid else 0.0

    @property
    def noise_floor(self) -> float | None:
        """On a measuring device, how far apart the original was from itself: the largest that was seen."""
        floors = [one.noise_floor for one in (self.baseline, self.best) if one and one.noise_floor is not None]
        return max(floors, default=None)

    @property
    def guessed_share(self) -> float:
        """Largest share of guessed cycles over the timed cases of the winner (or the original)."""
        shown = self.best or self.baseline
        return max((case.guessed_share for case in shown.cases), default=0.0) if shown else 0.0


def read_report(folder: Path) -> EpisodeReport:
    """Read the journal in ``folder``. Raises JournalError."""
    events = read_events(folder)
    header = events[0]
    end = next((event for event in events if event["event"] == "end"), None)
    baseline = _evaluation(events, "baseline", None)
    key = end["key"] if end else None
    best = _evaluation(events, "champion", key) if key else None
    unseen = _evaluation(events, "unseen", key) if key else None
    trials = _trials(events)
    changes = (event for event in events if event["event"] in ("trial", TAKEN_BACK))
    winner = next((event for event in changes if event["key"] == key), None) if key else None
    return EpisodeReport(
        operator=header["operator"],
        device=header["device"],
        modelled=header["modelled"],
        sandbox=header["sandbox"],
        soc=header["soc"],
        method=header["method"],
        budget=header["budget"],
        seed=header["seed"],
        margin=header["margin"],
        reference=header["reference"],
        baseline=baseline,
        best=best,
        unseen=unseen,
        unseen_names=tuple(case.name for case in unseen.cases) if unseen else (),
        rows=_case_rows(header, baseline, best),
        trials=trials,
        note=winner["note"] if winner else "",
        patch=_patch(folder, end),
        attempts=sum(trial.attempt is not None for trial in trials),
        valid=sum(trial.attempt is not None and trial.state == "ok" for trial in trials),
        free=sum(trial.attempt is None for trial in trials),
        complete=end is not None,
        tolerances=_tolerances(header),
        ranges=range_rows([_Member.of(case) for case in header["cases"]], best or baseline),
        workers=read_workers(folder),
        executor=read_executor(folder),
        cases=tuple(header["cases"]),
        basis=_basis(folder, header, baseline, best),
        unseen_before=_latencies(_evaluation(events, "unseen-baseline", None)),
        ended_by=next((event["by"] for event in events if event["event"] == "search-end"), ""),
    )


@dataclass(frozen=True)
class _Member:
    name: str
    sampled: Sampled | None

    @staticmethod
    def of(case: dict[str, Any]) -> _Member:
        raw = case.get("sampled")
        if raw is None:
            return _Member(case["name"], None)
        return _Member(case["name"], Sampled(raw["case"], tuple(raw["ranges"].items()), tuple(raw["sizes"].items())))


def range_rows(cases: Sequence[_Named], evaluation: Evaluation | None) -> tuple[RangeRow, ...]:
    """A row a case with ranges; ``cases`` are its members among others, ``evaluation`` what the gates said of them."""
    right = {case.name for case in evaluation.cases if case.correct} if evaluation else set[str]()
    families: dict[str, list[tuple[str, Sampled]]] = {}
    for case in cases:
        if case.sampled is not None:
            families.setdefault(case.sampled.case, []).append((case.name, case.sampled))
    return tuple(
        RangeRow(
            family,
            members[0][1].described,
            tuple(dict.fromkeys(sampled.label for _, sampled in members)),
            len(members),
            sum(name in right for name, _ in members),
        )
        for family, members in families.items()
    )


def _evaluation(events: Sequence[Event], kind: str, key: str | None) -> Evaluation | None:
    for event in events:
        if event["event"] == kind and (key is None or event["key"] == key):
            return Evaluation.from_json(event["evaluation"])
    return None


def _latencies(evaluation: Evaluation | None) -> dict[str, float]:
    cases = evaluation.cases if evaluation else ()
    return {case.name: case.latency_us for case in cases if case.latency_us is not None}


def _patch(folder: Path, end: Event | None) -> str:
    return _artifact(folder, end["patch"], "patch") if end is not None and end["patch"] is not None else ""


def _artifact(folder: Path, name: str, what: str) -> str:
    try:
        return ArtifactStore(folder / "artifacts").get(name)
    except (OSError, ValueError) as error:
        raise JournalError(f"{folder / 'artifacts' / name}: the {what} is missing or damaged.") from error


def _basis(folder: Path, header: Event, baseline: Evaluation | None, best: Evaluation | None) -> Basis | None:
    """What the gain rests on; None without a winner, on a measuring device, or in journals of older versions."""
    name = header.get("ensemble")
    if name is None or baseline is None or best is None:
        return None
    ensemble = json.loads(_artifact(folder, name, "record of the model's constants"))
    weights = {case["name"]: case["weight"] for case in header["cases"]}
    _, ratios = modelled_ratios(baseline.cases, best.cases, weights)
    return basis_of([float(ratio) for ratio in ratios], ensemble)


def _trials(events: Sequence[Event]) -> tuple[TrialRow, ...]:
    rows: list[TrialRow] = []
    attempt, best = 0, 1.0
    for event in events:
        if event["event"] in ("noop", "repeat"):
            free = (event["trial"], None, event["event"], event["origin"], event["note"], "", None, None, best)
            rows.append(TrialRow(*free, genes=event["genes"]))
            continue
        if event["event"] != "trial":
            continue
        evaluation = Evaluation.from_json(event["evaluation"])
        paid = evaluation.state.value != "static"
        attempt += paid
        if evaluation.faster and evaluation.speedup:
            best = max(best, evaluation.speedup)
        rows.append(
            TrialRow(
                event["trial"],
                attempt if paid else None,
                evaluation.state.value,
                event["origin"],
                event["note"],
                evaluation.failure.reason if evaluation.failure else "",
                evaluation.speedup,
                evaluation.interval,
                best,
                _place(evaluation),
                event["genes"],
            )
        )
    return tuple(rows)


def _place(evaluation: Evaluation) -> str:
    gate = evaluation.failure
    return f"{gate.file}:{gate.line}" if gate and gate.file and gate.line else ""


def _case_rows(header: Event, baseline: Evaluation | None, best: Evaluation | None) -> tuple[CaseRow, ...]:
    described = {case["name"]: case for case in header["cases"]}
    after = {case.name: case for case in best.cases} if best else {}
    rows: list[CaseRow] = []
    for before in baseline.cases if baseline else ():
        if before.latency_us is None:
            continue
        case = described[before.name]
        winner = after.get(before.name)
        speedup, interval = case_gain(before, winner) if winner else (None, None)
        shapes, dtypes = describe(case)
        rows.append(CaseRow(before.name, shapes, dtypes, before, winner, speedup, interval, case["weight"]))
    return tuple(rows)


def case_gain(before: CaseResult, after: CaseResult) -> tuple[float | None, tuple[float, float] | None]:
    """Speed-up of one case and the 2.5 and 97.5 percentiles over parameter sets (or pairs)."""
    if not before.latency_us or not after.latency_us:
        return None, None
    old = after.base_samples_us or before.samples_us
    if not old or len(old) != len(after.samples_us):
        return before.latency_us / after.latency_us, None
    ratios = np.asarray(old) / np.asarray(after.samples_us)
    low, high = np.percentile(ratios, PERCENTILES)
    centre = float(np.median(ratios)) if after.base_samples_us else before.latency_us / after.latency_us
    return centre, (float(low), float(high))


def describe(case: dict[str, Any]) -> tuple[str, str]:
    """Shapes of the inputs and the dtypes of a case, as short texts."""
    shapes = ["x".join(map(str, shape)) or "scalar" for spec in case["inputs"] for shape in spec["shapes"]]
    unique = list(dict.fromkeys(shapes))
    text = ", ".join(unique[:4]) + (f", ... ({len(shapes)} tensors)" if len(unique) > 4 else "")
    dtypes = dict.fromkeys(spec["dtype"] for spec in (*case["inputs"], *case["outputs"]))
    return text, ", ".join(dtypes)


def _tolerances(header: Event) -> tuple[str, ...]:
    dtypes = dict.fromkeys(spec["dtype"] for case in header["cases"] for spec in case["outputs"])
    texts: list[str] = []
    for dtype in dtypes:
        allowed = tolerance(dtype)
        exact = allowed.mean == 0.0
        texts.append(f"{dtype} exact" if exact else f"{dtype} mean {allowed.mean:.2g}, maximum {allowed.maximum:.2g}")
    return tuple(texts)
