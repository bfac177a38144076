"""Two records of one motif become one: nothing that was measured is lost, nothing is counted twice by an import."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from ascendopt.bank.codec import MAX_ENTRIES, MAX_EVIDENCE
from ascendopt.bank.motif import Conditions, Evidence, Motif, Status


class Counting(Enum):
    """What a measurement that the bank has already means: one more attempt, or the same one again (an import)."""

    AGAIN = "again"
    SAME = "same"


def merged(old: Motif, new: Motif, counting: Counting) -> Motif:
    """``old``, which the bank holds, with what ``new`` adds.

    Texts and provenance stay as they are. Chips and dtypes are united (none named: any). A fact is required only if
    both require it and forbidden if one forbids it. A status that was set (reviewed, quarantined) stays.
    """
    status, reason = old.status, old.quarantine_reason
    if status is Status.CANDIDATE:
        status, reason = new.status, new.quarantine_reason
    return replace(
        old,
        description=old.description or new.description,
        conditions=_conditions(old.conditions, new.conditions),
        rewrite=old.rewrite if old.rewrite.diff else replace(old.rewrite, diff=new.rewrite.diff),
        evidence=_evidence(old.evidence, new.evidence, counting),
        status=status,
        quarantine_reason=reason,
        tags=_united(old.tags, new.tags),
    )


def _conditions(old: Conditions, new: Conditions) -> Conditions:
    return Conditions(
        chips=_united(old.chips, new.chips) if old.chips and new.chips else (),
        dtypes=_united(old.dtypes, new.dtypes) if old.dtypes and new.dtypes else (),
        required_facts=tuple(fact for fact in old.required_facts if fact in new.required_facts),
        forbidden_facts=_united(old.forbidden_facts, new.forbidden_facts),
    )


def _united(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(old + new))[:MAX_ENTRIES]


def _evidence(old: tuple[Evidence, ...], new: tuple[Evidence, ...], counting: Counting) -> tuple[Evidence, ...]:
    """Equal measurements are one entry whose counts are added or, for an import, the larger. Beyond the limit of the
    schema the oldest entries go."""
    result = {replace(each, held=0, failed=0): each for each in old}
    for each in new:
        key = replace(each, held=0, failed=0)
        known = result.get(key)
        if known is None:
            result[key] = each
        elif counting is Counting.AGAIN:
            result[key] = replace(each, held=known.held + each.held, failed=known.failed + each.failed)
        else:
            result[key] = replace(each, held=max(known.held, each.held), failed=max(known.failed, each.failed))
    return tuple(result.values())[-MAX_EVIDENCE:]
