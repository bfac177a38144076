"""How many InitBuffer lengths of a checkout of cann-ops the analysis resolves: `buffers.py CANN_OPS [OPERATOR...]`.

A site is one `InitBuffer` in a source. It counts as resolved when its length is a closed form over tiling fields,
shapes and template arguments in every run of a kernel that reaches it; else the first thing that is not known says why.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ascendopt.analysis.facts import FactsCache, InitBufferEvent, analyse_operator
from ascendopt.analysis.operators import NotAnOperator, ParsedFiles, discover, find_operators
from ascendopt.analysis.values import Value

SOC = "Ascend910B2"
Site = tuple[str, int]
REASONS = (
    (re.compile(r"GetValue"), "read from memory by the scalar unit"),
    (re.compile(r"returned"), "a function with returns that are not joined"),
    (re.compile(r"\w\.\w"), "a member that is not assigned before"),
    (re.compile(r"\("), "a call or an expression that is not followed"),
)


def main(checkout: Path, chosen: list[str]) -> int:
    reasons: dict[Site, set[str]] = {}
    examples: dict[str, str] = {}
    operators = 0
    for root in roots(checkout, chosen):
        for event in events(root):
            at = (str(event.site.path), event.site.span.start)
            said = reasons.setdefault(at, set())
            if not event.length.is_known:
                why = reason(event.length)
                said.add(why)
                where = event.site.path.relative_to(checkout).as_posix()
                examples.setdefault(why, f"{where}: {event.length_text} = {event.length.text[:80]}")
        operators += 1
    resolved = sum(not said for said in reasons.values())
    share = 100 * resolved / len(reasons) if reasons else 0.0
    print(f"{operators} operators, {len(reasons)} InitBuffer sites, {resolved} resolved ({share:.1f} %)")
    for why, count in Counter(why for said in reasons.values() for why in sorted(said)[:1]).most_common():
        print(f"{count:6} {why}; {examples[why]}")
    return 0 if share >= 90 else 1


def roots(checkout: Path, chosen: list[str]) -> Iterator[Path]:
    """The operators to look at: all of them, or those named `category/operator`."""
    return (checkout / "src" / name for name in chosen) if chosen else find_operators(checkout / "src")


def events(root: Path) -> Iterator[InitBufferEvent]:
    """Every InitBuffer of every run of an operator's kernels."""
    try:
        operator = discover(root, parsed=PARSED)
    except NotAnOperator:
        return
    for instance in analyse_operator(operator, SOC, CACHE).kernel.instances:
        yield from instance.of(InitBufferEvent)


def reason(value: Value) -> str:
    """Why a length is not known, by the name of what is not."""
    name = next((atom.text for atom in value.atoms() if atom.text.startswith("?")), value.text)
    return next((text for pattern, text in REASONS if pattern.search(name)), "a variable that is not followed")


PARSED, CACHE = ParsedFiles(), FactsCache()

if __name__ == "__main__":
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "src").is_dir():
        sys.exit("usage: buffers.py CANN_OPS [category/operator ...], a checkout of cann-ops")
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
