"""Reads what one file declares. A class whose text is that of the version before is taken over from there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from tree_sitter import Node

from ascendopt.analysis.facts.cache import BodyCache
from ascendopt.analysis.facts.declared import Site, TemplateParam
from ascendopt.analysis.facts.ir import Binary, Body, Expr, Num
from ascendopt.analysis.facts.lower import BodyLowering, function_declarator
from ascendopt.analysis.facts.pieces import EntryPieces
from ascendopt.analysis.facts.places import NO_CONTENT, Content, Place, Region, Regions
from ascendopt.analysis.facts.unit import Alias, ClassInfo, FieldInfo, FunctionInfo, Macro, ReadClass, Unit
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
_POINTER = re.compile(r"\(\s*\w+\s*::\s*\*\s*(\w+)\s*\)")  # `void (Class::*name)(int)`
_HEAD = re.compile(rb"[;{}]")
_MORE_THAN_CLASSES = re.compile(rb"\benum\b|#[ \t]*define\b|\b__global__\b")
"""What a class declares for the whole file, or what depends on more than its text."""


def read_unit(source: SourceFile, bodies: BodyCache, before: Unit | None = None) -> Unit:
    """Declarations of a parsed file. ``before`` is the version that was read last."""
    reader = _Reader(source, bodies, before)
    reader.items(source.tree.root_node)
    reader.unit.register_code = reader.register_code()
    reader.unit.regions.finish()
    return reader.unit


def _conjunction(left: str, right: str) -> str:
    return f"({left}) && ({right})" if left and right else left or right


class _Reader(BodyLowering):
    def __init__(self, source: SourceFile, bodies: BodyCache, before: Unit | None) -> None:
        super().__init__(source.masked, 0)
        self.file = source
        self.bodies = bodies
        self.unit = Unit(source.path, Regions(before.regions if before is not None else None))
        self.known_classes = before.known_classes if before is not None else {}
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
        declarator = function_declarator(node)
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
        content = self.content(node)
        key = (content, templates, self.guard)
        known = self.known_classes.get(key)
        if known is not None and self.unit.regions.take_again(known.regions, node.start_byte):
            self.unit.classes.extend(known.classes)
        else:
            regions, classes = len(self.unit.regions.taken), len(self.unit.classes)
            self.read_class(node, templates)
            if content.tree or _MORE_THAN_CLASSES.search(content.data):
                return
            taken = self.unit.regions.taken[regions:]
            relative = tuple(each._replace(at=each.at - node.start_byte) for each in taken)
            known = ReadClass(tuple(self.unit.classes[classes:]), relative)
        self.unit.known_classes[key] = known

    def read_class(self, node: Node, templates: tuple[TemplateParam, ...]) -> None:
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
