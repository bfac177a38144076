"""A tensor is not used after it went back to its queue.

## What it says
A vector call or copy uses a tensor after ``FreeTensor`` gave it back: an error where the queue hands the buffer on
while the call may still run, a warning where nobody takes it again. It is silent where other flags order the two.

## Why
The buffer is handed to the next copy while it is still being read: two pipes race for it.

## Example
```cpp
xQueue.FreeTensor(x);
Muls(y, x, a, n);
```

## Instead
Free it after its last use; after ``EnQue`` take it out with ``DeQue``.

## Source
asc-devkit: TQue, description.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall, QueueEvent
from ascendopt.analysis.facts.handover import Handover, handover
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Fix, Related, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.repair import after, last_use, name_in, removed
from ascendopt.analysis.rules.rule import Context, Rule


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        gone: dict[int, QueueEvent] = {}
        for event in instance.events():
            # The name from before EnQue is often kept while the data is another round's: only what is freed is certain.
            if isinstance(event, QueueEvent) and event.op == "FreeTensor" and event.handle is not None:
                if event.queue is not None and not event.queue.is_buffer:
                    gone.setdefault(event.handle, event)
            elif isinstance(event, ApiCall):
                yield from _uses(instance, event, gone)


def _uses(instance: Instance, call: ApiCall, gone: dict[int, QueueEvent]) -> Iterator[Finding]:
    for argument in call.args:
        handle = argument.tensor.handle if argument.tensor is not None else None
        given = gone.get(handle) if handle is not None else None
        if given is None or given.path != call.path[: len(given.path)] or given.queue is None:
            continue
        state = handover(instance, call, given.queue)
        if state is Handover.ORDERED:
            continue
        name = given.queue.name
        yield RULE.finding(
            call.site,
            f"{argument.text} is used after FreeTensor gave it back to {name}: "
            + (
                f"the next AllocTensor of {name} may hand it out while {call.name} is at it, and nothing waits. Free "
                "it after its last use"
                if state is Handover.UNORDERED
                else f"it is {name}'s again, and the next AllocTensor that somebody adds takes it away. Free it after "
                "its last use"
            ),
            facts={"queue": name, "tensor": argument.text, "op": given.op},
            related=(Related(given.site.path, given.site.span, "given back here"),),
            fix=_fix(instance, given),
            severity=Severity.WARNING if state is Handover.NEVER else None,
        )
        return


def _fix(instance: Instance, given: QueueEvent) -> Fix | None:
    """FreeTensor behind the last use instead; safe where nobody takes a tensor of the queue in between, who would then
    have to wait."""
    last = last_use(instance, given.handle, given)
    name = name_in(last, given.handle) if last is not None else None
    events = [event for event in instance.of(QueueEvent) if event.order > given.order and event is not given]
    if last is None or name is None or any(event.handle == given.handle for event in events):
        return None
    waits = any(
        event.op == "AllocTensor" and event.queue == given.queue and event.order < last.order for event in events
    )
    if _is_a_part(last, given) and given.tensor_name.isidentifier():
        name = given.tensor_name
    text = f"{given.queue_text}.FreeTensor({name})"
    return edits.fix(
        "free it after its last use", removed(given.site), after(last.site, text), safe=not waits, of_run=True
    )


def _is_a_part(call: ApiCall, given: QueueEvent) -> bool:
    """True when ``call`` has nothing but a view into the tensor, which is not what goes back."""
    tensors = [a.tensor for a in call.args if a.tensor is not None and a.tensor.handle == given.handle]
    return all(tensor.offset is None or tensor.offset.constant() != 0 for tensor in tensors)


RULE = Rule("ASC-QUE003", "use-after-free", Severity.ERROR, check)
