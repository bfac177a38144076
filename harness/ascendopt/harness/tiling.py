"""The tiling search as an episode: what `ascendopt tune` and the editor's command run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeSettings
from ascendopt.harness.gates.static import StaticRules
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.search.base import Proposer
from ascendopt.harness.search.tiling_search import ORIGIN, TilingSearch
from ascendopt.harness.search.tunables import find_tunables
from ascendopt.harness.target import Target, TargetError


def tiling_episode(
    target: Target,
    device: Device,
    folder: Path,
    budget: int,
    seed: int,
) -> Episode:
    """An episode that searches the tunables of ``target``; results go to ``folder``.

    Raises TargetError when the operator has no number to tune, TunableError for a marker that makes no sense.
    """
    if not find_tunables(target.sources.texts):
        raise TargetError(
            f"{target.sources.name} has no number that a tiling search could change; "
            "mark one with a comment: // ascendopt: tune[1,2,4]"
        )
    return Episode(
        target.sources,
        target.workload,
        device,
        _proposer,
        EpisodeSettings(target.soc, budget, seed, ORIGIN),
        folder,
        reference=target.reference,
        static_gate=StaticRules(target.sources.target, target.soc),
    )


def _proposer(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
    return TilingSearch(sources.texts, find_tunables(sources.texts), rng)
