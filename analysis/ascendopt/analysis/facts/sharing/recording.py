"""A walk of a function while it is recorded."""

from __future__ import annotations

from ascendopt.analysis.facts.ir import Body
from ascendopt.analysis.facts.model import LoopStep
from ascendopt.analysis.facts.runtime import Frame, Object, RuntimeValue, Struct
from ascendopt.analysis.facts.sharing.inputs import Inputs, NotShared
from ascendopt.analysis.facts.sharing.record import Place, Record, Seen, Snapshots, Write, body_of, table_of
from ascendopt.analysis.facts.sharing.state import SharingState
from ascendopt.analysis.facts.state import DEEPEST, MISSING, Missing
from ascendopt.analysis.facts.walker import MOST_NESTED, MOST_STEPS


class Recording:
    """Begins when it is made. What the walk looked up before is looked up again, so that all questions are noted."""

    def __init__(self, walk: SharingState, inputs: Inputs) -> None:
        self._walk = walk
        self._inputs = inputs
        self.objects = list(walk.objects)
        self._members = [set(one.members) if isinstance(one, Object) else set[str]() for one in inputs.containers]
        self._assigned = [dict(one.assigned) if isinstance(one, Struct) else {} for one in inputs.containers]
        self._before, self._mark, self._at = walk.counts(), len(walk.trail), len(walk.out)
        self._decisions = walk.decisions
        self._outer = (walk.seen, walk.complete, walk.deepest, walk.tiling_reads, walk.dtypes_used)
        self._known = (walk.types_seen, walk.constants_seen)
        self._outer_reads = walk.program.reads
        walk.seen, walk.complete, walk.deepest, walk.tiling_reads, walk.dtypes_used = (
            Seen(),
            True,
            walk.nesting,
            {},
            set(),
        )
        walk.types_seen, walk.constants_seen = {}, {}
        self._reads = walk.program.start_reads()

    def end(self, frame: Frame, body: Body, result: RuntimeValue) -> Record | None:
        """Give the walk back what was set apart; the record, or None where it says too little."""
        walk = self._walk
        seen, complete, nesting = walk.seen, walk.complete, walk.deepest - walk.nesting
        tiling_reads, dtypes = walk.tiling_reads, walk.dtypes_used
        walk.program.resume_reads(self._outer_reads)
        deepest = walk.deepest
        walk.seen, walk.complete, walk.deepest, walk.tiling_reads, walk.dtypes_used = self._outer
        walk.types_seen, walk.constants_seen = self._known
        walk.deepest = max(walk.deepest, deepest)
        walk.note(seen, self._reads, tiling_reads, dtypes, complete=complete)
        is_limited = walk.steps >= MOST_STEPS or deepest > MOST_NESTED or seen.frames > DEEPEST
        if is_limited or walk.decisions != self._decisions:
            return None
        snapshots = Snapshots(self._inputs)
        try:
            record = Record(
                inputs=self._inputs,
                before=self._before,
                used=walk.counts().since(self._before),
                path=len(walk.path),
                calls=len(walk.calls) + 1,
                loops=sum(isinstance(step, LoopStep) for step in walk.path),
                nodes=body_of(walk.out[self._at :]),
                result=snapshots.value(result),
                parameters=tuple(
                    (one.name, snapshots.value(frame.locals.get(one.name)))
                    for one in body.parameters
                    if one.indirect and not one.is_const
                ),
                complete=complete,
                tiling_reads=tiling_reads,
                dtypes={name: walk.dtypes.get(name, "") for name in dtypes},
                reads=self._reads,
                seen=seen,
                frames=seen.frames - len(walk.frames),
                nesting=nesting,
            )
            self._note_writes(record, snapshots)
        except NotShared:
            return None
        return record

    def _note_writes(self, record: Record, snapshots: Snapshots) -> None:
        """Raises NotShared for writes to what the function cannot get at, as far as its inputs say."""
        known = {id(one) for one in self.objects}
        record.objects.extend(snapshots.object(one) for one in self._walk.objects if id(one) not in known)
        containers = self._inputs.containers
        for at, one in enumerate(containers):
            if isinstance(one, Struct) and one.assigned != self._assigned[at]:
                record.assigned.append((at, dict(one.assigned)))
        writes = self._writes()
        self._note_made(record, snapshots, writes)
        inputs = {id(table): at for at, table in enumerate(map(table_of, containers)) if table is not None}
        for one in writes.values():
            if id(one.table) in inputs:
                snapshots.held(one.after)  # what is new and still in use is known when this is through
        for one in writes.values():
            place: Place | None = inputs.get(id(one.table))
            if place is None:
                place = snapshots.tables.get(id(one.table))
            if place is not None:
                before = MISSING if isinstance(place, int) else snapshots.held(one.before)
                record.writes.append((place, one.name, before, snapshots.held(one.after)))

    def _writes(self) -> dict[tuple[int, str], Write]:
        """The variables that were written to, in the order of the last writes."""
        foreign = {id(one.members) for one in self.objects if id(one) not in self._inputs.places}
        foreign.update(id(frame.locals) for frame in self._walk.frames)
        found: dict[tuple[int, str], Write] = {}
        for table, name, old in self._walk.trail[self._mark :]:
            if id(table) in foreign:
                raise NotShared
            one = found.pop((id(table), name), None) or Write(table, name, old)
            found[(id(table), name)] = one
        return found

    def _note_made(self, record: Record, snapshots: Snapshots, writes: dict[tuple[int, str], Write]) -> None:
        """The members that came to be because somebody looked at them."""
        for at, one in enumerate(self._inputs.containers):
            if not isinstance(one, Object):
                continue
            for name in one.members:
                if name in self._members[at]:
                    continue
                written = writes.get((id(one.members), name))
                value = written.before if written is not None else one.members[name]
                if not isinstance(value, Missing):
                    record.made.append((at, name, snapshots.value(value)))
