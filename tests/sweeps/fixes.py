"""Every fix that the analysis offers in a checkout, tried alone: `fixes.py CANN_OPS [OPERATOR .. | --each N]`.

A fix is applied to the texts in memory and the operator analysed anew: its finding must be gone; a safe one brings no
finding at all, an unsafe one no error. Without operators every Nth of the checkout is looked at (7: some forty).
Prints a line for each rule, and one for each fix that does not keep this; exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import FactsCache, analyse_operator
from ascendopt.analysis.facts.analyse import macros_of
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.fixing import apply_fixes, whole_statements
from ascendopt.analysis.operators import NotAnOperator, ParsedFiles, discover, find_operators
from ascendopt.analysis.source import SourceFile

SOC = "Ascend910B2"
Texts = dict[Path, bytes]


def main(checkout: Path, chosen: list[str], each: int) -> int:
    every = sorted(find_operators(checkout / "src"))
    roots = [checkout / "src" / name for name in chosen] or every[::each]
    found, offered, bad = Counter[str](), Counter[tuple[str, bool]](), 0
    for root in roots:
        known = findings(root, {})
        found.update(one.rule for one in known)
        for finding in known:
            if finding.fix is not None:
                offered[finding.rule, finding.fix.safe] += 1
                said = broken(root, finding, known)
                bad += bool(said)
                if said:
                    line = finding.path.read_bytes().count(b"\n", 0, finding.span.start) + 1
                    print(f"{finding.path.relative_to(checkout)}:{line}: {finding.rule} {finding.fix.title}: {said}")
    for rule, number in sorted(found.items(), key=lambda one: -one[1]):
        print(f"{rule:12} {number:5} findings, {offered[rule, True]:4} safe and {offered[rule, False]:4} unsafe fixes")
    total = sum(offered.values())
    print(f"{len(roots)} operators, {sum(found.values())} findings, {total} with a fix, {bad} of them do not hold")
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
    gone = counts(before) - counts(after)
    come = counts(after) - counts(before)
    worse = [rule for rule, severity in come if finding.fix.safe or severity is Severity.ERROR]
    if not gone[finding.rule, finding.severity]:
        return "the finding is still there"
    return f"brings {', '.join(sorted(worse))}" if worse else ""


def counts(found: list[Finding]) -> Counter[tuple[str, Severity]]:
    return Counter((finding.rule, finding.severity) for finding in found)


PARSED, CACHE = ParsedFiles(), FactsCache()

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("operators", nargs="*", help="category/operator")
    parser.add_argument("--each", type=int, default=7, help="every Nth operator of the checkout")
    options = parser.parse_args()
    if not (options.checkout / "src").is_dir():
        parser.error(f"{options.checkout} is no checkout of cann-ops: it has no src folder")
    sys.exit(main(options.checkout.resolve(), options.operators, options.each))
