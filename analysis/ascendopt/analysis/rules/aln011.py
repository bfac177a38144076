"""Compare works on whole repeats of 256 bytes.

## What it says
``Compare`` or ``CompareScalar`` in its count form gets a count whose bytes are not a multiple of 256.

## Why
The instruction compares whole repeats. The bits for the elements behind the last full 256 bytes are not
written: ``Select`` then reads what was there before.

## Example
```cpp
Compare(mask, x, y, CMPMODE::GT, 100);  // float: 400 bytes, the last 36 elements get no result
```

## Instead
Round the count up to ``256 / sizeof(T)`` elements and give the buffers room for it.

## Source
asc-devkit: Compare, constraints, last item.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.declared import Argument
from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules import edits
from ascendopt.analysis.rules.rule import Context, Rule

REPEAT = 256
# name -> position of the count, and of the source whose type decides
COUNT_FORMS = {"Compare": (4, 1), "Compares": (4, 1), "CompareScalar": (4, 1)}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            form = COUNT_FORMS.get(call.name)
            if form is None or len(call.args) != form[0] + 1:
                continue
            finding = _check_call(context, call, call.args[form[0]], call.args[form[1]])
            if finding is not None:
                yield finding


def _check_call(context: Context, call: ApiCall, count: Argument, source: Argument) -> Finding | None:
    elements = context.number(count.value)
    each = source.tensor.element_bytes.constant() if source.tensor is not None else None
    if elements is None or not each or elements * each % REPEAT == 0:
        return None
    case = context.case_of(count.value)
    size = elements * each
    lost = size % REPEAT // each
    whole = (size + REPEAT - 1) // REPEAT * REPEAT // each
    edit = edits.argument(call, count, edits.rounded_up(count.text, REPEAT // each))
    title = "compare whole repeats (the buffers need that room)"
    fix = edits.fix(title, edit, safe=False, of_run=True) if case is None else None
    return RULE.finding(
        call.site,
        f"{call.name} of {elements} x {each} = {size} bytes needs a multiple of {REPEAT} bytes: the last {lost} "
        f"elements get no result. Use {whole} elements",
        facts={"bytes": size, "align": REPEAT, "lost_elements": lost, "rounded_elements": whole},
        related=context.host_side(count.value),
        fix=fix,
        case=case,
        # Operators that run a tail through Compare often pad their buffers: for one case it is a warning.
        severity=Severity.ERROR if case is None else Severity.WARNING,
    )


RULE = Rule("ASC-ALN011", "compare-count-alignment", Severity.ERROR, check)
