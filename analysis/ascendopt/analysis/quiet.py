"""Rules that had nothing to say about an instance, so that they need not be asked again while it stays the same.

An editor analyses a kernel at every keystroke, and most rules find nothing in most instances. Facts keep an instance
across edits as the same object (``facts.kept``); what a rule says of it depends on the instance, the chip, the active
case and what the host sets, and on nothing else (``Rule.by_instance``). Only silence is remembered: findings hold
positions, which an edit moves.
"""

from __future__ import annotations

from collections import deque
from weakref import WeakKeyDictionary

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.chips import Chip
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.rules.rule import Context

Ground = tuple[Chip, ActiveCase | None, object]
"""What besides the instance a finding can rest on."""


class QuietRules:
    """Keep one for a session, and use it in one thread at a time."""

    def __init__(self) -> None:
        # With and without an active case a session asks in turns: the last ground of each is kept.
        self._grounds: deque[Ground] = deque(maxlen=8)
        self._quiet: WeakKeyDictionary[Instance, dict[bool, tuple[Ground, set[str]]]] = WeakKeyDictionary()

    def ground(self, context: Context) -> Ground:
        """The chip, the case and the host's values of ``context``: the same object as long as they are equal."""
        tiling = context.facts.tiling if context.facts is not None else None
        said = None
        if tiling is not None:
            sets = [(entry.field, entry.value, entry.conditional) for entry in tiling.sets]
            said = (sets, [(call.name, call.value, call.conditional) for call in tiling.calls])
        ground = (context.chip, context.case, said)
        for known in self._grounds:
            if known == ground:
                return known
        self._grounds.append(ground)
        return ground

    def codes(self, instance: Instance, ground: Ground) -> set[str]:
        """The rules that found nothing in ``instance`` on the same ground. What is added to it is remembered."""
        by_kind = self._quiet.setdefault(instance, {})
        without_case = ground[1] is None
        known = by_kind.get(without_case)
        if known is None or known[0] is not ground:
            known = by_kind[without_case] = (ground, set[str]())
        return known[1]
