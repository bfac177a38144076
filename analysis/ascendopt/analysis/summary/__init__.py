"""One operator in numbers and places: what `ascendopt facts` prints, and what hover and lens read.

Start at ``summarise``; the data is in ``summary.model``, the JSON is described in docs/facts.md.
"""

from ascendopt.analysis.summary.model import (
    Buffer,
    CaseNumbers,
    Copy,
    Field,
    Launch,
    Quantity,
    Queue,
    Run,
    Summary,
)
from ascendopt.analysis.summary.summarise import summarise

__all__ = [
    "Buffer",
    "CaseNumbers",
    "Copy",
    "Field",
    "Launch",
    "Quantity",
    "Queue",
    "Run",
    "Summary",
    "summarise",
]
