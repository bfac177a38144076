"""A suppression silences something.

## What it says
A comment names a rule that finds nothing on its line, or one that does not exist.

## Why
The defect was repaired, or the line has moved away from its comment. What is left hides the next finding of that rule.

## Example
```cpp
DataCopy(x, xGm, 128);  // ascendopt: ignore[ASC-ALN008] the tail is padded
```

## Instead
Remove the code from the comment, or the comment. Where it is meant for another chip, check for that chip.

## Source
Our own convention: docs/check.md, suppressions.
"""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from ascendopt.analysis.findings import Finding, Severity, Span
from ascendopt.analysis.rules.rule import Rule, judged_with_comments


def finding(path: Path, span: Span, code: str, ran: Set[str]) -> Finding | None:
    """The finding about ``code`` at ``span`` in a comment; None for a rule that exists and did not look (``ran``)."""
    from ascendopt.analysis.rules.registry import codes

    if code not in codes():
        message = f"no rule is called {code}: this silences nothing. `ascendopt explain --all` lists the rules"
    elif code in ran:
        message = f"{code} finds nothing on this line: the comment silences nothing. Remove the code from it"
    else:
        return None
    return Finding(RULE.code, RULE.severity, path, span, message, {"rule": code})


RULE = Rule("ASC-SUP002", "suppression-of-nothing", Severity.INFO, judged_with_comments, by_instance=False)
