"""Local variables come to life: constructed, converted to their type, or unknown."""

from __future__ import annotations

from ascendopt.analysis.facts.declared import Site, TensorFact
from ascendopt.analysis.facts.expressions import ExpressionWalk
from ascendopt.analysis.facts.ir import (
    Braces,
    Decl,
)
from ascendopt.analysis.facts.runtime import (
    ArrayRef,
    Enumerator,
    Object,
    RuntimeValue,
    Struct,
    struct_table,
)
from ascendopt.analysis.operators.names import UNSIGNED, canonical_type
from ascendopt.analysis.values import (
    Value,
    number,
)


class DeclarationWalk(ExpressionWalk):
    """Declarations on top of expressions."""

    def declare(self, decl: Decl) -> None:
        """A local variable comes to life."""
        value: RuntimeValue = None
        resolved = self.resolve_type(decl.type)
        if decl.init is not None and not isinstance(decl.init, Braces):
            value = self.evaluate(decl.init)
            if isinstance(value, TensorFact):
                value = value.named(decl.name)
            elif isinstance(value, Struct) and decl.indirect != "&":
                value = value.copy()
        elif decl.indirect != "*" and not (decl.array is not None and isinstance(decl.init, Braces)):
            value = self.constructed(decl, resolved)
        if decl.array is None and not decl.indirect:
            self.frame.numbers[decl.name] = resolved
            value = self.converted(value, resolved, decl.name)
        if self.is_integer(resolved) and not decl.indirect:
            value = self.as_number(value)
        if isinstance(value, Enumerator) and self.is_integer(resolved):
            value = None
        if value is None and self.is_integer(resolved) and decl.array is None and not decl.indirect:
            value = self.unknown(decl.name, 0 if resolved in UNSIGNED else None)
        if isinstance(value, Value) and resolved in ("float", "half", "double", "bfloat16_t"):
            value = None
        if decl.array is not None:
            value = self.local_array(decl, value)
        self.write(self.frame.locals, decl.name, value)
        self.on_declare(decl, value)

    def declared_at(self, decl: Decl) -> Site:
        """Where the name of a local variable stands."""
        return self.frame.site(decl.name_start, decl.name_start + len(decl.name))

    def constructed(self, decl: Decl, resolved: str) -> RuntimeValue:
        """``T x``, ``T x(a)``, ``T x{a}``."""
        arguments = decl.args or ()
        if isinstance(decl.init, Braces):
            if struct_table().make(resolved) is not None:
                return self.filled(resolved, decl.init)
            arguments = decl.init.items
        elif decl.args and struct_table().make(resolved) is not None:
            return self.filled(resolved, Braces(decl.start, decl.end, resolved, decl.args))
        if self.is_integer(resolved) and decl.array is None:
            return self.evaluate(arguments[0]) if len(arguments) == 1 else (number(0) if decl.init else None)
        if len(arguments) == 1 and resolved.isidentifier() and not self.is_concrete(resolved):
            return self.evaluate(arguments[0])  # `T x(n)` of a number type that is not known
        tiling = self.tiling_structs.get(resolved)
        if tiling is not None and not arguments:
            return self.tiling_variable(decl, resolved)
        owner = f"{self.frame.name}()"
        made = self.make(resolved, decl.name, self.declared_at(decl), owner)
        if isinstance(made, Object):
            if not (isinstance(decl.init, Braces) and self._aggregate(made, decl.init)):
                self.construct(made, arguments, decl)
        else:
            for argument in arguments:
                self.evaluate(argument)
        return made

    def _aggregate(self, made: Object, braces: Braces) -> bool:
        """``T x{a, b}`` of a class without constructors and bases: the members in their order, or as designated."""
        fields = made.info.fields
        if made.info.bases or made.info.name in made.info.methods:
            return False
        own = [name for name, declared in fields.items() if not (declared.is_constant and declared.init is not None)]
        for name, item in zip(braces.fields or own, braces.items, strict=False):
            if isinstance(item, Braces):
                part = self.member(made, name)
                if isinstance(part, Object):
                    self._aggregate(part, item)
            elif name in fields:
                self.write(made.members, name, self.evaluate(item))
        return True

    def local_array(self, decl: Decl, value: RuntimeValue) -> RuntimeValue:
        """``T x[n] = {..}``."""
        if isinstance(decl.init, Braces):
            kind = self.resolve_type(canonical_type(decl.type))
            items = {str(index): self.item_of(item, kind) for index, item in enumerate(decl.init.items)}
            return ArrayRef(items, None, decl.name)
        return ArrayRef({}, None if isinstance(value, Value) else value, decl.name)
