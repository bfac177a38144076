"""``hoist``: see ``Hoist``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.facts import (
    ApiCall,
    BufferGetEvent,
    CopyEvent,
    Event,
    QueueEvent,
    ScalarAccess,
)
from ascendopt.analysis.findings import Span
from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import IDENTIFIER, Code

_STEPS = ("++$i", "$i++", "$i += $step")


@dataclass(frozen=True)
class HoistForm:
    """The same loop with the work inside and before it. ``load`` names the tensor variable that it fills, if any."""

    what: str
    slow: str
    fast: str
    loads: bool = False


def hoist_forms() -> Iterator[HoistForm]:
    """A fill, a load of a tensor, a call of an own function; for each way to write the loop."""
    for step in _STEPS:
        head = f"for ($type $i = $low; $i < $high; {step}) {{\n"
        for template in ("", "template "):
            load = f"$load($$operands);\nLocalTensor<$T> $t = $q.{template}DeQue<$T>();"
            inner = load.replace("\n", "\n    ")
            yield HoistForm(
                "load before the loop",
                f"{head}    {inner}\n    $$body\n    $q.FreeTensor($t);\n}}",
                f"{load}\n{head}    $$body\n}}\n$q.FreeTensor($t);",
                loads=True,
            )
        for name, call in (("fill", "Duplicate($t, $$operands);"), ("call", "$call($$operands);")):
            yield HoistForm(
                f"{name} before the loop", f"{head}    {call}\n    $$body\n}}", f"{call}\n{head}    $$body\n}}"
            )


class Hoist(StructuralOperator):
    """Work that gives the same result in each iteration is done once.

    What it does
        A fill, a call of one of the kernel's own functions, or the load of a tensor with its DeQue and FreeTensor, that
        stands first in a loop and depends on nothing of it, moves before the loop.

    Before
        ``for (uint32_t row = 0; row < rows; ++row) { LoadGamma(); Compute(row); }``

    After
        ``LoadGamma(); for (uint32_t row = 0; row < rows; ++row) { Compute(row); }``

    When
        Its arguments do not change in the loop; it allocates and frees the same tensors of its queues, stores nothing
        to global memory, and no other statement of the loop writes the buffers that it writes.

    Why it is faster
        A copy, a cast or a fill once instead of once for each tile.
    """

    name = "hoist"
    symptom = SymptomKind.LOOP_INVARIANT
    pipe = "mte2"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Out of the loop."""
        yield from self._changes(view, out=True)

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """Into the loop."""
        yield from self._changes(view, out=False)

    def _changes(self, view: OperatorView, *, out: bool) -> Iterator[Change]:
        own = {function.short_name for function in view.facts.kernel.functions}
        for code in view.kernel_codes():
            taken: set[Span] = set()
            for form in hoist_forms():
                pattern, to = (form.slow, form.fast) if out else (form.fast, form.slow)
                for match in code.find(pattern):
                    name = match.bindings.get("load") or match.bindings.get("call")
                    known = name is None or name.text in own
                    if match.span in taken or not known or not self._is_invariant(view, code, match, form):
                        continue
                    taken.add(match.span)
                    yield Change(
                        self.name,
                        form.what,
                        edits(match, parse(to)),
                        code.edit(match.span, ""),
                        form.slow,
                        form.fast,
                        {},
                        ("loop", "invariant-operands"),
                    )

    def _is_invariant(self, view: OperatorView, code: Code, match: Match, form: HoistForm) -> bool:
        body = match.bindings["body"].span
        operands = match.text("operands")
        variable = match.text("i")
        if variable in code.names_in(operands) or not code.is_stable(operands, body) or body.start == body.end:
            return False
        fixed = [match.text(name) for name in ("t",) if name in match.bindings]
        if any(not text.isidentifier() or code.writes(text, body) for text in fixed):
            return False
        head = match.bindings.get("load") or match.bindings.get("call")
        if head is None:
            # The operands are the number and its count; the tensor must not be written by anything else.
            return not _writes_tensor(code, match.text("t"), body)
        call = Span(head.span.start, match.bindings["operands"].span.end + 1)
        return _is_repeatable(view, code, call, body, form, match)


def _writes_tensor(code: Code, name: str, body: Span) -> bool:
    """True when a call in ``body`` has the tensor as its first argument."""
    tokens = code.table.tokens
    for use in code.mentions(name, body):
        index = code.table.first_from(use.start)
        if index and tokens[index - 1].text == "(" and tokens[index + 1].text in (",", "[", "."):
            return True
    return False


def _is_repeatable(view: OperatorView, code: Code, call: Span, body: Span, form: HoistForm, match: Match) -> bool:
    """Whether the call may run once or many times: by the events that it and the rest of the loop lead to."""
    seen = False
    for instance in view.facts.kernel.instances:
        own = [event for event in instance.events() if _leads(event, code, call)]
        if not own:
            continue
        seen = True
        rest = [event for event in instance.events() if _leads(event, code, body)]
        if not instance.complete or not rest or not _is_pure(own, form.loads):
            return False
        queues = {event.queue.name for event in own if isinstance(event, QueueEvent) and event.queue is not None}
        if form.loads:
            queues.add(IDENTIFIER.findall(match.text("q"))[-1])
        if any(isinstance(event, QueueEvent) and event.queue and event.queue.name in queues for event in rest):
            return False
        if _written(own) & _written(rest) or (form.loads and _written(rest) & queues):
            return False
    return seen


def _leads(event: Event, code: Code, span: Span) -> bool:
    """True when the event is in ``span`` of the file, or comes from a call in it."""
    return any(
        site.path == code.source.path and span.start <= site.span.start < span.end
        for site in (event.site, *event.calls)
    )


def _is_pure(events: list[Event], loads: bool) -> bool:
    """Loads and vector work only; each tensor allocated is freed, or stays in its queue for a load.

    A call that is reached on several ways gives its events for each of them.
    """
    operations: list[str] = []
    for event in events:
        if isinstance(event, QueueEvent):
            operations.append(event.op)
        elif isinstance(event, CopyEvent):
            if event.direction not in ("in", "local"):
                return False
        elif isinstance(event, ScalarAccess):
            if event.name == "SetValue":
                return False
        elif not isinstance(event, (ApiCall, BufferGetEvent)):
            return False
    allocated, last = operations.count("AllocTensor"), "EnQue" if loads else "FreeTensor"
    return allocated == operations.count(last) and not (loads and {"DeQue", "FreeTensor"} & set(operations))


def _written(events: list[Event]) -> set[str]:
    """Names of the queues and buffers whose tensors are written."""
    names: set[str] = set()
    for event in events:
        if isinstance(event, ScalarAccess):
            tensor = event.receiver if event.name == "SetValue" else None
        elif isinstance(event, ApiCall):
            tensor = event.args[0].tensor if event.args else None
        else:
            continue
        if tensor is not None and tensor.queue is not None:
            names.add(tensor.queue.name)
    return names
