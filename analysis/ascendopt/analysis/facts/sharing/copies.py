"""Copies of what a walk gave, with other numbers: of values, tensors and what holds them, and of the tree of nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter

from ascendopt.analysis.facts.model import (
    Argument,
    ArmStep,
    BranchNode,
    CallNode,
    Event,
    LoopNode,
    LoopStep,
    Node,
    QueueEvent,
    Site,
    Step,
    TensorFact,
)
from ascendopt.analysis.facts.runtime import (
    Address,
    ArrayRef,
    FunctionRef,
    HostRef,
    Object,
    PipeRef,
    QueueRef,
    RuntimeValue,
    Scalar,
    Struct,
    TilingRef,
)
from ascendopt.analysis.facts.sharing.inputs import NUMBERED, Container, NotShared
from ascendopt.analysis.values import Value, operation
from ascendopt.analysis.values.value import Atom


class ValueCopies:
    """Copies under one renumbering. Raises NotShared where a number has no counterpart."""

    def __init__(self) -> None:
        self.made: dict[int, RuntimeValue] = {}
        self.originals: list[object] = []  # what is looked up by identity must live as long as the table
        self.tables: dict[int, Container] = {}
        self.objects: list[Object] = []
        self._values: dict[int, Value] = {}
        self._tensors: dict[int, TensorFact] = {}
        self._arguments: dict[int, Argument] = {}
        self._atoms: dict[int, Atom] = {}
        self._numbers: dict[str, str] = {}

    # ------------------------------------------------------------------ filled in by the two kinds of copies

    def number(self, text: str) -> str:
        """The number of an unknown in the copy."""
        return text

    def handle(self, handle: int) -> int:
        """The identity of a tensor in the copy."""
        return handle

    def given(self, value: Container) -> RuntimeValue:
        """The counterpart of something that was there before, None for what is new."""
        return None

    # ------------------------------------------------------------------ values

    def value(self, value: RuntimeValue) -> RuntimeValue:
        """The copy of what a variable holds."""
        if isinstance(value, Value):
            return self.numeric(value)
        if isinstance(value, TensorFact):
            return self.tensor(value)
        if value is None or isinstance(value, (Scalar, FunctionRef, HostRef)):
            return value
        if isinstance(value, Address):
            offset = self.numeric(value.offset) if value.offset is not None else None
            return Address(value.name, offset, self.numeric(value.each))
        if isinstance(value, (Object, Struct, ArrayRef, QueueRef, PipeRef, TilingRef)):
            return self._container(value)
        raise NotShared

    def numeric(self, value: Value) -> Value:
        """The copy of a number."""
        if not value.terms:
            return value
        known = self._values.get(id(value))
        if known is None:
            known = self._values[id(value)] = self._renumbered(value) if "#" in value.text else value
            self.originals.append(value)
        return known

    def optional(self, value: Value | None) -> Value | None:
        """The copy of a number that may be missing."""
        return self.numeric(value) if value is not None else None

    def _renumbered(self, value: Value) -> Value:
        """In canonical form again: another number may stand elsewhere in the order of names."""
        terms = [(self._monomial(monomial), factor) for monomial, factor in value.terms]
        if len(terms) > 1:
            terms.sort()
        return Value(value.const, tuple(terms))

    def _monomial(self, monomial: tuple[Atom, ...]) -> tuple[Atom, ...]:
        if len(monomial) == 1:
            return (self._atom(monomial[0]),)
        return tuple(sorted(map(self._atom, monomial)))

    def _atom(self, atom: Atom) -> Atom:
        known = self._atoms.get(id(atom))
        if known is None:
            known = self._atoms[id(atom)] = self._atom_renumbered(atom) if "#" in atom.text else atom
            self.originals.append(atom)
        return known

    def _atom_renumbered(self, atom: Atom) -> Atom:
        if not atom.args:
            return Atom(atom.kind, self.text(atom.text), (), atom.range)
        args = tuple(map(self.numeric, atom.args))
        if atom.kind in ("min", "max") and args[0].text > args[1].text:
            args = (args[1], args[0])
        return operation(atom.kind, args, atom.range)

    def _number_in(self, match: re.Match[str]) -> str:
        known = self._numbers.get(match[1])
        if known is None:
            known = self._numbers[match[1]] = f"#{self.number(match[1])}"
        return known

    def text(self, text: str) -> str:
        """A symbol's name in the copy."""
        return NUMBERED.sub(self._number_in, text) if "#" in text else text

    def tensor(self, value: TensorFact) -> TensorFact:
        """The copy of a tensor."""
        known = self._tensors.get(id(value))
        if known is None:
            known = self._tensors[id(value)] = TensorFact(
                value.memory,
                value.element,
                self.numeric(value.element_bytes),
                value.name,
                value.queue,
                value.position,
                self.optional(value.offset),
                self.handle(value.handle) if value.handle is not None else None,
                self.optional(value.length),
                value.origin,
            )
            self.originals.append(value)
        return known

    def argument(self, value: Argument) -> Argument:
        """The copy of an argument."""
        known = self._arguments.get(id(value))
        if known is None:
            known = self._arguments[id(value)] = self._argument(value)
            self.originals.append(value)
        return known

    def _argument(self, value: Argument) -> Argument:
        number = self.optional(value.value)
        tensor = self.tensor(value.tensor) if value.tensor is not None else None
        fields = tuple((name, self.numeric(one)) for name, one in value.fields)
        if number is value.value and tensor is None and fields == value.fields:
            return value
        return Argument(value.text, value.place, number, tensor, fields, value.struct, value.dtype, value.assigned)

    def _container(self, value: Container) -> RuntimeValue:
        known = self.made.get(id(value))
        if known is not None:
            return known
        given = self.given(value)
        if given is not None:
            return given
        return self._new(value)

    def _keep(self, value: Container, made: Container) -> None:
        self.made[id(value)] = made
        self.originals.append(value)

    def _new(self, value: Container) -> Container:
        if isinstance(value, Object):
            if any("#" in (bound if isinstance(bound, str) else bound.text) for bound in value.bindings.values()):
                raise NotShared
            made = Object(value.info, dict(value.bindings), {}, value.label, value.chain, value.is_certain)
            self._keep(value, made)
            self._fill(value.members, made.members, made)
            return made
        if isinstance(value, Struct):
            made = Struct(value.type, {}, dict(value.assigned))
            self._keep(value, made)
            self._fill(value.fields, made.fields, made)
            return made
        if isinstance(value, ArrayRef):
            made = ArrayRef({}, None, value.name)
            self._keep(value, made)
            made.element = self.value(value.element)
            self._fill(value.items, made.items, made)
            return made
        if isinstance(value, TilingRef):
            made = TilingRef(value.prefix, value.struct)
        else:
            made = QueueRef(value.fact) if isinstance(value, QueueRef) else PipeRef(value.fact)
        self._keep(value, made)
        return made

    def _fill(self, old: dict[str, RuntimeValue], new: dict[str, RuntimeValue], made: Container) -> None:
        self.tables[id(old)] = made
        self.originals.append(old)
        for name, held in old.items():
            new[name] = self.value(held)


class NodeCopies(ValueCopies):
    """Copies of nodes in another place: ``path``, ``calls`` and ``order`` of events begin differently."""

    def __init__(self, path: tuple[int, tuple[Step, ...]], calls: tuple[int, tuple[Site, ...]], order: int) -> None:
        """``path`` and ``calls``: how many to take off, and what to put in their place; ``order`` is added."""
        super().__init__()
        self._path = path
        self._calls = calls
        self._order = order
        self._loops: dict[int, LoopNode] = {}
        self._branches: dict[int, BranchNode] = {}
        self._steps: dict[int, Step] = {}
        self._paths: dict[int, tuple[Step, ...]] = {}
        self._chains: dict[int, tuple[Site, ...]] = {}
        self.depth = 0
        """Added to the depth of loops."""

    def nodes(self, nodes: Iterable[Node]) -> tuple[Node, ...]:
        """The copies of nodes and of all below them."""
        return tuple(self._node(node) for node in nodes)

    def _node(self, node: Node) -> Node:
        if isinstance(node, Event):
            return self._event(node)
        if isinstance(node, CallNode):
            return CallNode(node.call, node.function, self.nodes(node.body))
        if isinstance(node, LoopNode):
            trip, step, first, last = map(self.optional, (node.trip, node.step, node.first, node.last))
            symbol = self.text(node.loop_symbol)
            made = LoopNode(node.header, node.variable, trip, node.depth + self.depth, (), symbol, step, first, last)
            self._loops[id(node)] = made
            made.body = self.nodes(node.body)
            return made
        conditions = tuple(map(self.optional, node.conditions))
        branch = self._branches[id(node)] = BranchNode(node.site, conditions)
        branch.arms = tuple(self.nodes(arm) for arm in node.arms)
        return branch

    def _event(self, event: Event) -> Event:
        kind = type(event)
        numbers, tensors, arguments = _copied(kind)
        made = copy_of(event)
        for name in numbers:
            setattr(made, name, self.optional(getattr(event, name)))
        for name in tensors:
            tensor = getattr(event, name)
            if tensor is not None:
                setattr(made, name, self.tensor(tensor))
        for name in arguments:
            setattr(made, name, self._given(getattr(event, name)))
        made.order = event.order + self._order
        made.path = self._path_of(event.path)
        made.calls = self._calls_of(event.calls)
        if isinstance(made, QueueEvent) and made.handle is not None:
            made.handle = self.handle(made.handle)
        return made

    def _given(self, value: Argument | tuple[Argument, ...] | None) -> Argument | tuple[Argument, ...] | None:
        if isinstance(value, tuple):
            return tuple(map(self.argument, value))
        return self.argument(value) if value is not None else None

    def _path_of(self, path: tuple[Step, ...]) -> tuple[Step, ...]:
        known = self._paths.get(id(path))
        if known is None:
            taken, put = self._path
            known = self._paths[id(path)] = (*put, *(self._step(step) for step in path[taken:]))
            self.originals.append(path)
        return known

    def _step(self, step: Step) -> Step:
        known = self._steps.get(id(step))
        if known is None:
            if isinstance(step, LoopStep):
                trip = self.optional(step.trip)
                known = LoopStep(self._loops[id(step.loop)], trip)
            else:
                condition = self.optional(step.condition)
                known = ArmStep(self._branches[id(step.branch)], step.arm, condition)
            self._steps[id(step)] = known
        return known

    def _calls_of(self, calls: tuple[Site, ...]) -> tuple[Site, ...]:
        known = self._chains.get(id(calls))
        if known is None:
            taken, put = self._calls
            known = self._chains[id(calls)] = (*put, *calls[taken:])
            self.originals.append(calls)
        return known


def copy_of(event: Event) -> Event:
    """With the same fields."""
    kind = type(event)
    names, read = _fields(kind)
    made = kind.__new__(kind)
    for name, value in zip(names, read(event), strict=True):
        setattr(made, name, value)
    return made


@lru_cache(maxsize=64)
def _fields(kind: type[Event]) -> tuple[tuple[str, ...], Callable[[Event], tuple[object, ...]]]:
    """The fields of one kind of events, and what reads them all."""
    names = tuple(one.name for one in fields(kind))
    return names, attrgetter(*names)


@lru_cache(maxsize=64)
def _copied(kind: type[Event]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The fields of one kind of events that hold numbers, tensors and arguments."""
    types = {one.name: str(one.type) for one in fields(kind)}
    return (
        tuple(name for name, text in types.items() if text in ("Value", "Value | None")),
        tuple(name for name, text in types.items() if "TensorFact" in text),
        tuple(name for name, text in types.items() if "Argument" in text),
    )
