"""Symptoms that the facts show. Those that only a rewrite can tell come from the structural operators."""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import Chip
from ascendopt.analysis.facts.events import InitBufferEvent, QueueEvent
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.findings import Finding, Related
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.selection import Selection
from ascendopt.analysis.symptoms.model import Symptom, SymptomKind

_RULES = {
    "ASC-PRF001": (SymptomKind.SMALL_TILE, "mte2"),
    "ASC-PRF003": (SymptomKind.SMALL_BURST, "mte2"),
    "ASC-PRF009": (SymptomKind.SCALAR_LOOP, "scalar"),
    "ASC-SYN007": (SymptomKind.WIDE_BARRIER, "vector"),
}


def find_symptoms(facts: OperatorFacts, chip: Chip, case: ActiveCase | None = None) -> list[Symptom]:
    """One symptom for each kind that shows, with all its places. ``case`` makes sizes numbers."""
    found = check_facts(facts, chip, case, Selection.of(_RULES))
    symptoms = [_of_rule(code, [one for one in found if one.rule == code]) for code in _RULES]
    return [
        *(symptom for symptom in symptoms if symptom is not None),
        *_single_buffers(Context(facts.kernel, chip, facts, case)),
    ]


def _of_rule(code: str, findings: list[Finding]) -> Symptom | None:
    if not findings:
        return None
    kind, pipe = _RULES[code]
    places = tuple(Related(one.path, one.span, one.message) for one in findings)
    return Symptom(kind, pipe, findings[0].message, places, dict(findings[0].facts))


def _single_buffers(context: Context) -> Iterator[Symptom]:
    """Queues with one buffer that are used again and again: inside a loop."""
    names: dict[str, Related] = {}
    for instance in context.instances():
        looped = {event.queue for event in instance.of(QueueEvent) if event.op == "AllocTensor" and event.loops}
        for event in instance.of(InitBufferEvent):
            if event.queue is None or event.queue not in looped or context.number(event.num) != 1:
                continue
            text = f"queue {event.queue.name} has one buffer"
            names.setdefault(event.queue.name, Related(event.site.path, event.site.span, text))
    if names:
        text = (
            f"{', '.join(names)}: one buffer each, used in a loop: while MTE2 fills it the vector unit waits, "
            "and the other way round"
        )
        yield Symptom(
            SymptomKind.SINGLE_BUFFER, "mte2", text, tuple(names.values()), {"queues": len(names), "buffers": 1}
        )
