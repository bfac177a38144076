"""What variables hold while a function body is walked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path

from ascendopt.analysis.facts.declared import PipeFact, QueueFact, Site, TensorFact
from ascendopt.analysis.facts.ir import Lambda
from ascendopt.analysis.facts.places import Place, Region
from ascendopt.analysis.facts.unit import ClassInfo, FunctionInfo
from ascendopt.analysis.operators.model import TilingStruct
from ascendopt.analysis.values import Value, number

ZERO, ONE = number(0), number(1)
Binding = str | Value
"""A template argument: a type's text, or an integer."""


@dataclass(eq=False, slots=True)
class Object:
    """An instance of a user class. ``members`` are filled as they are touched; ``is_certain`` is False when it is
    not decided which specialisation it is."""

    info: ClassInfo
    bindings: dict[str, Binding]
    members: dict[str, RuntimeValue] = field(default_factory=dict[str, "RuntimeValue"])
    label: str = ""
    chain: list[tuple[ClassInfo, dict[str, Binding]]] | None = None
    is_certain: bool = True


@dataclass(eq=False, slots=True)
class QueueRef:
    """A queue or TBuf object."""

    fact: QueueFact


@dataclass(eq=False, slots=True)
class PipeRef:
    """A pipe, its declaration if it is known."""

    fact: PipeFact | None


@dataclass(eq=False, slots=True)
class Struct:
    """A parameter struct or a plain struct value. ``assigned`` says where single fields were set last."""

    type: str
    fields: dict[str, RuntimeValue]
    assigned: dict[str, Place] = field(default_factory=dict[str, Place])

    def copy(self) -> Struct:
        """A value of its own, with arrays and structs of its own."""
        fields = {name: _own(value) for name, value in self.fields.items()}
        return Struct(self.type, fields, dict(self.assigned))


@dataclass(eq=False, slots=True)
class TilingRef:
    """Tiling data or a part of it: field ``f`` is the symbol ``prefix + f``."""

    prefix: str
    struct: TilingStruct | None


@dataclass(eq=False, slots=True)
class ArrayRef:
    """A C array; ``items`` by constant index, as text. ``element`` is what an index not in ``items`` gives."""

    items: dict[str, RuntimeValue]
    element: RuntimeValue
    name: str


@dataclass(eq=False, slots=True)
class FunctionRef:
    """A function passed by name, with its template arguments."""

    name: str
    targs: tuple[str, ...] = ()


@dataclass(eq=False, slots=True)
class LambdaRef:
    """A lambda, the frame that it was made in, and where the frame stood then."""

    code: Lambda
    frame: Frame
    region: Region
    data: bytes


@dataclass(eq=False, slots=True)
class HostRef:
    """A host object that is not followed, named by how it was got (``context.GetInputShape(0)``)."""

    text: str


@dataclass(eq=False, slots=True)
class Address:
    """A global memory address, as given to SetGlobalBuffer: ``offset`` bytes (None: unknown) behind the entry's
    argument ``name``, pointing at elements of ``each`` bytes."""

    name: str
    offset: Value | None = ZERO
    each: Value = ONE

    def moved(self, elements: Value | None) -> Address:
        """The address some elements further on."""
        if self.offset is None or elements is None:
            return Address(self.name, None, self.each)
        return Address(self.name, self.offset + elements * self.each, self.each)


@dataclass(frozen=True, slots=True)
class Enumerator:
    """A value of an enumeration of the API: ``CMPMODE::GT`` is ``GT`` of ``CMPMODE``."""

    enumeration: str
    name: str

    @property
    def text(self) -> str:
        """As the API spells it."""
        return f"{self.enumeration}::{self.name}"


@dataclass(eq=False, slots=True)
class Scalar:
    """A number of a type that is not followed (``half``, ``float``), read from a tensor."""

    element: str


RuntimeValue = (
    Value
    | Object
    | QueueRef
    | PipeRef
    | Struct
    | TilingRef
    | ArrayRef
    | FunctionRef
    | LambdaRef
    | HostRef
    | Address
    | Enumerator
    | Scalar
    | TensorFact
    | None
)


@dataclass(eq=False, slots=True)
class Frame:
    """One activation of a function. ``data`` is the text of its region, empty where none is to be read; ``fixed``
    is the place that stands for everything inside a macro expansion; ``numbers`` are the types of local variables."""

    function: FunctionInfo | None
    path: Path
    region: Region
    self_object: Object | None
    bindings: dict[str, Binding]
    data: bytes = b""
    locals: dict[str, RuntimeValue] = field(default_factory=dict[str, "RuntimeValue"])
    returns: list[tuple[Value | None, RuntimeValue]] = field(
        default_factory=list[tuple["Value | None", "RuntimeValue"]]
    )
    condition: Value | None = ONE
    fixed: Place | None = None
    name: str = ""
    types: dict[str, str] = field(default_factory=dict[str, str])
    numbers: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, function: FunctionInfo, current: Object | None, bindings: dict[str, Binding]) -> Frame:
        """An activation of ``function`` on the object ``current``."""
        return cls(
            function=function,
            path=function.path,
            region=function.region,
            self_object=current,
            bindings=bindings,
            data=function.content.data,
            name=function.qualified,
        )

    def place(self, start: int, end: int) -> Place:
        """Place of relative offsets."""
        return self.fixed if self.fixed is not None else Place(self.region, start, end)

    def site(self, start: int, end: int) -> Site:
        """Site of relative offsets."""
        return Site(self.path, self.place(start, end), self.name)

    def text(self, start: int, end: int) -> str:
        """Source text of relative offsets; of the macro call inside an expansion."""
        if self.fixed is not None:
            start, end = self.fixed.start, self.fixed.end
        return self.data[start:end].decode("utf-8", "replace")


@dataclass(frozen=True)
class StructTable:
    """Parameter structs of the API: fields with defaults, other spellings of field names, and the lengths of those
    fields that are arrays."""

    structs: Mapping[str, tuple[tuple[str, int], ...]]
    aliases: Mapping[str, str]
    arrays: Mapping[str, int]

    def make(self, name: str) -> Struct | None:
        """A default-constructed struct, or None when ``name`` is not one of the table."""
        fields = self.structs.get(name.split("<", 1)[0])
        if fields is None:
            return None
        return Struct(name.split("<", 1)[0], {key: number(value) for key, value in fields})

    def meant(self, names: tuple[str, ...], designators: tuple[str, ...], count: int) -> str | None:
        """The one of the structures ``names`` that braces with ``count`` items make: the only one, or the only one that
        has so many fields or these designators; None where that leaves a doubt."""
        known = [name for name in names if name in self.structs]
        if len(names) == 1 or not known:
            return known[0] if known else None
        fields = {name: [key for key, _ in self.structs[name]] for name in known}
        if designators:
            wanted = {self.aliases.get(name, name) for name in designators}
            fitting = [name for name in known if wanted.issubset(fields[name])]
        else:
            fitting = [name for name in known if len(fields[name]) == count]
        return fitting[0] if len(fitting) == 1 else None


def _own(value: RuntimeValue) -> RuntimeValue:
    if isinstance(value, Struct):
        return value.copy()
    if isinstance(value, ArrayRef):
        return ArrayRef({at: _own(item) for at, item in value.items.items()}, value.element, value.name)
    return value


@lru_cache(maxsize=1)
def struct_table() -> StructTable:
    """The shipped table."""
    text = resources.files("ascendopt.analysis").joinpath("data/structs.json").read_text("utf-8")
    data = json.loads(text)
    structs = {name: tuple((key, int(value)) for key, value in entries) for name, entries in data["structs"].items()}
    return StructTable(structs, dict(data["field_aliases"]), dict(data["arrays"]))
