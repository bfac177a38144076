"""Symbolic integers with an interval and a congruence. See ``value`` for the form, ``algebra`` for
operations."""

from ascendopt.analysis.values.algebra import (
    align_down,
    align_up,
    bit_and,
    both,
    ceil_div,
    compare,
    conditional,
    divide,
    either,
    maximum,
    minimum,
    negate,
    remainder,
    truth,
)
from ascendopt.analysis.values.bounds import bounds, holds_when_false
from ascendopt.analysis.values.evaluate import Substitution, case_symbols, evaluate, substitute
from ascendopt.analysis.values.relations import equality
from ascendopt.analysis.values.value import Range, Value, fresh_symbol, number, symbol

__all__ = [
    "Range",
    "Substitution",
    "Value",
    "align_down",
    "align_up",
    "bit_and",
    "both",
    "bounds",
    "case_symbols",
    "ceil_div",
    "compare",
    "conditional",
    "divide",
    "either",
    "equality",
    "evaluate",
    "fresh_symbol",
    "holds_when_false",
    "maximum",
    "minimum",
    "negate",
    "number",
    "remainder",
    "substitute",
    "symbol",
    "truth",
]
