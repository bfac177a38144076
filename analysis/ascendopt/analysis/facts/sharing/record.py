"""What the walk of one function gave, apart from where it stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ascendopt.analysis.facts.model import CallNode, Node, TensorFact, TilingRead
from ascendopt.analysis.facts.places import Place as TextPlace
from ascendopt.analysis.facts.reads import Reads
from ascendopt.analysis.facts.runtime import ArrayRef, Object, RuntimeValue, Struct
from ascendopt.analysis.facts.sharing.copies import ValueCopies
from ascendopt.analysis.facts.sharing.inputs import Container, Inputs, NotShared
from ascendopt.analysis.facts.state import MISSING, Missing
from ascendopt.analysis.values import Value


@dataclass
class Counts:
    """Numbers that a walk gives out one after the other, and its limits: where they stood, or how far they went."""

    unknowns: int
    orders: int
    handles: int
    steps: int

    def since(self, before: Counts) -> Counts:
        """How far they went."""
        return Counts(
            self.unknowns - before.unknowns,
            self.orders - before.orders,
            self.handles - before.handles,
            self.steps - before.steps,
        )


@dataclass(eq=False)
class Seen:
    """What a walk came across that a key cannot hold beforehand."""

    functions: set[int] = field(default_factory=set[int])
    """Those that it entered, by ``id``: how often one is on the stack counts."""
    forgotten: set[str] = field(default_factory=set[str])
    """Names that its loops assign: *every* object in sight forgets what it holds under these."""
    frames: int = 0
    """Of the deepest call."""
    nesting: int = 0
    decisions: int = 0
    """What decides more than the function itself, see ``KernelWalk.decisions``."""

    def add(self, inner: Seen) -> None:
        """What a function that it called came across."""
        self.functions |= inner.functions
        self.forgotten |= inner.forgotten
        self.frames = max(self.frames, inner.frames)
        self.nesting = max(self.nesting, inner.nesting)


Place = int | Container
"""A table of variables: that of an input, by its index, or of something new (its snapshot)."""
Held = RuntimeValue | Missing


@dataclass(eq=False)
class Write:
    """A variable that was written to, and what it held before."""

    table: dict[str, RuntimeValue]
    name: str
    before: Held

    @property
    def after(self) -> Held:
        """What it holds now."""
        return self.table.get(self.name, MISSING)


@dataclass(eq=False)
class Given(Struct):
    """Stands in a record for the input at ``index``: who asks for the record has that one already."""

    index: int = 0


class Snapshots(ValueCopies):
    """What a walk gave, as it is now. Numbers and tensors do not change and are taken as they are."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self._places = inputs.places

    def numeric(self, value: Value) -> Value:
        return value

    def tensor(self, value: TensorFact) -> TensorFact:
        return value

    def given(self, value: Container) -> RuntimeValue:
        at = self._places.get(id(value))
        return Given("", {}, {}, at) if at is not None else None

    def held(self, value: Held) -> Held:
        """Of a variable that may not be there."""
        return value if isinstance(value, Missing) else self.value(value)

    def object(self, value: Object) -> Object:
        """Of an object that is new."""
        made = self.value(value)
        if not isinstance(made, Object):
            raise NotShared
        return made


def table_of(value: Container) -> dict[str, RuntimeValue] | None:
    """The variables in something, None when there are none."""
    if isinstance(value, Object):
        return value.members
    if isinstance(value, Struct):
        return value.fields
    return value.items if isinstance(value, ArrayRef) else None


def body_of(nodes: list[Node]) -> tuple[Node, ...]:
    """What a call made of the tree: its node, if there is one, without the place of the call."""
    return tuple(inner for node in nodes if isinstance(node, CallNode) for inner in node.body)


@dataclass(eq=False)
class Record:
    """One walk. Values are snapshots in which ``Given`` stands for inputs; the nodes are those of the walk itself,
    which nobody changes any more."""

    inputs: Inputs
    before: Counts
    used: Counts
    path: int
    calls: int
    loops: int
    """Around the call."""
    nodes: tuple[Node, ...]
    result: RuntimeValue
    parameters: tuple[tuple[str, RuntimeValue], ...]
    """What the function's own variables for out-parameters hold at its end."""
    complete: bool
    tiling_reads: dict[tuple[str, int], TilingRead]
    dtypes: dict[str, str]
    reads: Reads
    seen: Seen
    frames: int
    """Above the depth at which it was called, the deepest call."""
    nesting: int
    made: list[tuple[Place, str, RuntimeValue]] = field(default_factory=list[tuple["Place", str, "RuntimeValue"]])
    """Members that came to be because somebody looked at them: no branch takes that back."""
    writes: list[tuple[Place, str, Held, Held]] = field(default_factory=list[tuple["Place", str, "Held", "Held"]])
    """With what something new held before."""
    assigned: list[tuple[int, Mapping[str, TextPlace]]] = field(
        default_factory=list[tuple[int, "Mapping[str, TextPlace]"]]
    )
    """Where the fields of structures among the inputs are assigned now."""
    objects: list[Object] = field(default_factory=list[Object])
    """That it made and that are still in use."""
    is_broken: bool = False
    """No copy can be made of it."""
