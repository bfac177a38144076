"""The walk of an instance that looks up, before it enters a function, whether it was walked like that before."""

from __future__ import annotations

from dataclasses import dataclass

from ascendopt.analysis.facts.ir import Body
from ascendopt.analysis.facts.model import Site
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.runtime import ArrayRef, Frame, Object, RuntimeValue
from ascendopt.analysis.facts.sharing.inputs import InputReader, Inputs, NotShared, Numbers
from ascendopt.analysis.facts.sharing.reach import Reach
from ascendopt.analysis.facts.sharing.record import Record, Seen
from ascendopt.analysis.facts.sharing.recording import Recording
from ascendopt.analysis.facts.sharing.replay import Replay
from ascendopt.analysis.facts.sharing.state import SharingState
from ascendopt.analysis.facts.state import DEEPEST
from ascendopt.analysis.facts.unit import FunctionInfo
from ascendopt.analysis.facts.walker import MOST_NESTED, MOST_STEPS
from ascendopt.analysis.values import Value

_LONG_TEXT = 300
_FEW_STEPS = 8
"""To look up and copy costs as much as to walk so many statements."""
_TRIES = 16
_RARE = 8
"""Looking up pays when it finds something once in so many times."""
_MOST_RECORDS = 6
_CHECKED_FRAMES = 3
"""Calls down to this depth can build the kernel (``KernelWalk``)."""


@dataclass
class _Experience:
    """With one function: the statements of its longest walk, how often it was looked up, and how often found."""

    steps: int = 0
    tried: int = 0
    found: int = 0

    @property
    def is_good(self) -> bool:
        return self.steps >= _FEW_STEPS and self.tried <= _TRIES + _RARE * self.found


class SharedWalks:
    """The records of one program."""

    def __init__(self, program: Program) -> None:
        self.reach = Reach(program)
        self.numbers = Numbers()
        self._records: dict[tuple[object, ...], list[Record]] = {}
        self._experience: dict[int, _Experience] = {}

    def is_worth(self, function: FunctionInfo) -> bool:
        """False for functions that are walked faster than looked up, and for those that never find anything."""
        known = self._experience.get(id(function))
        return known.is_good if known is not None else len(function.content.data) > _LONG_TEXT

    def walked(self, function: FunctionInfo, steps: int) -> None:
        """``function`` was walked, in so many steps."""
        known = self._experience.setdefault(id(function), _Experience())
        known.steps = max(steps, known.steps)
        known.tried += 1

    def replayed(self, function: FunctionInfo) -> None:
        """A record of ``function`` was used."""
        known = self._experience.setdefault(id(function), _Experience(_FEW_STEPS))
        known.tried += 1
        known.found += 1

    def known(self, key: tuple[object, ...]) -> list[Record]:
        """Walks with these inputs."""
        return self._records.get(key, [])

    def add(self, key: tuple[object, ...], record: Record) -> None:
        """Keep a walk."""
        records = self._records.setdefault(key, [])
        if len(records) < _MOST_RECORDS:
            records.append(record)


class SharingWalk(SharingState):
    """Gives what ``KernelWalk`` gives."""

    def __init__(self, program: Program, frame: Frame, shared: SharedWalks) -> None:
        super().__init__(program, frame)
        self._shared = shared

    def inside_function(self, function: FunctionInfo, frame: Frame, body: Body, call_site: Site) -> RuntimeValue:
        self.seen.functions.add(id(function))
        self.seen.frames = max(self.seen.frames, len(self.frames) + 1)
        inputs = self._inputs(function, frame) if self._shared.is_worth(function) and not self.is_quiet else None
        if inputs is None:
            return self._walked(function, frame, body, call_site)
        for record in self._shared.known(inputs.key):
            if self._fits(record, inputs):
                try:
                    result = Replay(self, record, inputs, call_site).put(frame, function.qualified)
                    self._shared.replayed(function)
                    return result
                except NotShared:
                    record.is_broken = True
        recording = Recording(self, inputs)
        result = self._walked(function, frame, body, call_site)
        record = recording.end(frame, body, result)
        if record is not None and not self._reaches_out(record.seen, inputs, recording.objects):
            self._shared.add(inputs.key, record)
        return result

    def _walked(self, function: FunctionInfo, frame: Frame, body: Body, call_site: Site) -> RuntimeValue:
        before = self.steps
        result = self.inside(frame, body, call_site, function.qualified)
        self._shared.walked(function, self.steps - before)
        return result

    def _inputs(self, function: FunctionInfo, frame: Frame) -> Inputs | None:
        """What the walk of ``function`` can read; None where that is not followed."""
        roots = frozenset((function.name,))
        reach = self._shared.reach
        try:
            while True:
                names = reach.names(roots)
                found = self._read(function, frame, names)
                more = {word for word in found.words if names is not None and word not in names}
                more = {word for word in more if reach.means_something(word)}
                if not more:
                    return found
                roots |= more
        except NotShared:
            return None

    def _read(self, function: FunctionInfo, frame: Frame, names: frozenset[str] | None) -> Inputs:
        reader = InputReader(names, self._shared.numbers, self.hierarchy, {id(one) for one in self.objects})
        reader.say(id(function), bool(self.doubts), bool(self.path), *self.expanding)
        reader.say(min(len(self.frames), _CHECKED_FRAMES))
        reader.bindings(frame.bindings)
        reader.own(frame.self_object)
        for name, value in frame.locals.items():
            reader.say(name)
            reader.value(value)
        return reader.found

    def _fits(self, record: Record, inputs: Inputs) -> bool:
        """Whether what the key does not say holds as well."""
        if record.is_broken or any(self.dtypes.get(name, "") != dtype for name, dtype in record.dtypes.items()):
            return False
        if self.steps + record.used.steps > MOST_STEPS or self.nesting + record.nesting > MOST_NESTED:
            return False
        if len(self.frames) + record.frames >= DEEPEST:
            return False
        return not self._reaches_out(record.seen, inputs, self.objects)

    def _reaches_out(self, seen: Seen, inputs: Inputs, objects: list[Object]) -> bool:
        """Whether the walk depends on functions on the stack, or its loops change objects that are not its inputs."""
        if any(id(frame.function) in seen.functions for frame in self.frames if frame.function is not None):
            return True
        return any(
            isinstance(held, (Value, ArrayRef))
            for one in objects
            if id(one) not in inputs.places
            for held in (one.members[name] for name in seen.forgotten.intersection(one.members))
        )
