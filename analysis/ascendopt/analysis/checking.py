"""Run the rules: facts in, findings out, sorted, each once."""

from __future__ import annotations

from collections.abc import Iterable

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.agreement import agreed
from ascendopt.analysis.chips import Chip
from ascendopt.analysis.columns import in_all_columns
from ascendopt.analysis.facts.model import Instance, KernelModel
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.findings import Finding
from ascendopt.analysis.quiet import QuietRules, Silence
from ascendopt.analysis.rules import reg001
from ascendopt.analysis.rules.registry import rule
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.selection import Selection


def check_facts(
    facts: OperatorFacts,
    chip: Chip,
    case: ActiveCase | None = None,
    selection: Selection | None = None,
    quiet: QuietRules | None = None,
) -> list[Finding]:
    """Findings for one operator, host and kernel together. ``quiet`` remembers between analyses."""
    return _run(Context(facts.kernel, chip, facts, case), selection, quiet or QuietRules())


def check_kernel(
    kernel: KernelModel,
    chip: Chip,
    case: ActiveCase | None = None,
    selection: Selection | None = None,
    quiet: QuietRules | None = None,
) -> list[Finding]:
    """Findings for a lone kernel file. ``quiet`` remembers between analyses."""
    return _run(Context(kernel, chip, None, case), selection, quiet or QuietRules())


def _run(context: Context, selection: Selection | None, quiet: QuietRules) -> list[Finding]:
    rules = [rule(code) for code in sorted((selection or Selection.everything()).codes)]
    rules = [entry for entry in rules if not entry.families or context.chip.family in entry.families]
    asked = _asked(context, quiet, {entry.code for entry in rules if entry.by_instance})
    runs = list(context.instances())
    found: list[Finding] = []
    for entry in rules:
        if not entry.by_instance:
            found.extend(entry.check(context))
            continue
        by_instance: list[tuple[Instance, Finding]] = []
        for instance, part, silence in asked.get(entry.code, ()):
            part.asked.operator = False
            some = list(entry.check(part))
            by_instance.extend((instance, finding) for finding in some)
            if not some:
                silence.add(entry.code, asked_operator=part.asked.operator)
        if by_instance:
            found.extend(in_all_columns(agreed(by_instance, runs), runs))
    return _unique(_of_what_is_analysed(found, context.kernel))


def _asked(context: Context, quiet: QuietRules, codes: set[str]) -> dict[str, list[tuple[Instance, Context, Silence]]]:
    """By rule, the runs in which it may find something; each with what is known to find nothing in it."""
    ground = quiet.ground(context)
    asked: dict[str, list[tuple[Instance, Context, Silence]]] = {}
    for instance in context.instances():
        part, silence = context.narrowed(instance), quiet.silence(instance, ground)
        for code in codes - silence.codes():
            asked.setdefault(code, []).append((instance, part, silence))
    return asked


def _of_what_is_analysed(findings: Iterable[Finding], kernel: KernelModel) -> Iterable[Finding]:
    """Without what a rule says about register code, whose calls it does not see: that it is not analysed is all."""
    unknown = {site.path for site in kernel.register_code}
    return (finding for finding in findings if finding.path not in unknown or finding.rule == reg001.RULE.code)


def _unique(findings: Iterable[Finding]) -> list[Finding]:
    """One finding per rule and place: instances of one kernel often repeat it. The worst number wins."""
    kept: dict[tuple[str, str, int, int], Finding] = {}
    for finding in findings:
        key = (finding.rule, str(finding.path), finding.span.start, finding.span.end)
        known = kept.get(key)
        if known is None or _size(finding) > _size(known):
            kept[key] = finding
    return sorted(kept.values(), key=lambda one: (str(one.path), one.span, one.rule))


def _size(finding: Finding) -> float:
    value = finding.facts.get("over_bytes", finding.facts.get("bytes", 0))
    return float(value) if isinstance(value, int | float) else 0.0
