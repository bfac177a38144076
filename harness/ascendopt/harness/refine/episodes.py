"""Refinement alone, and refinement followed by the tiling search, as episodes: `ascendopt refine | optimize`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ascendopt.analysis.chips import load_chip
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeSettings, ProposerFactory
from ascendopt.harness.gates.static import StaticRules
from ascendopt.harness.llm.advice import ExperienceAdviser
from ascendopt.harness.llm.phases import RefinePhase, TilingPhase
from ascendopt.harness.llm.proposer import LlmProposer
from ascendopt.harness.llm.session import ModelSession
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
MODEL_TILING_SHARE = 0.2
"""Part of the budget in which a model, where there is one, proposes tilings before the search samples numbers."""


def refine_episode(
    target: Target,
    device: Device,
    folder: Path,
    budget: int,
    seed: int,
    experience: Experience,
    session: ModelSession | None = None,
) -> Episode:
    """An episode that rewrites the kernel (Stage I); with ``session`` a language model writes the rewrites."""
    propose = refiner(target, experience, session)
    return _episode(target, device, folder, budget, seed, REFINE, experience, session, propose)


def optimize_episode(
    target: Target,
    device: Device,
    folder: Path,
    budget: int,
    seed: int,
    experience: Experience,
    session: ModelSession | None = None,
) -> Episode:
    """An episode that refines the kernel (Stage I), then searches the tiling of the refined operator (Stage II)."""
    refine = refiner(target, experience, session)

    def stages(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
        one, two = rng.spawn(2)
        plan = [Stage("refine", lambda _files: refine(sources, one), max(1, round(budget * STAGE_ONE_SHARE)))]
        if session is not None:
            plan.append(_asked_stage(target, sources, session, max(1, round(budget * MODEL_TILING_SHARE))))
        plan.append(Stage("tiling", lambda files: _tiling(sources, files, two)))
        return StagedProposer(plan)

    return _episode(target, device, folder, budget, seed, OPTIMIZE, experience, session, stages)


def refiner(target: Target, experience: Experience, session: ModelSession | None = None) -> ProposerFactory:
    """A factory of refinement proposers for ``target``."""
    specs = [spec for case in target.workload.cases for spec in (*case.inputs, *case.outputs)]
    dtypes = tuple(sorted({spec.dtype for spec in specs}))

    def make(sources: OperatorSources, rng: np.random.Generator) -> Proposer:
        if session is not None:
            adviser = ExperienceAdviser(sources, target.soc, dtypes, experience)
            return LlmProposer(sources, load_chip(target.soc), RefinePhase(adviser), session)
        return RefineProposer(sources, target.soc, dtypes, structural_operators(), experience, rng)

    return make


def _asked_stage(target: Target, sources: OperatorSources, session: ModelSession, attempts: int) -> Stage:
    def ask(files: Mapping[str, str]) -> Proposer:
        return LlmProposer(sources, load_chip(target.soc), TilingPhase(), session, start_files=files)

    return Stage("tiling by model", ask, attempts)


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
    session: ModelSession | None,
    propose: ProposerFactory,
) -> Episode:
    who = "structural" if session is None else "llm"
    settings = EpisodeSettings(target.soc, budget, seed, f"{method} ({who}), experience {experience.identity}")
    return Episode(
        target.sources,
        target.workload,
        device,
        propose,
        settings,
        folder,
        reference=target.reference,
        static_gate=StaticRules(target.sources.target, target.soc),
        on_journal=session.open if session is not None else None,
    )
