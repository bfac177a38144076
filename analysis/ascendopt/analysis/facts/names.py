"""Names and types during a walk: variables, members, constants, template arguments, ``sizeof``."""

from __future__ import annotations

from ascendopt.analysis.facts.ir import Expr
from ascendopt.analysis.facts.model import PipeFact, QueueFact, Site, TemplateParam, TensorFact
from ascendopt.analysis.facts.program import split_template
from ascendopt.analysis.facts.runtime import (
    ArrayRef,
    Binding,
    Frame,
    FunctionRef,
    Object,
    PipeRef,
    QueueRef,
    RuntimeValue,
    TilingRef,
    struct_table,
)
from ascendopt.analysis.facts.state import WalkState
from ascendopt.analysis.facts.unit import ClassInfo, FieldInfo
from ascendopt.analysis.operators.names import TYPE_ALIASES, TYPE_BYTES
from ascendopt.analysis.values import Value, number, symbol

QUEUES = ("TQue", "TQueBind", "TBuf")
TENSORS = ("LocalTensor", "GlobalTensor")
UNSIGNED = ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "bool", "unsigned", "unsigned int")
_DEEPEST = 12


class NameWalk(WalkState):
    """Resolution of names and types in the current frame."""

    # ------------------------------------------------------------------ types

    def resolve_type(self, text: str, depth: int = 0) -> str:
        """A type with aliases, template parameters and dtype macros replaced; template arguments included."""
        known = self.frame.types.get(text)
        if known is None:
            known = self._resolve(text, depth)
            self.frame.types[text] = known
        return known

    def _resolve(self, text: str, depth: int) -> str:
        if depth > _DEEPEST or not text:
            return text
        head, arguments = split_template(text)
        if arguments:
            return f"{head}<{','.join(self.resolve_type(argument, depth + 1) for argument in arguments)}>"
        bound = self.binding(text)
        if isinstance(bound, str) and bound != text:
            return self.resolve_type(bound, depth + 1)
        if isinstance(bound, Value):
            return bound.text
        if text in self.dtypes:
            self.dtypes_used.add(text)
            return self.dtypes[text]
        alias = self._alias(text)
        if alias is not None and alias != text:
            return self.resolve_type(alias, depth + 1)
        return TYPE_ALIASES.get(text, text)

    def _alias(self, text: str) -> str | None:
        current = self.frame.self_object
        if current is not None:
            for info, _ in self.hierarchy(current):
                if text in info.aliases:
                    return info.aliases[text]
        found = self.program.aliases.get(text)
        if found is None:
            macro = self.program.macros.get(text)
            if macro is not None and macro.parameters is None and macro.body.replace("_", "a").isalnum():
                found = macro.body if not macro.body[:1].isdigit() else None
        return found

    def binding(self, name: str) -> Binding | None:
        """What a template parameter is bound to in this frame."""
        if name in self.frame.bindings:
            return self.frame.bindings[name]
        current = self.frame.self_object
        return current.bindings.get(name) if current is not None else None

    def size_of(self, text: str) -> Value:
        """``sizeof(text)``; a symbol between 1 and 8 when the type is free."""
        resolved = self.resolve_type(text)
        size = TYPE_BYTES.get(resolved)
        if size is not None:
            return number(size)
        if resolved.endswith("*"):
            return number(8)
        variable = self.frame.locals.get(text)
        if isinstance(variable, Value) or text in self.frame.locals:
            return self.unknown(f"sizeof({text})", 1)
        return symbol(f"sizeof({resolved})", 1, 8 if resolved.isidentifier() else None)

    def class_named(self, text: str) -> tuple[ClassInfo, dict[str, Binding]] | None:
        """The user class that a resolved type names, with its template parameters bound."""
        head, arguments = split_template(text)
        candidates = self.program.classes.get(head.rsplit("::", 1)[-1])
        if not candidates:
            return None
        info = next((c for c in candidates if c.specialised and c.specialised == arguments), None)
        if info is None:
            info = next((c for c in candidates if not c.specialised), candidates[0])
        return info, self.bound(info.templates, arguments)

    def bound(self, templates: tuple[TemplateParam, ...], arguments: tuple[str, ...]) -> dict[str, Binding]:
        """Template parameters and what they stand for; free ones are left out."""
        table: dict[str, Binding] = {}
        for index, parameter in enumerate(templates):
            text = arguments[index] if index < len(arguments) else parameter.default
            if text is None or not parameter.name:
                continue
            if parameter.kind == "type":
                table[parameter.name] = self.resolve_type(text)
            else:
                value = self.constant_text(text)
                table[parameter.name] = value if value is not None else text
        return table

    def constant_text(self, text: str) -> Value | None:
        """Integer value of a template argument's text, None when it is not an integer."""
        if text in ("true", "false"):
            return number(int(text == "true"))
        if text.isidentifier() and self.binding(text) is None and not self._is_constant(text):
            return None
        expr = self.program.expression(text)
        value = self.quietly(expr) if expr is not None else None
        return value if isinstance(value, Value) and value.is_known else None

    def _is_constant(self, name: str) -> bool:
        if name in self.program.constants or name in self.program.macros or name in self.frame.locals:
            return True
        current = self.frame.self_object
        return current is not None and any(name in info.fields for info, _ in self.hierarchy(current))

    def hierarchy(self, current: Object) -> list[tuple[ClassInfo, dict[str, Binding]]]:
        """The object's class and its base classes, each with its bindings, derived first."""
        if current.chain is not None:
            return current.chain
        found: list[tuple[ClassInfo, dict[str, Binding]]] = [(current.info, current.bindings)]
        current.chain = found
        for info, bindings in found:
            for base in info.bases:
                if len(found) > _DEEPEST:
                    break
                head, arguments = split_template(base)
                candidates = self.program.classes.get(head)
                if not candidates:
                    continue
                inner = next((c for c in candidates if not c.specialised), candidates[0])
                texts = [bindings.get(argument, argument) for argument in arguments]
                table: dict[str, Binding] = {}
                for parameter, value in zip(inner.templates, texts, strict=False):
                    known = value if isinstance(value, Value) or parameter.kind == "type" else None
                    if known is None and isinstance(value, str):
                        known = number(int(value)) if value.isdigit() else value
                    if known is not None:
                        table[parameter.name] = known
                current.bindings.update({k: v for k, v in table.items() if k not in current.bindings})
                found.append((inner, table))
        return found

    # ------------------------------------------------------------------ objects

    def make(self, type_text: str, name: str, site: Site, owner: str) -> RuntimeValue:
        """A default-constructed variable of a type; None for numbers and what is not followed."""
        resolved = self.resolve_type(type_text)
        head, arguments = split_template(resolved)
        head = head.rsplit("::", 1)[-1]
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
        found = self.class_named(resolved)
        if found is not None:
            made = Object(found[0], found[1], {}, resolved)
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
        if declared.init is not None:
            value = self.quietly(declared.init)
            if isinstance(value, Value):
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
            return ArrayRef({}, None if isinstance(made, Value) else made, declared.name)
        return made

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
            return FunctionRef(bound) if bound.isidentifier() else None
        return self.global_value(name)

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

    def constant_value(self, constant: FieldInfo) -> RuntimeValue:
        """A file-level constant; a ``?`` symbol for a mutable global."""
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
        if isinstance(value, Value) and not constant.is_constant:
            value = symbol(f"?{constant.name}")
        self.constants_seen[constant.name] = value
        return value

    def macro_value(self, body: str) -> RuntimeValue:
        """Value of an object-like macro's text."""
        expr = self.program.expression(body)
        if expr is None:
            return symbol(f"?{body[:40]}")
        fixed, self.frame.fixed = self.frame.fixed, self.frame.fixed or self.frame.place(0, 0)
        try:
            return self.quietly(expr)
        finally:
            self.frame.fixed = fixed


__all__ = ["QUEUES", "TENSORS", "NameWalk", "split_template"]
