"""What one file declares: classes, functions, constants, macros, aliases. Function bodies are lowered on
demand. ``unit_reader`` reads them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from tree_sitter import Node

from ascendopt.analysis.facts.cache import BodyCache
from ascendopt.analysis.facts.declared import FunctionFact, Site, TemplateParam
from ascendopt.analysis.facts.ir import Body, Expr, Num, Parameter
from ascendopt.analysis.facts.lower import BodyLowering
from ascendopt.analysis.facts.lower_expr import parse_integer
from ascendopt.analysis.facts.places import Content, Place, Region, Regions, Taken
from ascendopt.analysis.source import SourceFile

Signature = tuple[object, ...]


@dataclass(eq=False)
class FunctionInfo:
    """One function definition. ``owner`` is its class or empty, ``owner_arguments`` what stands in brackets behind that
    (``T`` of ``Scale<T>::Init``). ``specialised`` are the arguments of ``f<half>`` in a full specialisation,
    ``head_size`` the bytes of ``content`` before the body, ``guard`` a preprocessor condition that asks for dtypes.
    """

    name: str
    owner: str
    templates: tuple[TemplateParam, ...]
    specialised: tuple[str, ...]
    path: Path
    region: Region
    content: Content
    head_size: int
    name_place: Place
    is_entry: bool
    node: Node
    source: SourceFile
    bodies: BodyCache
    owner_templates: tuple[TemplateParam, ...] = ()
    owner_arguments: tuple[str, ...] = ()
    guard: str = ""
    head: Region | None = None
    """The region of an entry in pieces that stands for all but the pieces."""
    defaults: tuple[str, ...] = ()
    """Default arguments that the declaration in the class states, by parameter; empty text where there is none."""
    _body: Body | None = None

    @property
    def place(self) -> Place:
        """All of the definition."""
        return Place(self.region, 0, len(self.content.data))

    @cached_property
    def signature(self) -> Signature:
        """Equal for two definitions that a caller cannot tell apart without their bodies."""
        content, size = self.content, self.head_size
        head = (content.masked[:size], content.data[:size], content.tree)
        own = (self.name, self.owner, self.templates, self.specialised, self.owner_templates, self.is_entry)
        own = (*own, self.owner_arguments, self.guard, self.defaults)
        return (own, self.path, self.region, self.name_place.start, head)

    @property
    def qualified(self) -> str:
        """``Class::name``."""
        return f"{self.owner}::{self.name}" if self.owner else self.name

    def fact(self) -> FunctionFact:
        """What the rules may know of the definition."""
        return FunctionFact(
            name=self.qualified,
            parameters=tuple((p.type + p.indirect, p.name) for p in self._parameters()),
            templates=self.templates,
            site=Site(self.path, self.place, self.qualified),
            name_span=self.name_place.span,
            is_entry=self.is_entry,
        )

    def _parameters(self) -> tuple[Parameter, ...]:
        """Without the rest of the body, which is lowered for walks: most of a shared header is never walked."""
        body = self._body or self.bodies.known((self.content.masked, self.content.tree))
        if body is not None:
            return body.parameters
        return BodyLowering(self.source.masked, self.node.start_byte).parameters_of(self.node)

    def body(self) -> Body:
        """Lowered form; shared by every version of the file in which the function's text is the same."""
        if self._body is None:
            key = (self.content.masked, self.content.tree)
            # Not `region.at`: a later version of the file may have moved the region.
            at = self.node.start_byte
            self._body = self.bodies.get(key, lambda: BodyLowering(self.source.masked, at).function(self.node))
            if any(self.defaults):
                given = (*self.defaults, *[""] * len(self._body.parameters))
                pairs = zip(self._body.parameters, given, strict=False)
                self._body = replace(self._body, parameters=tuple(_with_default(p, text) for p, text in pairs))
        return self._body


def _with_default(parameter: Parameter, text: str) -> Parameter:
    if not text or parameter.default is not None:
        return parameter
    value = {"true": 1, "false": 0}.get(text, parse_integer(text))
    return replace(parameter, default=Num(0, 0, value))


@dataclass(eq=False)
class FieldInfo:
    """A data member, a global or a constant. Expressions are relative to ``region``, its declaration. A variable
    template has ``templates``; ``variants`` are its specialisations, each for the patterns ``specialised``."""

    name: str
    type: str
    init: Expr | None
    array: Expr | None
    indirect: str
    is_constant: bool
    path: Path
    region: Region
    place: Place
    content: Content
    templates: tuple[TemplateParam, ...] = ()
    specialised: tuple[str, ...] = ()
    variants: tuple[FieldInfo, ...] = ()

    @cached_property
    def signature(self) -> Signature:
        """Equal for two declarations that mean the same."""
        own = (self.name, self.type, self.indirect, self.is_constant, self.templates, self.specialised)
        own = (*own, tuple(variant.signature for variant in self.variants))
        return (own, self.path, self.region, self.place.start, self.place.end, self.content)


@dataclass(eq=False)
class ClassInfo:
    """A class or struct. ``specialised`` are the patterns of a specialisation, ``defaults`` the default arguments of
    methods that are defined elsewhere, by name and number of parameters."""

    name: str
    templates: tuple[TemplateParam, ...]
    specialised: tuple[str, ...]
    bases: tuple[str, ...]
    path: Path
    place: Place
    guard: str = ""
    fields: dict[str, FieldInfo] = field(default_factory=dict[str, FieldInfo])
    methods: dict[str, list[FunctionInfo]] = field(default_factory=dict[str, list[FunctionInfo]])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    defaults: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict[tuple[str, int], "tuple[str, ...]"])

    @cached_property
    def signature(self) -> Signature:
        """Equal for two classes that differ in the bodies of methods at most. Ask when all methods are there."""
        own = (self.name, self.templates, self.specialised, self.bases, tuple(self.aliases.items()), self.guard)
        fields = tuple(declared.signature for declared in self.fields.values())
        methods = tuple(tuple(method.signature for method in group) for group in self.methods.values())
        return (own, self.path, self.place.region, fields, methods)


@dataclass(frozen=True)
class Macro:
    """``#define``. ``parameters`` is None for an object-like macro; the last one may be ``...``."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    guard: str = ""
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Alias:
    """``using name = type;`` of a file; with template parameters ``templates``."""

    type: str
    templates: tuple[TemplateParam, ...] = ()
    guard: str = ""


class Alternative(Protocol):
    """A declaration that stands in a preprocessor branch; ``guard`` is the condition, empty when there is none that
    asks for dtypes."""

    @property
    def guard(self) -> str:
        """The condition."""
        ...


ClassKey = tuple[Content, tuple[TemplateParam, ...], str]
"""All that the reading of a class depends on: its text, its template parameters, the condition around it."""


@dataclass(frozen=True, eq=False)
class ReadClass:
    """What reading a class gave: itself with the classes inside, and the regions that were taken for them."""

    classes: tuple[ClassInfo, ...]
    regions: tuple[Taken, ...]


@dataclass(eq=False)
class Unit:
    """Declarations of one file."""

    path: Path
    regions: Regions
    classes: list[ClassInfo] = field(default_factory=list[ClassInfo])
    functions: list[FunctionInfo] = field(default_factory=list[FunctionInfo])
    methods: list[FunctionInfo] = field(default_factory=list[FunctionInfo])
    constants: dict[str, FieldInfo] = field(default_factory=dict[str, FieldInfo])
    variants: list[FieldInfo] = field(default_factory=list[FieldInfo])
    """Specialisations of variable templates."""
    macros: dict[str, Macro] = field(default_factory=dict[str, Macro])
    aliases: list[tuple[str, Alias]] = field(default_factory=list[tuple[str, Alias]])
    register_code: Site | None = None
    """Where a file of the register programming model shows that it is one."""
    known_classes: dict[ClassKey, ReadClass] = field(default_factory=dict[ClassKey, ReadClass])
    """Those that the next version takes over where their text is the same."""
