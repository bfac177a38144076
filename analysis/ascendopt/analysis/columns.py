"""Findings in kernels whose tiling key may select the element type.

A kernel is compiled for each dtype column of the OpDef, with every tiling key; the host then picks a key that goes with
the dtype. An arm for `half` is also compiled for the column of `float`, where it is never run. So what is wrong in some
columns of an arm alone need not be a fault: it has to be wrong in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Finding, Severity

Found = tuple[Instance, Finding]


def in_all_columns(found: Iterable[Found], instances: Iterable[Instance]) -> Iterator[Finding]:
    """The findings of one rule, but for errors that another dtype column of the same key does not have."""
    known = list(found)
    wrong = {(id(instance), finding.path, finding.span) for instance, finding in known}
    every = list(instances) if any(_may_be_unused(*one) for one in known) else []
    for instance, finding in known:
        others = (other for other in every if _is_other_column(instance, other))
        if not _may_be_unused(instance, finding) or not any(
            (id(other), finding.path, finding.span) not in wrong for other in others
        ):
            yield finding


def _may_be_unused(instance: Instance, finding: Finding) -> bool:
    has_key = instance.key is not None or bool(instance.picked)
    return finding.severity is Severity.ERROR and has_key and bool(instance.dtypes)


def _is_other_column(instance: Instance, other: Instance) -> bool:
    mine, others = ((one.entry, one.key, one.picked) for one in (instance, other))
    return mine == others and other.dtypes != instance.dtypes
