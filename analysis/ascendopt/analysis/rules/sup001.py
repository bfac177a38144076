"""A suppression says why.

## What it says
A comment silences a finding and gives no reason.

## Why
The next reader cannot tell a finding that was looked at from one that was in the way, and nobody knows when the comment
may go.

## Example
```cpp
DataCopy(x, xGm, 100);  // ascendopt: ignore[ASC-ALN008]
```

## Instead
Write the reason behind the bracket: ``// ascendopt: ignore[ASC-ALN008] the host pads rows to 32 bytes``.

## Source
Our own convention: docs/check.md, suppressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ascendopt.analysis.findings import Finding, Severity, Span
from ascendopt.analysis.rules.rule import Rule, judged_with_comments


def finding(path: Path, span: Span, codes: Sequence[str]) -> Finding:
    """The finding about the comment at ``span``, which silences ``codes``."""
    message = f"{', '.join(codes)} {'is' if len(codes) == 1 else 'are'} silenced without a reason. Say why after ']'"
    return Finding(RULE.code, RULE.severity, path, span, message, {"rules": ", ".join(codes)})


RULE = Rule("ASC-SUP001", "suppression-without-reason", Severity.INFO, judged_with_comments, by_instance=False)
