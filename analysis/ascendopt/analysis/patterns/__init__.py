"""Patterns with metavariables over source text. Start at ``parse``, ``match`` and ``edits``."""

from ascendopt.analysis.patterns.matching import Binding, Match, match
from ascendopt.analysis.patterns.pattern import Form, Pattern, PatternError, parse
from ascendopt.analysis.patterns.rewriting import edits, instantiate
from ascendopt.analysis.patterns.tokens import TokenTable

__all__ = [
    "Binding",
    "Form",
    "Match",
    "Pattern",
    "PatternError",
    "TokenTable",
    "edits",
    "instantiate",
    "match",
    "parse",
]
