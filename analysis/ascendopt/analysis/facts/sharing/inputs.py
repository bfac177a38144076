"""What the walk of a function can read, as one key that is equal for equal readings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ascendopt.analysis.facts.model import TensorFact
from ascendopt.analysis.facts.runtime import (
    Address,
    ArrayRef,
    Binding,
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
from ascendopt.analysis.facts.sharing.reach import WHOLE
from ascendopt.analysis.facts.unit import ClassInfo
from ascendopt.analysis.values import Value

NUMBERED = re.compile(r"#(\d+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
Container = Object | Struct | ArrayRef | QueueRef | PipeRef | TilingRef
"""What has an identity: two variables may hold the same one."""


class NotShared(Exception):
    """Something that is not followed here."""


@dataclass
class Inputs:
    """``key`` is hashable. ``containers``, ``unknowns`` and ``handles`` are what it met, in an order that is the same
    for equal keys; the dicts say where in that order."""

    parts: list[object] = field(default_factory=list[object])
    containers: list[Container] = field(default_factory=list["Container"])
    places: dict[int, int] = field(default_factory=dict[int, int])
    unknowns: dict[str, int] = field(default_factory=dict[str, int])
    handles: dict[int, int] = field(default_factory=dict[int, int])
    words: set[str] = field(default_factory=set[str])
    """Names in template arguments: what a function may call through them."""

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for equal readings. Ask when all is read."""
        return tuple(self.parts)


class Numbers:
    """What a key says of a number: its text, its range and those of its symbols. Many variables hold it for long."""

    def __init__(self) -> None:
        self._said: dict[int, tuple[Value, str, tuple[object, ...]]] = {}

    def said(self, value: Value) -> tuple[str, tuple[object, ...]]:
        """Text and ranges."""
        known = self._said.get(id(value))
        if known is None:
            ranges = (value.range, *(atom.range for atom in value.atoms() if atom.kind == "sym"))
            known = self._said[id(value)] = (value, value.text, ranges)
        return known[1:]


class InputReader:
    """Reads values into one ``Inputs``. ``names`` are the members that count, None for all of them; ``chain`` gives
    the classes of an object; ``forgetting`` are those that forget what a loop changes, by ``id``."""

    def __init__(
        self,
        names: frozenset[str] | None,
        numbers: Numbers,
        chain: Callable[[Object], Iterable[tuple[ClassInfo, Mapping[str, Binding]]]],
        forgetting: set[int],
    ) -> None:
        self.names = names
        self.found = Inputs()
        self._numbers = numbers
        self._chain = chain
        self._own: Object | None = None
        self._forgetting = forgetting

    def say(self, *parts: object) -> None:
        """Append to the key."""
        self.found.parts.extend(parts)

    def bindings(self, bindings: Mapping[str, Binding]) -> None:
        """Template arguments."""
        names = self.names
        for name, bound in bindings.items():
            if names is not None and name not in names:
                continue
            if isinstance(bound, str):
                if "#" in bound:
                    raise NotShared
                self.found.words.update(_WORD.findall(bound))
                self.say(name, bound)
            else:
                self.say(name)
                self._number(bound)
        self.say("")

    def own(self, value: Object | None) -> None:
        """The object whose method is walked."""
        self._own = value
        self.value(value)

    def value(self, value: RuntimeValue) -> None:
        """What a variable holds."""
        if isinstance(value, Value):
            self._number(value)
        elif isinstance(value, TensorFact):
            self._tensor(value)
        elif value is None:
            self.say(None)
        elif isinstance(value, (Object, Struct, ArrayRef, QueueRef, PipeRef, TilingRef)):
            self._container(value)
        elif isinstance(value, Address):
            self.say("address", value.name)
            self.value(value.offset)
            self._number(value.each)
        elif isinstance(value, Scalar):
            self.say("scalar", value.element)
        elif isinstance(value, FunctionRef):
            self.found.words.add(value.name)
            self.say("function", value.name, value.targs)
        elif isinstance(value, HostRef):
            self.say("host", value.text)
        else:
            raise NotShared  # a lambda sees the frame that it was made in

    def _number(self, value: Value) -> None:
        if value.is_constant:
            self.say(value.const)
            return
        text, ranges = self._numbers.said(value)
        self.say(NUMBERED.sub(self._renamed, text) if "#" in text else text, ranges)

    def _renamed(self, match: re.Match[str]) -> str:
        unknowns = self.found.unknowns
        return f"#{unknowns.setdefault(match[1], len(unknowns))}"

    def _tensor(self, value: TensorFact) -> None:
        handles = self.found.handles
        handle = handles.setdefault(value.handle, len(handles)) if value.handle is not None else None
        self.say("tensor", value.memory, value.element, value.name, value.queue, value.position, value.origin, handle)
        self._number(value.element_bytes)
        self.value(value.offset)
        self.value(value.length)

    def _container(self, value: Container) -> None:
        found = self.found
        at = found.places.get(id(value))
        if at is not None:
            self.say("again", at)
            return
        found.places[id(value)] = len(found.containers)
        found.containers.append(value)
        if isinstance(value, Object):
            self._object(value)
        elif isinstance(value, Struct):
            self.say("struct", value.type, len(value.fields), len(value.assigned))
            self._table(value.fields)
            for name, place in value.assigned.items():
                self.say(name, id(place.region), place.start, place.end)
        elif isinstance(value, ArrayRef):
            self.say("array", value.name, len(value.items))
            self.value(value.element)
            self._table(value.items)
        elif isinstance(value, TilingRef):
            self.say("tiling", value.prefix, id(value.struct))
        else:
            self.say(type(value).__name__, value.fact)

    def _object(self, value: Object) -> None:
        names = self.names
        members = sorted(name for name in value.members if names is None or name in names)
        self.say("object", value.is_certain, id(value) in self._forgetting, len(members))
        if value is not self._own or names is None or WHOLE in names:
            self.say(value.label)
        for info, bindings in self._chain(value):
            self.say(id(info))
            self.bindings(bindings)
        self.bindings(value.bindings)
        for name in members:
            self.say(name)
            self.value(value.members[name])

    def _table(self, table: dict[str, RuntimeValue]) -> None:
        for name, held in table.items():
            self.say(name)
            self.value(held)
