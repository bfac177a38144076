"""Rules that had nothing to say about an instance, so that they need not be asked again while it stays the same.

An editor analyses a kernel at every keystroke, and most rules find nothing in most instances. Facts keep an instance
across edits as the same object (``facts.kept``); what a rule says of it depends on the instance, the chip, the active
case and what the host sets, and on nothing else (``Rule.by_instance``). A rule that did not ask what the host sets
(``Context.asked``) stays silent whatever becomes of the host. Only silence is remembered: findings hold positions,
which an edit moves.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.chips import Chip
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.rules.rule import Context


class Ground(NamedTuple):
    """What besides the instance a finding can rest on."""

    chip: Chip
    case: ActiveCase | None
    host: object


class Silence:
    """The rules that found nothing in an instance: on this ground, and on any with the same chip and case."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._here: set[str] = set()
        self._always: set[str] = set()

    def on(self, ground: Ground) -> Silence:
        """What still holds on another ground."""
        if ground is not self._ground:
            self._here.clear()
            if (ground.chip, ground.case) != (self._ground.chip, self._ground.case):
                self._always.clear()
            self._ground = ground
        return self

    def codes(self) -> set[str]:
        """The rules that need not be asked."""
        return self._here | self._always

    def add(self, code: str, *, asked_operator: bool) -> None:
        """Rule ``code`` found nothing."""
        (self._here if asked_operator else self._always).add(code)


class QuietRules:
    """Keep one for a session, and use it in one thread at a time."""

    def __init__(self) -> None:
        # With and without an active case a session asks in turns: the last ground of each is kept.
        self._grounds: deque[Ground] = deque(maxlen=8)
        self._quiet: WeakKeyDictionary[Instance, dict[bool, Silence]] = WeakKeyDictionary()

    def ground(self, context: Context) -> Ground:
        """The chip, the case and the host's values of ``context``: the same object as long as they are equal."""
        tiling = context.operator.tiling if context.operator is not None else None
        said = None
        if tiling is not None:
            sets = [(entry.field, entry.value, entry.conditional) for entry in tiling.sets]
            said = (sets, [(call.name, call.value, call.conditional) for call in tiling.calls])
        ground = Ground(context.chip, context.case, said)
        for known in self._grounds:
            if known == ground:
                return known
        self._grounds.append(ground)
        return ground

    def silence(self, instance: Instance, ground: Ground) -> Silence:
        """What is known of ``instance``, and what is added to it."""
        by_kind = self._quiet.setdefault(instance, {})
        known = by_kind.get(ground.case is None)
        if known is None:
            known = by_kind[ground.case is None] = Silence(ground)
        return known.on(ground)
