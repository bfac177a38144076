"""TPipe lives outside the kernel class.

## What it says
A ``TPipe`` is a member of the kernel class. Said once for an operator, at the first of its classes.

## Why
The compiler then cannot fold the object's fields into constants, because the pipe's address escapes: the scalar
unit does the work at run time. The documentation measures 281 against 236 us of scalar time.

## Example
```cpp
class Kernel {
    TPipe pipe;
};
```

## Instead
Create it in the entry function and pass a pointer to ``Init``.

## Source
asc-devkit: avoid creating and initialising TPipe inside an object.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule, more_places


def check(context: Context) -> Iterator[Finding]:
    members = [pipe for pipe in context.kernel.pipes if pipe.where == "member"]
    if not members:
        return
    pipe, *others = members
    more = f" (and of {len(others)} more)" if others else ""
    yield RULE.finding(
        pipe.site,
        f"TPipe {pipe.name} is a member of {pipe.owner}{more}: the scalar unit works at run time on what could be "
        "constants (281 against 236 us of scalar time in the documentation). Create it in the entry function and pass "
        "a pointer",
        facts={"pipe": pipe.name, "class": pipe.owner, "classes": len(members)},
        related=more_places(other.site for other in others),
    )


RULE = Rule("ASC-QUE009", "tpipe-in-class", Severity.INFO, check, by_instance=False)
