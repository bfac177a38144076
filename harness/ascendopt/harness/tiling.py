"""The tiling search as an episode: what `ascendopt tune` and the editor's command run."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

import numpy as np

from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeSettings
from ascendopt.harness.gates.static import StaticRules
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.search.base import Proposer
from ascendopt.harness.search.grid_search import GridSearch
from ascendopt.harness.search.optuna_search import OptunaSearch, random_sampler, tpe_sampler
from ascendopt.harness.search.space import TilingSpace
from ascendopt.harness.search.tiling_search import ORIGIN, TilingSearch
from ascendopt.harness.search.tunables import find_tunables
from ascendopt.harness.target import Target, TargetError


class Search(Enum):
    """How the values are chosen; the value is the origin that journals name."""

    TILING = ORIGIN
    RANDOM = "random-search"
    TPE = "optuna-tpe"
    GRID = "grid-search"


def tiling_episode(
    target: Target,
    device: Device,
    folder: Path,
    budget: int,
    seed: int,
    search: Search = Search.TILING,
) -> Episode:
    """An episode that searches the tunables of ``target`` by ``search``; results go to ``folder``.

    Raises TargetError when the operator has no number to tune, TunableError for a marker that makes no sense.
    """
    if not find_tunables(target.sources.texts):
        raise TargetError(
            f"{target.sources.name} has no number that a tiling search could change; "
            "mark one with a comment: // ascendopt: tune[1,2,4]"
        )

    def propose(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
        tunables = find_tunables(sources.texts)
        if search is Search.TILING:
            return TilingSearch(sources.texts, tunables, rng)
        space = TilingSpace(sources.texts, tunables)
        if search is Search.GRID:
            return GridSearch(space, search.value, budget, rng)
        sampler = random_sampler if search is Search.RANDOM else tpe_sampler
        return OptunaSearch(space, search.value, sampler, rng)

    return Episode(
        target.sources,
        target.workload,
        device,
        propose,
        EpisodeSettings(target.soc, budget, seed, search.value),
        folder,
        reference=target.reference,
        static_gate=StaticRules(target.sources.target, target.soc),
    )
