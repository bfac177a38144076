"""Refinement alone, and refinement followed by the tiling search, as episodes: `ascendopt refine | optimize`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeSettings, ProposerFactory
from ascendopt.harness.gates.static import StaticRules
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.refine.experience import Experience
from ascendopt.harness.refine.proposer import RefineProposer
from ascendopt.harness.search.base import Proposer
from ascendopt.harness.search.staged import Stage, StagedProposer
from ascendopt.harness.search.tiling_search import TilingSearch
from ascendopt.harness.search.tunables import find_tunables
from ascendopt.harness.structural.registry import structural_operators
from ascendopt.harness.target import Target

REFINE = "refine"
OPTIMIZE = "optimize"
STAGE_ONE_SHARE = 0.5
"""Part of the budget that Stage I may use; what it leaves goes to Stage II."""


def refine_episode(
    target: Target, device: Device, folder: Path, budget: int, seed: int, experience: Experience
) -> Episode:
    """An episode that rewrites the kernel (Stage I)."""
    return _episode(target, device, folder, budget, seed, REFINE, experience, refiner(target, experience))


def optimize_episode(
    target: Target, device: Device, folder: Path, budget: int, seed: int, experience: Experience
) -> Episode:
    """An episode that refines the kernel (Stage I), then searches the tiling of the refined operator (Stage II)."""
    refine = refiner(target, experience)

    def stages(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
        one, two = rng.spawn(2)
        attempts = max(1, round(budget * STAGE_ONE_SHARE))
        return StagedProposer(
            [
                Stage("refine", lambda _files: refine(sources, one), attempts),
                Stage("tiling", lambda files: _tiling(sources, files, two)),
            ]
        )

    return _episode(target, device, folder, budget, seed, OPTIMIZE, experience, stages)


def refiner(target: Target, experience: Experience) -> ProposerFactory:
    """A factory of refinement proposers for ``target``."""
    specs = [spec for case in target.workload.cases for spec in (*case.inputs, *case.outputs)]
    dtypes = tuple(sorted({spec.dtype for spec in specs}))

    def make(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
        return RefineProposer(sources, target.soc, dtypes, structural_operators(), experience, rng)

    return make


def _tiling(sources: OperatorSources, files: Mapping[str, str], rng: np.random.Generator) -> Proposer | None:
    texts = {**sources.texts, **files}
    tunables = find_tunables(texts)
    return TilingSearch(texts, tunables, rng) if tunables else None


def _episode(
    target: Target,
    device: Device,
    folder: Path,
    budget: int,
    seed: int,
    method: str,
    experience: Experience,
    propose: ProposerFactory,
) -> Episode:
    settings = EpisodeSettings(target.soc, budget, seed, f"{method}, experience {experience.identity}")
    return Episode(
        target.sources,
        target.workload,
        device,
        propose,
        settings,
        folder,
        reference=target.reference,
        static_gate=StaticRules(target.sources.target, target.soc),
    )
