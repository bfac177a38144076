"""Runs the toy operator's tiling search on the fake device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from harness.fake_device import toy_workload

from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeSettings
from ascendopt.harness.operator_copy import OperatorSources, read_operator
from ascendopt.harness.search.base import Proposer
from ascendopt.harness.search.tiling_search import TilingSearch
from ascendopt.harness.search.tunables import find_tunables


def tiling_proposer(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
    return TilingSearch(sources.texts, find_tunables(sources.texts), rng)


def toy_episode(operator: Path, device: Device, out: Path, budget: int = 20, seed: int = 1, **options: Any) -> Episode:
    settings = EpisodeSettings("Ascend910B2", budget, seed)
    workload = options.pop("workload", toy_workload())
    return Episode(read_operator(operator), workload, device, tiling_proposer, settings, out, **options)
