"""What a refinement turn is asked to work on: the bottlenecks of the base, with what experience knows of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascendopt.analysis.operators import NotAnOperator
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.llm.prompts import Advice
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.refine.diagnosis import diagnose, profile_of
from ascendopt.harness.refine.experience import Experience, Situation
from ascendopt.harness.structural.registry import structural_operators
from ascendopt.harness.structural.view import view_of

MOTIFS_PER_SYMPTOM = 2


class ExperienceAdviser:
    """The adviser of ``RefinePhase``: the diagnosis and the experience that refinement without a model has.

    The best motif of each bottleneck comes first, heaviest bottleneck first, then the second best of each. A bottleneck
    of which nothing is known is named all the same.
    """

    def __init__(
        self,
        sources: OperatorSources,
        soc: str,
        dtypes: tuple[str, ...],
        experience: Experience,
        motifs_per_symptom: int = MOTIFS_PER_SYMPTOM,
    ) -> None:
        self._sources = sources
        self._situation = Situation(soc, dtypes, sources.name)
        self._experience = experience
        self._most = motifs_per_symptom

    def __call__(self, texts: Mapping[str, str], evaluation: Evaluation | None) -> Sequence[Advice]:
        base = OperatorSources(self._sources.root, self._sources.target, texts)
        try:
            view = view_of(base, self._situation.soc)
        except NotAnOperator:
            return ()  # it passed the gates: the model is asked without advice
        profile = profile_of(evaluation, self._situation.soc) if evaluation else None
        symptoms, _ = diagnose(view, profile, structural_operators())
        ranked: list[tuple[int, Advice]] = []
        for symptom in symptoms:
            motifs = self._experience.motifs(symptom, self._situation)[: self._most]
            known = [Advice(symptom, motif) for motif in motifs] or [Advice(symptom)]
            ranked += enumerate(known)
        return [advice for _, advice in sorted(ranked, key=lambda entry: entry[0])]
