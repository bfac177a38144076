"""What one file declares: classes, functions, constants, macros, aliases. Function bodies are lowered on
demand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from tree_sitter import Node

from ascendopt.analysis.facts.cache import BodyCache
from ascendopt.analysis.facts.ir import Binary, Body, Expr, Num, Parameter
from ascendopt.analysis.facts.lower import BodyLowering
from ascendopt.analysis.facts.lower_expr import parse_integer
from ascendopt.analysis.facts.model import FunctionFact, Site, TemplateParam
from ascendopt.analysis.facts.pieces import EntryPieces
from ascendopt.analysis.facts.places import NO_CONTENT, Content, Place, Region, Regions
from ascendopt.analysis.source import SourceFile, register_code

_TYPE_PARAMETERS = ("type_parameter_declaration", "optional_type_parameter_declaration")
_CONTAINERS = (
    "translation_unit",
    "namespace_definition",
    "declaration_list",
    "linkage_specification",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
    "ERROR",
)
_CLASSES = ("class_specifier", "struct_specifier", "union_specifier")
Signature = tuple[object, ...]
_POINTER = re.compile(r"\(\s*\w+\s*::\s*\*\s*(\w+)\s*\)")  # `void (Class::*name)(int)`
_HEAD = re.compile(rb"[;{}]")


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


def read_unit(source: SourceFile, bodies: BodyCache, before: Regions | None = None) -> Unit:
    """Declarations of a parsed file. ``before`` are the regions of the version that was read last."""
    reader = _Reader(source, bodies, Regions(before))
    reader.items(source.tree.root_node)
    reader.unit.register_code = reader.register_code()
    reader.unit.regions.finish()
    return reader.unit


def _conjunction(left: str, right: str) -> str:
    return f"({left}) && ({right})" if left and right else left or right


class _Reader(BodyLowering):
    def __init__(self, source: SourceFile, bodies: BodyCache, regions: Regions) -> None:
        super().__init__(source.masked, 0)
        self.file = source
        self.bodies = bodies
        self.unit = Unit(source.path, regions)
        self.guard = ""
        self.around: tuple[TemplateParam, ...] = ()
        """The class's parameters in ``template <..> template <..>`` before a method that has its own."""

    def content(self, node: Node) -> Content:
        start, end = node.start_byte, node.end_byte
        return Content(self.text[start:end], self.file.data[start:end], str(node) if node.has_error else "")

    def register_code(self) -> Site | None:
        span = register_code(self.file)
        if span is None:
            return None
        text, data = self.text[span.start : span.end], self.file.data[span.start : span.end]
        region = self.unit.regions.take("register code", "", "", span.start, Content(text, data, ""))
        return Site(self.file.path, Place(region, 0, span.end - span.start))

    def items(self, node: Node, templates: tuple[TemplateParam, ...] = ()) -> None:
        for child in node.named_children:
            self.item(child, templates)

    def item(self, node: Node, templates: tuple[TemplateParam, ...]) -> None:
        kind = node.type
        if kind.startswith("preproc_if"):
            self.branch(node, lambda child: self.item(child, ()))
        elif kind in _CONTAINERS:
            self.items(node)
        elif kind == "template_declaration":
            own = self.template_parameters(node.child_by_field_name("parameters"))
            around, self.around = self.around, templates
            for child in node.named_children:
                if child.type not in ("template_parameter_list", "requires_clause"):
                    self.item(child, own)
            self.around = around
        elif kind == "function_definition":
            found = self.function_info(node, "", templates, ())
            if found is not None:
                (self.unit.methods if found.owner else self.unit.functions).append(found)
        elif kind in _CLASSES:
            self.class_info(node, templates)
        elif kind in ("declaration", "field_declaration"):
            self.global_declaration(node, templates)
        elif kind == "enum_specifier":
            self.unit.constants.update(self.enumerators(node))
        elif kind in ("preproc_def", "preproc_function_def"):
            self.macro(node)
        elif kind in ("alias_declaration", "type_definition"):
            for name, text in self.alias(node).items():
                self.unit.aliases.append((name, Alias(text, templates, self.guard)))

    def branch(self, node: Node, read: Callable[[Node], None]) -> None:
        """A preprocessor branch with what follows it: declarations keep under which condition they stand."""
        outer, condition = self.guard, self.directive(node)
        skipped = [node.child_by_field_name(name) for name in ("name", "condition", "alternative")]
        self.guard = _conjunction(outer, condition)
        for child in node.named_children:
            if all(part is None or part.id != child.id for part in skipped):
                read(child)
        alternative = skipped[2]
        if alternative is not None:
            self.guard = _conjunction(outer, f"!({condition})" if condition else "")
            self.branch(alternative, read)
        self.guard = outer

    # ------------------------------------------------------------------ templates

    def template_parameters(self, node: Node | None) -> tuple[TemplateParam, ...]:
        found: list[TemplateParam] = []
        for child in node.named_children if node is not None else ():
            if child.type in _TYPE_PARAMETERS:
                names = [c for c in child.named_children if c.type == "type_identifier"]
                name = child.child_by_field_name("name") or (names[0] if names else None)
                default = child.child_by_field_name("default_type")
                if name is not None:
                    text = self.type_text(default) if default is not None else None
                    found.append(TemplateParam(self.source(name), "type", text))
            elif child.type in ("parameter_declaration", "optional_parameter_declaration"):
                name, _, _ = self.declarator(child.child_by_field_name("declarator"))
                pointer = _POINTER.search(self.source(child)) if not name else None
                name = pointer[1] if pointer is not None else name
                default = child.child_by_field_name("default_value")
                text = self.source(default) if default is not None else None
                found.append(TemplateParam(name, "value", text))
            elif child.type == "template_template_parameter_declaration":
                words = re.findall(r"\w+", self.source(child))
                found.append(TemplateParam(words[-1] if words else "", "type"))
            elif child.type != "comment":
                found.append(TemplateParam("", "other"))
        return tuple(found)

    # ------------------------------------------------------------------ functions

    def function_info(
        self, node: Node, owner: str, templates: tuple[TemplateParam, ...], outer: tuple[TemplateParam, ...]
    ) -> FunctionInfo | None:
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            inner = declarator.child_by_field_name("declarator")
            if inner is None:
                inner = next((c for c in declarator.named_children if "declarator" in c.type), None)
            declarator = inner
        named = declarator.child_by_field_name("declarator") if declarator is not None else None
        body = node.child_by_field_name("body")
        if named is None or body is None:
            return None
        specialised: tuple[str, ...] = ()
        owner_arguments: tuple[str, ...] = ()
        while named.type == "qualified_identifier":
            scope = named.child_by_field_name("scope")
            if scope is not None and not owner:
                owner, owner_arguments = self._plain_name(scope)
                outer, templates = (self.around, templates) if self.around else (templates, ())
            inner = named.child_by_field_name("name")
            if inner is None:
                return None
            named = inner
        if named.type in ("template_function", "template_method"):
            name, specialised = self._plain_name(named)
            named = named.child_by_field_name("name") or named
        else:
            name = self.source(named)
        head = self.file.data[max(0, node.start_byte - 200) : named.start_byte]
        head = _HEAD.split(head)[-1]
        start = node.start_byte
        content = self.content(node)
        region = self.unit.regions.take("function", owner, name, start, content)
        is_entry = b"__global__" in head
        lowered: Body | None = None
        head_region: Region | None = None
        if is_entry and body.type == "compound_statement":
            lowered, head_region = EntryPieces(self.file, self.bodies, self.unit.regions, name).body(node, body)
        return FunctionInfo(
            name=name,
            owner=owner,
            templates=templates,
            specialised=specialised,
            path=self.file.path,
            region=region,
            content=region.content,
            head_size=body.start_byte - start,
            name_place=Place(region, named.start_byte - start, named.end_byte - start),
            is_entry=is_entry,
            node=node,
            source=self.file,
            bodies=self.bodies,
            owner_templates=outer,
            owner_arguments=owner_arguments,
            guard=self.guard,
            head=head_region,
            _body=lowered,
        )

    # ------------------------------------------------------------------ classes

    def class_info(self, node: Node, templates: tuple[TemplateParam, ...]) -> None:
        name_node = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name_node is None or body is None:
            return
        name, specialised = self._plain_name(name_node)
        bases: list[str] = []
        for child in node.named_children:
            if child.type == "base_class_clause":
                bases.extend(self.type_text(c) for c in child.named_children if c.type != "access_specifier")
        region = self.unit.regions.take("class", "", name, node.start_byte, NO_CONTENT)
        info = ClassInfo(
            name=name,
            templates=templates,
            specialised=specialised,
            bases=tuple(bases),
            path=self.file.path,
            place=Place(region, 0, node.end_byte - node.start_byte),
            guard=self.guard,
        )
        self.unit.classes.append(info)
        self.members(body, info, ())

    def members(self, node: Node, info: ClassInfo, templates: tuple[TemplateParam, ...]) -> None:
        for child in node.named_children:
            self.member(child, info, templates)

    def member(self, child: Node, info: ClassInfo, templates: tuple[TemplateParam, ...]) -> None:
        kind = child.type
        if kind == "function_definition":
            found = self.function_info(child, info.name, templates, info.templates)
            if found is not None:
                info.methods.setdefault(found.name, []).append(found)
        elif kind in ("field_declaration", "declaration"):
            inner = child.child_by_field_name("type")
            if inner is not None and inner.type in _CLASSES:
                self.class_info(inner, ())
            elif inner is not None and inner.type == "enum_specifier":
                self.unit.constants.update(self.enumerators(inner))
            info.fields.update({f.name: f for f in self.variables(child, info.name)})
            self.prototype(child, info)
        elif kind == "template_declaration":
            own = self.template_parameters(child.child_by_field_name("parameters"))
            self.members(child, info, own)
        elif kind in ("alias_declaration", "type_definition"):
            self.class_alias(child, info)
        elif kind in _CLASSES:
            self.class_info(child, templates)
        elif kind == "enum_specifier":
            self.unit.constants.update(self.enumerators(child))
        elif kind in ("preproc_def", "preproc_function_def"):
            self.macro(child)
        elif kind.startswith("preproc_if"):
            self.branch(child, lambda part: self.member(part, info, ()))
        elif kind.startswith("preproc_") or kind == "ERROR":
            self.members(child, info, ())

    def prototype(self, node: Node, info: ClassInfo) -> None:
        """Note the default arguments of a method that is only declared here."""
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator")
        named = declarator.child_by_field_name("declarator") if declarator is not None else None
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        if named is None or listed is None:
            return
        parts = [part for part in listed.named_children if part.type.endswith("parameter_declaration")]
        values = [part.child_by_field_name("default_value") for part in parts]
        texts = tuple(self.source(value) if value is not None else "" for value in values)
        if any(texts):
            info.defaults[(self.source(named), len(texts))] = texts

    def class_alias(self, node: Node, info: ClassInfo) -> None:
        for name, text in self.alias(node).items():
            # Under a condition that is not decided here it would be a guess.
            if not self.guard:
                info.aliases[name] = text
            elif info.aliases.get(name, text) != text:
                del info.aliases[name]

    # ------------------------------------------------------------------ variables

    def global_declaration(self, node: Node, templates: tuple[TemplateParam, ...]) -> None:
        kind = node.child_by_field_name("type")
        if kind is not None and kind.type in _CLASSES:
            self.class_info(kind, templates)
        elif kind is not None and kind.type == "enum_specifier":
            self.unit.constants.update(self.enumerators(kind))
        for variable in self.variables(node):
            if variable.specialised:
                self.unit.variants.append(replace(variable, templates=templates))
            else:
                self.unit.constants.setdefault(variable.name, replace(variable, templates=templates))

    def variables(self, node: Node, owner: str = "") -> list[FieldInfo]:
        kind = node.child_by_field_name("type")
        if kind is None:
            return []
        text = self.source(node)
        start = self.base = node.start_byte
        region: Region | None = None
        found: list[FieldInfo] = []
        values = node.children_by_field_name("default_value")
        for child in node.children_by_field_name("declarator"):
            if "function" in child.type:
                continue
            declarator: Node | None = child
            value: Node | None = None
            if child.type == "init_declarator":
                declarator = child.child_by_field_name("declarator")
                value = child.child_by_field_name("value")
            elif values:
                after = [v for v in values if v.start_byte >= child.end_byte]
                if after:  # a default belongs to the declarator just before it
                    between = self.text[child.end_byte : after[0].start_byte]
                    value = after[0] if b"," not in between else None
            specialised: tuple[str, ...] = ()
            if declarator is not None and declarator.type == "template_function":
                name, specialised = self._plain_name(declarator)
                indirect, array = "", None
            else:
                name, indirect, array = self.declarator(declarator)
            if not name:
                continue
            if region is None:
                region = self.unit.regions.take("field", owner, name, start, self.content(node))
            found.append(
                FieldInfo(
                    name=name,
                    type=self.type_text(kind),
                    init=self.lower(value) if value is not None else None,
                    array=self.lower(array) if array is not None else None,
                    indirect=indirect,
                    is_constant="const" in text.split("=")[0],
                    path=self.file.path,
                    region=region,
                    place=Place(region, child.start_byte - start, child.end_byte - start),
                    content=region.content,
                    specialised=specialised,
                )
            )
        self.base = 0
        return found

    def enumerators(self, node: Node) -> dict[str, FieldInfo]:
        body = node.child_by_field_name("body")
        found: dict[str, FieldInfo] = {}
        anchor: Expr | None = None
        steps = 0
        start = self.base = node.start_byte
        region: Region | None = None
        for child in body.named_children if body is not None else ():
            name = child.child_by_field_name("name")
            if child.type != "enumerator" or name is None:
                continue
            value = child.child_by_field_name("value")
            if value is not None:
                anchor, steps = self.lower(value), 0
            ordinal = Num(*self.span(name), steps)
            expr = ordinal if anchor is None else Binary(*self.span(name), "+", anchor, ordinal)
            steps += 1
            text = self.source(name)
            if region is None:
                region = self.unit.regions.take("enum", "", text, start, self.content(node))
            place = Place(region, name.start_byte - start, name.end_byte - start)
            found[text] = FieldInfo(
                text, "int32_t", expr, None, "", True, self.file.path, region, place, region.content
            )
        self.base = 0
        return found

    # ------------------------------------------------------------------ macros, aliases

    def macro(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None:
            return
        parameters: tuple[str, ...] | None = None
        listed = node.child_by_field_name("parameters")
        if listed is not None:
            parameters = tuple(self.source(c) for c in listed.children if c.type in ("identifier", "..."))
        body = self.source(value).replace("\\\r\n", "  \n").replace("\\\n", " \n") if value is not None else ""
        body = re.sub(r"//[^\n]*|/\*.*?\*/", " ", body, flags=re.DOTALL).strip()
        region = self.unit.regions.take("macro", "", self.source(name), name.start_byte, NO_CONTENT)
        place = Place(region, 0, name.end_byte - name.start_byte)
        made = Macro(self.source(name), parameters, body, self.guard, place)
        known = self.unit.macros.get(made.name)
        if self.guard and known is not None and known.body != body:
            made = Macro(made.name, parameters, "", self.guard, place)  # one of several: not decided here
        self.unit.macros[made.name] = made
