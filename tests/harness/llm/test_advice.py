"""Advice from the diagnosis of a real operator and from an experience of two motifs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.llm.test_prompts import MOTIF

from ascendopt.analysis.symptoms.model import Symptom, SymptomKind
from ascendopt.bank.motif import Motif
from ascendopt.harness.llm.advice import ExperienceAdviser
from ascendopt.harness.operator_copy import read_operator
from ascendopt.harness.refine.experience import Experience, NoExperience, Situation

SAMPLE = Path(__file__).parents[3] / "samples/scaled_add"
KERNEL = "op_kernel/scaled_add.cpp"


class Two(Experience):
    """Knows two rewrites for single buffers and nothing else."""

    @property
    def identity(self) -> str:
        return "two"

    def motifs(self, symptom: Symptom, situation: Situation) -> Sequence[Motif]:
        found = [MOTIF, replace(MOTIF, id="m2"), replace(MOTIF, id="m3")]
        return found if symptom.kind is SymptomKind.SINGLE_BUFFER else []


def adviser(experience: Experience) -> ExperienceAdviser:
    return ExperienceAdviser(read_operator(SAMPLE), "Ascend910B2", ("float16",), experience)


def test_each_bottleneck_comes_once_before_a_second_motif_of_one() -> None:
    texts = read_operator(SAMPLE).texts
    assert "BUFFER_NUM = 1;" in texts[KERNEL]
    advice = adviser(Two())(texts, None)
    single = [entry for entry in advice if entry.symptom.kind is SymptomKind.SINGLE_BUFFER]
    assert [entry.motif.id if entry.motif else None for entry in single] == ["m1", "m2"]
    assert advice[-1] is single[1]
    others = {entry.symptom.kind for entry in advice if entry.motif is None}
    assert SymptomKind.SINGLE_BUFFER not in others


def test_a_base_that_is_cured_has_the_bottleneck_no_more() -> None:
    texts = dict(read_operator(SAMPLE).texts)
    texts[KERNEL] = texts[KERNEL].replace("BUFFER_NUM = 1;", "BUFFER_NUM = 2;")
    kinds = [entry.symptom.kind for entry in adviser(NoExperience())(texts, None)]
    assert SymptomKind.SINGLE_BUFFER not in kinds
