"""The methods that `ascendopt bench` compares: same gates, same device, same budget, independent runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeSettings
from ascendopt.harness.gates.static import StaticRules
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.refine.episodes import optimize_episode, refine_episode
from ascendopt.harness.refine.experience import Experience, NoExperience
from ascendopt.harness.search.base import Proposer
from ascendopt.harness.search.best_of_n import ORIGIN as BEST_OF_N
from ascendopt.harness.search.best_of_n import BestOfN
from ascendopt.harness.target import Target
from ascendopt.harness.tiling import Search, tiling_episode


@dataclass(frozen=True)
class RunSpec:
    """One run: an operator on a device, its folder, its budget in attempts, its seed."""

    target: Target
    device: Device
    folder: Path
    budget: int
    seed: int


@dataclass(frozen=True)
class Method:
    """Makes the episode of a run. ``retrieves`` says that it uses the bank; others may be given any experience."""

    episode: Callable[[RunSpec, Experience], Episode]
    retrieves: bool = False


def methods() -> Mapping[str, Method]:
    """By the names of the command line, in the order of the report."""
    return {
        "full": Method(lambda run, experience: optimize_episode(*_arguments(run), experience), retrieves=True),
        "stage1": Method(lambda run, experience: refine_episode(*_arguments(run), experience), retrieves=True),
        "no-experience": Method(lambda run, _: refine_episode(*_arguments(run), NoExperience())),
        "stage2": Method(lambda run, _: tiling_episode(*_arguments(run))),
        "random": Method(lambda run, _: tiling_episode(*_arguments(run), Search.RANDOM)),
        "tpe": Method(lambda run, _: tiling_episode(*_arguments(run), Search.TPE)),
        "grid": Method(lambda run, _: tiling_episode(*_arguments(run), Search.GRID)),
        "best-of-n": Method(lambda run, _: best_of_n_episode(run)),
    }


DESCRIPTIONS = {
    "full": "Stage I with the bank, then Stage II",
    "stage1": "Stage I: refinement with the bank",
    "no-experience": "Stage I without the bank",
    "stage2": "Stage II: tiling search",
    "random": "random search on the genes of Stage II",
    "tpe": "Optuna's TPE on the genes of Stage II",
    "grid": "a grid on the genes of Stage II",
    "best-of-n": "independent random changes of both kinds",
}


def best_of_n_episode(run: RunSpec) -> Episode:
    """The baseline without feedback."""

    def propose(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
        return BestOfN(sources, run.target.soc, rng)

    return Episode(
        run.target.sources,
        run.target.workload,
        run.device,
        propose,
        EpisodeSettings(run.target.soc, run.budget, run.seed, BEST_OF_N),
        run.folder,
        reference=run.target.reference,
        static_gate=StaticRules(run.target.sources.target, run.target.soc),
    )


def _arguments(run: RunSpec) -> tuple[Target, Device, Path, int, int]:
    return run.target, run.device, run.folder, run.budget, run.seed
