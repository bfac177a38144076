"""From facts to the summary of an operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.chips import Chip
from ascendopt.analysis.facts.declared import QueueFact
from ascendopt.analysis.facts.events import InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.rules.ub_budget import LOCAL_OUTSIDE_UB, budget
from ascendopt.analysis.summary.copies import copies
from ascendopt.analysis.summary.fields import fields
from ascendopt.analysis.summary.model import Buffer, CaseNumbers, Launch, Quantity, Queue, Run, Summary
from ascendopt.analysis.summary.quantities import Quantities
from ascendopt.analysis.summary.ub_use import ub_use
from ascendopt.analysis.symptoms import find_symptoms
from ascendopt.analysis.values import number


def summarise(facts: OperatorFacts, chip: Chip, cases: Sequence[ActiveCase] = ()) -> Summary:
    """Everything about one operator; ``cases`` make sizes numbers."""
    symbolic = Context(facts.kernel, chip, facts)
    contexts = [Context(facts.kernel, chip, facts, case) for case in cases]
    quantities = Quantities(facts, contexts)
    calls = facts.tiling.calls if facts.tiling is not None else ()
    return Summary(
        facts=facts,
        chip=chip,
        queues=tuple(_queues(facts)),
        runs=tuple(_run(instance, symbolic, contexts, facts) for instance in facts.kernel.instances),
        fields=tuple(fields(facts, quantities, cases)),
        launches=tuple(
            Launch(call.name, call.site, call.value_text, quantities.maybe(call.value), call.conditional)
            for call in calls
        ),
        keys=tuple(sorted({instance.key for instance in facts.kernel.instances if instance.key is not None})),
        symptoms=tuple(find_symptoms(facts, chip)),
        cases=tuple(CaseNumbers(case, tuple(find_symptoms(facts, chip, case))) for case in cases),
    )


def _queues(facts: OperatorFacts) -> Iterator[Queue]:
    """Those declared in classes, then those that only a run met: locals and globals."""
    found: dict[tuple[object, int], QueueFact] = {}
    met = (event.queue for instance in facts.kernel.instances for event in instance.of(InitBufferEvent))
    for fact in (*facts.kernel.queues, *(queue for queue in met if queue is not None)):
        found.setdefault((fact.site.path, fact.site.span.start), fact)
    for fact in found.values():
        depth = fact.depth.constant() if fact.depth is not None else None
        yield Queue(fact.name, fact.kind, fact.positions, depth, fact.count, fact.owner, fact.site)


def _run(instance: Instance, symbolic: Context, contexts: Iterable[Context], facts: OperatorFacts) -> Run:
    """One run; only the cases that lead to it count."""
    able = [context for context in contexts if any(one is instance for one in context.instances())]
    quantities = Quantities(facts, able)
    uses = ((context.case, ub_use(context, instance)) for context in able)
    return Run(
        instance=instance,
        ub=ub_use(symbolic, instance),
        ub_bytes=_whole(symbolic, instance, quantities),
        buffers=tuple(_buffer(event, quantities) for event in instance.of(InitBufferEvent)),
        copies=tuple(copies(instance, quantities)),
        ub_by_case={case.name: use for case, use in uses if case is not None and use is not None},
    )


def _whole(context: Context, instance: Instance, quantities: Quantities) -> Quantity | None:
    """What the buffers of the most demanding path take together."""
    chosen = budget(context, instance).buffers
    total = number(0)
    for event in chosen:
        total = total + event.total
    return quantities.of(total) if chosen else None


def _buffer(event: InitBufferEvent, quantities: Quantities) -> Buffer:
    queue = event.queue
    positions = queue.positions if queue is not None else ()
    return Buffer(
        queue=queue.name if queue is not None else event.queue_text,
        kind=queue.kind if queue is not None else "?",
        positions=positions,
        in_ub=not LOCAL_OUTSIDE_UB & set(positions),
        num=quantities.of(event.num),
        length=quantities.of(event.length),
        bytes=quantities.of(event.total),
        site=event.site,
    )
