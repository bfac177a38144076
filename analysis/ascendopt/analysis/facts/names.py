"""Names during a walk: variables, members, constants."""

from __future__ import annotations

from dataclasses import replace

from ascendopt.analysis.apis.table import enumerations
from ascendopt.analysis.facts.declared import PipeFact, QueueFact, Site, TensorFact
from ascendopt.analysis.facts.expansions import parsed_expression
from ascendopt.analysis.facts.ir import Braces, Expr
from ascendopt.analysis.facts.program import split_template
from ascendopt.analysis.facts.runtime import (
    ArrayRef,
    Binding,
    Enumerator,
    Frame,
    FunctionRef,
    Object,
    PipeRef,
    QueueRef,
    RuntimeValue,
    Struct,
    TilingRef,
    struct_table,
)
from ascendopt.analysis.facts.templates import Unifier, last
from ascendopt.analysis.facts.types import TypeWalk
from ascendopt.analysis.facts.unit import FieldInfo
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.values import Value, symbol

QUEUES = ("TQue", "TQueBind", "TBuf")
TENSORS = ("LocalTensor", "GlobalTensor")
UNSIGNED = ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "bool", "unsigned", "unsigned int")


class NameWalk(TypeWalk):
    """Resolution of names in the current frame."""

    # ------------------------------------------------------------------ objects

    def make(self, type_text: str, name: str, site: Site, owner: str) -> RuntimeValue:
        """A default-constructed variable of a type; None for numbers and what is not followed."""
        resolved = self.resolve_type(type_text)
        head, arguments = split_template(last(resolved))
        if head in QUEUES:
            return QueueRef(self.queue_fact(head, arguments, name, site, owner))
        if head == "TPipe":
            return PipeRef(PipeFact(name, "local" if "(" in owner else "member", owner.rstrip("()"), site))
        if head in TENSORS:
            element = arguments[0] if arguments else None
            return TensorFact(
                memory="local" if head == "LocalTensor" else "global",
                element=element,
                element_bytes=self.size_of(element) if element else self.unknown("sizeof", 1, 8),
                name=name,
            )
        struct = struct_table().make(head)
        if struct is not None:
            return struct
        if head in self.tiling_structs:
            return TilingRef("tiling.", self.tiling_structs[head])
        found = self.chosen_class(resolved)
        if found is not None:
            made = Object(found[0], found[1], {}, resolved, is_certain=found[2])
            self.objects.append(made)
            return made
        return None

    def queue_fact(self, kind: str, arguments: tuple[str, ...], name: str, site: Site, owner: str) -> QueueFact:
        """The declaration of a queue with its positions and depth."""
        places = [argument.rsplit("::", 1)[-1] for argument in arguments]
        depth: Value | None = None
        if kind == "TQue":
            positions = tuple(places[:1])
            depth = self.constant_text(arguments[1]) if len(arguments) > 1 else None
        elif kind == "TQueBind":
            positions = tuple(places[:2])
            depth = self.constant_text(arguments[2]) if len(arguments) > 2 else None
        else:
            positions = tuple(places[:1]) or ("VECCALC",)
        return QueueFact(name, kind, positions, depth, owner.rstrip("()"), site)

    def member(self, current: Object, name: str) -> RuntimeValue:
        """A data member, made from its declaration the first time."""
        if name in current.members:
            return current.members[name]
        for info, bindings in self.hierarchy(current):
            declared = info.fields.get(name)
            if declared is not None:
                current.members[name] = None  # half-typed code may name a member in its own declaration
                value = self.in_class(current, bindings, declared)
                if isinstance(value, Value) and not (declared.is_constant or declared.init is not None):
                    value = symbol(f"?{info.name}.{name}", 0 if declared.type in UNSIGNED else None)
                current.members[name] = value
                return value
        return None

    def has_member(self, current: Object, name: str) -> bool:
        """True when the object's class or a base declares it, or something was stored under the name."""
        return name in current.members or any(name in info.fields for info, _ in self.hierarchy(current))

    def in_class(self, current: Object, bindings: dict[str, Binding], declared: FieldInfo) -> RuntimeValue:
        """A member's initial value, evaluated in the class that declares it."""
        site = Site(declared.path, declared.place, "")
        frame = Frame(None, declared.path, declared.region, current, dict(bindings))
        self.frames.append(frame)
        outer, self.frame = self.frame, frame
        try:
            return self.declared_value(declared, site, current.info.name)
        finally:
            self.frames.pop()
            self.frame = outer

    def declared_value(self, declared: FieldInfo, site: Site, owner: str) -> RuntimeValue:
        """What a member or global holds before anything is assigned to it."""
        if declared.indirect == "*":
            return None
        init = declared.init
        if isinstance(init, Braces) and not init.type and declared.array is None:
            init = replace(init, type=declared.type)
        if init is not None:
            value = self.quietly(init)
            if isinstance(value, (Value, Enumerator, Struct)):
                return value
        made = self.make(declared.type, declared.name, site, owner)
        if made is None and self.is_integer(declared.type):
            made = symbol(f"?{declared.name}", 0 if declared.type in UNSIGNED else None)
        if declared.array is not None:
            length = self.quietly(declared.array)
            count = length.constant() if isinstance(length, Value) else None
            if isinstance(made, QueueRef):
                fact = made.fact
                return ArrayRef(
                    {},
                    QueueRef(QueueFact(fact.name, fact.kind, fact.positions, fact.depth, fact.owner, fact.site, count)),
                    declared.name,
                )
            return ArrayRef(self._listed(declared), None if isinstance(made, Value) else made, declared.name)
        return made

    def _listed(self, declared: FieldInfo) -> dict[str, RuntimeValue]:
        """What the initialiser of a constant array says, by index; in others an element may have changed."""
        if not declared.is_constant or not isinstance(declared.init, Braces) or declared.init.fields:
            return {}
        items = [item if isinstance(item, Braces) else self.quietly(item) for item in declared.init.items]
        return {str(index): item for index, item in enumerate(items) if isinstance(item, Value)}

    def is_integer(self, type_text: str) -> bool:
        """True for built-in integer types."""
        resolved = self.resolve_type(type_text)
        return resolved in TYPE_BYTES and resolved not in ("half", "float", "double", "bfloat16_t")

    # ------------------------------------------------------------------ names

    def lookup(self, name: str, expr: Expr | None = None) -> RuntimeValue:
        """Value of an unqualified name."""
        frame = self.frame
        if name in frame.locals:
            return frame.locals[name]
        current = frame.self_object
        if name == "this":
            return current
        bound = frame.bindings.get(name)
        if bound is None and current is not None:
            if self.has_member(current, name):
                return self.member(current, name)
            bound = current.bindings.get(name)
        if isinstance(bound, Value):
            return bound
        if isinstance(bound, str):
            return self.enumerator(bound) or self.function_named(bound)
        return self.global_value(name)

    def holds(self, guard: str) -> bool | None:
        expr = parsed_expression(guard)
        value = self.in_bindings({}, None, lambda: self.quietly(expr)) if expr is not None else None
        return bool(value.const) if isinstance(value, Value) and value.is_constant else None

    def global_value(self, name: str) -> RuntimeValue:
        """A constant, enumerator, macro or function of the program; a ``?`` symbol for anything else."""
        constant = self.program.constants.get(name)
        if constant is not None:
            return self.constant_value(constant)
        macro = self.program.macros.get(name)
        if macro is not None and macro.parameters is None and macro.body and macro.body != name:
            return self.macro_value(macro.body)
        if name in self.program.functions:
            return FunctionRef(name)
        return symbol(f"?{name}")

    @staticmethod
    def enumerator(text: str) -> Enumerator | None:
        """The value of an enumeration of the API that ``text`` names, ``AscendC::RoundMode::CAST_RINT``."""
        scope, _, name = text.rpartition("::")
        return Enumerator(last(scope), name) if last(scope) in enumerations() else None

    @staticmethod
    def function_named(text: str) -> FunctionRef | None:
        """The function that a template argument names, ``Exp`` or ``Exp<half>``."""
        head, arguments = split_template(last(text.lstrip("& ")))
        return FunctionRef(head, arguments) if head.isidentifier() else None

    def templated_value(self, name: str, targs: tuple[str, ...]) -> RuntimeValue:
        """``name<targs>`` of a variable template, None for anything else; a symbol while its specialisation is not
        decided."""
        constant = self.program.constants.get(name)
        if constant is None or not constant.templates:
            return None
        arguments = self.with_defaults(constant.templates, targs)
        chosen, table = constant, self.bound(constant.templates, arguments)
        for variant in sorted(constant.variants, key=lambda one: -len(one.templates)):
            unifier = Unifier((parameter.name for parameter in variant.templates), self.is_concrete)
            fits = unifier.all(self.patterns(variant.specialised, variant.templates), arguments)
            if fits is None:
                return symbol(f"?same({name}<{','.join(arguments)}>)")
            if fits:
                chosen, table = variant, self.typed(variant.templates, unifier.table)
        init = chosen.init
        value = self.in_bindings(table, None, lambda: self.quietly(init)) if init is not None else None
        return value if isinstance(value, Value) else symbol(f"?same({name}<{','.join(arguments)}>)")

    def constant_value(self, constant: FieldInfo) -> RuntimeValue:
        """A file-level constant; a ``?`` symbol for a mutable global."""
        if constant.templates:
            return symbol(f"?same({constant.name})")
        cached = self.constants_seen.get(constant.name)
        if cached is not None:
            return cached
        self.constants_seen[constant.name] = symbol(f"?{constant.name}")  # breaks cycles
        frame = Frame(None, constant.path, constant.region, None, {})
        outer, self.frame = self.frame, frame
        try:
            value = self.declared_value(constant, Site(constant.path, constant.place, ""), "")
        finally:
            self.frame = outer
        if isinstance(value, (Value, Enumerator)) and not constant.is_constant:
            value = symbol(f"?{constant.name}")
        self.constants_seen[constant.name] = value
        return value

    def macro_value(self, body: str) -> RuntimeValue:
        """Value of an object-like macro's text."""
        expr = parsed_expression(body)
        if expr is None:
            return symbol(f"?{body[:40]}")
        fixed, self.frame.fixed = self.frame.fixed, self.frame.fixed or self.frame.place(0, 0)
        try:
            return self.quietly(expr)
        finally:
            self.frame.fixed = fixed


__all__ = ["QUEUES", "TENSORS", "NameWalk", "split_template"]
