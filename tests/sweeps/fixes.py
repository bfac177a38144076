"""Every fix that the analysis offers in a checkout, tried: `fixes.py CANN_OPS [category/operator ..]`, else each 6th.

A fix is applied to the texts in memory, alone, and the operator analysed anew: its finding must be gone; a safe one
brings no finding at all, an unsafe one no error. All safe fixes of an operator together come to an end and bring none.
Prints a line for each rule, and one for each fix that does not keep this; exit code 1 if there is any.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import FactsCache, analyse_operator, macros_of
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.fixing import apply_fixes, chosen_fixes, whole_statements
from ascendopt.analysis.operators import NotAnOperator, ParsedFiles, discover, find_operators
from ascendopt.analysis.source import SourceFile

SOC = "Ascend910B2"
EACH, MOST_ROUNDS = 6, 5
Texts = dict[Path, bytes]


def main(checkout: Path, chosen: list[str]) -> int:
    roots = [checkout / "src" / name for name in chosen] or sorted(find_operators(checkout / "src"))[::EACH]
    found, offered, bad = Counter[str](), Counter[tuple[str, bool]](), 0
    for root in roots:
        known = findings(root, {})
        found.update(one.rule for one in known)
        offered.update((one.rule, one.fix.safe) for one in known if one.fix is not None)
        trials = [(one, broken(root, one, known)) for one in known if one.fix is not None]
        lines = [
            f"{one.path}:{one.span.start}: {one.rule} {one.fix and one.fix.title}: {said}"
            for one, said in trials
            if said
        ]
        together = unsettled(root, known)
        lines += [f"{root}: all safe fixes together: {together}"] if together else []
        bad += len(lines)
        print("".join(f"{line}\n" for line in lines), end="", flush=True)
    for rule, number in sorted(found.items(), key=lambda one: -one[1]):
        print(f"{rule:12} {number:5} findings, {offered[rule, True]:4} safe and {offered[rule, False]:4} unsafe fixes")
    total = sum(offered.values())
    print(f"{len(roots)} operators, {sum(found.values())} findings, {total} with a fix; {bad} do not hold")
    return 1 if bad else 0


def findings(root: Path, texts: Texts) -> list[Finding]:
    """What is said of the operator with ``texts`` in place of those on disk."""
    try:
        operator = discover(root, {path: data.decode("utf-8", "replace") for path, data in texts.items()}, PARSED)
    except NotAnOperator:
        return []
    overlays = {path: SourceFile.of(path, data, macros_of(SOC)) for path, data in texts.items()}
    found = check_facts(analyse_operator(operator, SOC, CACHE, overlays), load_chip(SOC))
    on_disk = {path: path.read_bytes() for path in (*operator.kernel_files, *operator.host_files)}
    return whole_statements(found, on_disk | texts)


def broken(root: Path, finding: Finding, before: list[Finding]) -> str:
    """What the fix of ``finding`` does not keep; empty where all is well."""
    assert finding.fix is not None
    edited = {edit.path: edit.path.read_bytes() for edit in finding.fix.edits}
    after = findings(root, apply_fixes([finding.fix], edited))
    come = counts(after) - counts(before)
    worse = sorted(rule for rule, severity in come if finding.fix.safe or severity is Severity.ERROR)
    gone = (counts(before) - counts(after))[finding.rule, finding.severity]
    return f"brings {', '.join(worse)}" if worse else "" if gone else "the finding is still there"


def unsettled(root: Path, before: list[Finding]) -> str:
    """What does not hold when the safe fixes are applied until there are none; empty where all is well."""
    texts, left = Texts(), before
    for _ in range(MOST_ROUNDS):
        fixes = chosen_fixes(left)
        if not fixes:
            return ""
        on_disk = {edit.path: edit.path.read_bytes() for fix in fixes for edit in fix.edits}
        texts |= apply_fixes(fixes, on_disk | texts)
        left = findings(root, texts)
        come = counts(left) - counts(before)
        if come:
            return f"brings {', '.join(sorted(rule for rule, _ in come))}"
    return f"no end after {MOST_ROUNDS} rounds"


def counts(found: list[Finding]) -> Counter[tuple[str, Severity]]:
    return Counter((finding.rule, finding.severity) for finding in found)


PARSED, CACHE = ParsedFiles(), FactsCache()

if __name__ == "__main__":
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "src").is_dir():
        sys.exit("usage: fixes.py CANN_OPS [category/operator ...], a checkout of cann-ops")
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
