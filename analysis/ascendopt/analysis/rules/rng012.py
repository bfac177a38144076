"""A vector call repeats at most 255 times.

## What it says
A vector call in its mask-and-repeat form has a repeat count above 255.

## Why
The field is 8 bits wide: 320 becomes 64 and the rest is not computed.

## Example
```cpp
Add(z, x, y, 64, 320, {1, 1, 1, 8, 8, 8});  // 64 repeats are done
```

## Instead
Call it in chunks of at most 255 repeats, or use the form with an element count.

## Source
asc-devkit: SIMD computation, high-dimensional form, repeatTime; kernel_utils_constants.h.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.model import ApiCall, Argument
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

LIMIT = 255
# Position of repeatTime in the mask-and-repeat form, and the number of arguments of that form.
BINARY = (4, 6)
UNARY = (3, 5)
SCALAR = (4, 6)
REPEAT_FORMS = {
    **dict.fromkeys(
        (
            "Add",
            "Sub",
            "Mul",
            "Div",
            "Max",
            "Min",
            "And",
            "Or",
            "AddRelu",
            "SubRelu",
            "MulAddDst",
            "FusedMulAdd",
        ),
        BINARY,
    ),
    **dict.fromkeys(("Abs", "Relu", "Not", "Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal"), UNARY),
    **dict.fromkeys(("Adds", "Muls", "Maxs", "Mins", "ShiftLeft", "ShiftRight", "LeakyRelu", "Axpy"), SCALAR),
    "Cast": (4, 6),
    "Copy": (3, 5),
    "Duplicate": (3, 6),
    "BlockReduceSum": (2, 7),
    "WholeReduceSum": (3, 7),
    "RepeatReduceSum": (2, 8),
}


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            form = REPEAT_FORMS.get(call.name)
            if form is None or len(call.args) != form[1]:
                continue
            finding = _check_repeat(context, call, call.args[form[0]])
            if finding is not None:
                yield finding


def _check_repeat(context: Context, call: ApiCall, repeat: Argument) -> Finding | None:
    count = context.number(repeat.value)
    if count is None and repeat.value is not None:
        count = repeat.value.lower_bound()
    if count is None or count <= LIMIT:
        return None
    return RULE.finding(
        call.site,
        f"repeatTimes {count} of {call.name} is above the maximum {LIMIT} (uint8_t): it truncates to {count % 256}. "
        "Split into calls of at most 255 repeats or use the count form",
        facts={"repeat": count, "limit": LIMIT, "kept": count % 256, "api": call.name},
        case=context.case_of(repeat.value),
    )


RULE = Rule("ASC-RNG012", "repeat-range", Severity.ERROR, check)
