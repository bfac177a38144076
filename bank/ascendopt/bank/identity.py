"""Which edit it is: equal edits for equal symptoms have equal ids, whatever their layout."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.diffs import diff_lines
from ascendopt.bank.motif import Motif, Rewrite

_DIGITS = 16
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(r"\$*\w+|[^\w\s]")


def motif_id(symptom: SymptomKind, rewrite: Rewrite) -> str:
    """``m`` and 16 hexadecimal digits: a digest of the symptom and of the normalised rewrite.

    Normalised: white space and comments do not count, nor the names of metavariables, nor the order of parameters.
    The diff counts only where the rewrite has neither an operator nor patterns: it holds names of one source, which
    are no part of the experience.
    """
    parts = [symptom.value, rewrite.operator]
    parts += [f"{name}={value}" for name, value in sorted(rewrite.parameters)]
    names: dict[str, str] = {}
    parts += [_normalised(rewrite.before, names), _normalised(rewrite.after, names)]
    if not (rewrite.operator or rewrite.before or rewrite.after):
        lines = diff_lines(rewrite.diff)
        parts += [_normalised("\n".join(lines.removed), names), _normalised("\n".join(lines.added), names)]
    return "m" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGITS]


def identified(motif: Motif) -> Motif:
    """The motif with the id that belongs to its symptom and rewrite."""
    return replace(motif, id=motif_id(motif.symptom, motif.rewrite))


def code_tokens(code: str) -> list[str]:
    """The words and signs of code or of a pattern; comments are left out."""
    return _TOKEN.findall(_COMMENT.sub(" ", code))


def _normalised(pattern: str, names: dict[str, str]) -> str:
    """Tokens with one blank between; metavariables (``$x``) are numbered in the order in which they appear."""

    def renamed(token: str) -> str:
        if not token.startswith("$") or len(token) == 1:
            return token
        dollars = len(token) - len(token.lstrip("$"))
        return "$" * dollars + names.setdefault(token, str(len(names)))

    return " ".join(renamed(token) for token in code_tokens(pattern))
