"""A recorded walk, put where the same walk would begin."""

from __future__ import annotations

from ascendopt.analysis.facts.model import CallNode, LoopStep, Site
from ascendopt.analysis.facts.runtime import ArrayRef, Frame, Object, RuntimeValue, Struct
from ascendopt.analysis.facts.sharing.copies import NodeCopies
from ascendopt.analysis.facts.sharing.inputs import Container, Inputs, NotShared
from ascendopt.analysis.facts.sharing.record import Given, Held, Place, Record, Seen, table_of
from ascendopt.analysis.facts.sharing.state import SharingState
from ascendopt.analysis.facts.state import MISSING, Missing


class Replay(NodeCopies):
    """Of one record, for the call at ``site`` with ``inputs``."""

    def __init__(self, walk: SharingState, record: Record, inputs: Inputs, site: Site) -> None:
        now = walk.counts()
        super().__init__(
            (record.path, walk.path), (record.calls, (*walk.calls, site)), now.orders - record.before.orders
        )
        self.depth = sum(isinstance(step, LoopStep) for step in walk.path) - record.loops
        self._walk = walk
        self._record = record
        self._inputs = inputs
        self._site = site
        self._now = now
        self._unknowns = list(inputs.unknowns)
        self._handles = list(inputs.handles)

    def number(self, text: str) -> str:
        number = int(text)
        if number > self._record.before.unknowns:
            return str(number - self._record.before.unknowns + self._now.unknowns)
        at = self._record.inputs.unknowns.get(text)
        if at is None:
            raise NotShared
        return self._unknowns[at]

    def handle(self, handle: int) -> int:
        if handle > self._record.before.handles:
            return handle - self._record.before.handles + self._now.handles
        at = self._record.inputs.handles.get(handle)
        if at is None:
            raise NotShared
        return self._handles[at]

    def given(self, value: Container) -> RuntimeValue:
        return self._inputs.containers[value.index] if isinstance(value, Given) else None

    def put(self, frame: Frame, name: str) -> RuntimeValue:
        """Do to the walk what walking the function ``name`` in ``frame`` would do; gives what it returns. Raises
        NotShared, and does nothing, when it cannot."""
        walk, record = self._walk, self._record
        nodes = self.nodes(record.nodes)
        result = self.value(record.result)
        parameters = [(one, self.value(value)) for one, value in record.parameters]
        objects = [self._object(one) for one in record.objects]
        made = [(self._table(place), one, self.value(value)) for place, one, value in record.made]
        writes = [
            (not isinstance(place, int), self._table(place), one, self._held(before), self._held(after))
            for place, one, before, after in record.writes
        ]
        walk.objects.extend(objects)
        for table, one, value in made:
            table.setdefault(one, value)
        for is_new, table, one, before, after in writes:
            if is_new:
                _set(table, one, before)
            walk.trail.append((table, one, table.get(one, MISSING)))
            _set(table, one, after)
        for at, assigned in record.assigned:
            given = self._inputs.containers[at]
            assert isinstance(given, Struct)
            given.assigned.clear()
            given.assigned.update(assigned)
        frame.locals.update(parameters)
        walk.advance(record.used)
        walk.deepest = max(walk.deepest, walk.nesting + record.nesting)
        self._note()
        if nodes:
            walk.emit(CallNode(self._site, name, nodes))
        return result

    def _note(self) -> None:
        walk, record = self._walk, self._record
        seen = Seen(
            record.seen.functions,
            record.seen.forgotten,
            len(walk.frames) + record.frames,
        )
        if record.reads.held:
            for one in walk.objects:
                walk.program.reads.held.update(one.members)
        walk.note(seen, record.reads, record.tiling_reads, record.dtypes, complete=record.complete)

    def _object(self, value: Object) -> Object:
        made = self.value(value)
        assert isinstance(made, Object)
        return made

    def _table(self, place: Place) -> dict[str, RuntimeValue]:
        if isinstance(place, int):
            table = table_of(self._inputs.containers[place])
        else:
            made = self.value(place)
            assert isinstance(made, (Object, Struct, ArrayRef))
            table = table_of(made)
        assert table is not None
        return table

    def _held(self, value: Held) -> Held:
        return value if isinstance(value, Missing) else self.value(value)


def _set(table: dict[str, RuntimeValue], name: str, value: Held) -> None:
    if isinstance(value, Missing):
        table.pop(name, None)
    else:
        table[name] = value
