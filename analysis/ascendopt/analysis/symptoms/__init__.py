"""Bottlenecks of an operator, from its facts and a profile."""

from ascendopt.analysis.symptoms.detect import find_symptoms
from ascendopt.analysis.symptoms.model import PipeProfile, Symptom, SymptomKind
from ascendopt.analysis.symptoms.ranking import ranked

__all__ = ["PipeProfile", "Symptom", "SymptomKind", "find_symptoms", "ranked"]
