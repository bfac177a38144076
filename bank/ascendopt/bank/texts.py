"""The texts under which a motif is found."""

from __future__ import annotations

import re

from ascendopt.bank.motif import Motif
from ascendopt.bank.vocabulary import kind_text

_NAME = re.compile(r"[A-Za-z_]\w+")
_MOST_NAMES = 40


def searched_text(motif: Motif) -> str:
    """All that full-text search looks through."""
    return "\n".join(text for text, _ in embedded_parts(motif))


def embedded_parts(motif: Motif) -> list[tuple[str, float]]:
    """The parts with their weights: the symptom in words and the title count most, code only by its names."""
    labels = (motif.pipe, motif.rewrite.operator, *motif.tags, *motif.conditions.required_facts)
    return [
        (kind_text(motif.symptom), 2.0),
        (motif.title, 1.5),
        (motif.description, 1.0),
        (" ".join(labels), 0.5),
        (_names(motif.rewrite.before + "\n" + motif.rewrite.after), 0.25),
    ]


def _names(code: str) -> str:
    return " ".join(list(dict.fromkeys(_NAME.findall(code)))[:_MOST_NAMES])
