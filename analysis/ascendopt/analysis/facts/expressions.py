"""Evaluation of expressions: arithmetic, assignment, members, indices, declarations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ascendopt.analysis.facts.calls import CallWalk
from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.ir import (
    Assign,
    Binary,
    Braces,
    Call,
    Cast,
    Expr,
    Index,
    Lambda,
    Member,
    Name,
    Num,
    Opaque,
    SizeOf,
    Ternary,
    Unary,
)
from ascendopt.analysis.facts.runtime import (
    Address,
    ArrayRef,
    Enumerator,
    HostRef,
    LambdaRef,
    Object,
    RuntimeValue,
    Scalar,
    Struct,
    TilingRef,
    struct_table,
)
from ascendopt.analysis.operators.names import TYPE_BYTES, UNSIGNED, canonical_type
from ascendopt.analysis.values import (
    Value,
    bit_and,
    both,
    compare,
    conditional,
    divide,
    either,
    negate,
    number,
    remainder,
    symbol,
    truth,
)

_RELATIONS = ("==", "!=", "<", "<=", ">", ">=")
_LONGEST = 4000
_GROWING = frozenset({Unary, Binary, Ternary, Call, Assign})
"""Expressions that can make a longer value than their parts."""


class ExpressionWalk(CallWalk):
    """Expressions of the current frame."""

    def evaluate(self, expr: Expr) -> RuntimeValue:
        """Value of an expression; its calls are walked and its assignments happen."""
        handler = _HANDLERS.get(type(expr))
        if handler is None:
            return None
        value = handler(self, expr)
        if isinstance(value, Value) and type(expr) in _GROWING and value.is_longer_than(_LONGEST):
            known = value.range.tame()
            return self.unknown("long", known.lo, known.hi, known.mod if known.rem == 0 else 1)
        return value

    def effect(self, expr: Expr) -> None:
        """Evaluate for the effect; macros that stand for statements are expanded here."""
        if isinstance(expr, Call) and isinstance(expr.callee, Name) and self.expand_macro(expr):
            return
        self.evaluate(expr)

    def integer(self, expr: Expr) -> Value:
        """Value of an integer expression; a fresh ``?`` symbol when it is not understood."""
        value = self.as_number(self.evaluate(expr))
        return value if isinstance(value, Value) else self.unknown(self.text(expr)[:40])

    def truth_of(self, expr: Expr) -> Value | None:
        """A condition as 0/1, None when it is not understood."""
        value = self.as_number(self.evaluate(expr))
        return truth(value) if isinstance(value, Value) else None

    # ------------------------------------------------------------------ leaves

    def _num(self, expr: Num) -> RuntimeValue:
        return number(expr.value) if expr.value is not None else None

    def _name(self, expr: Name) -> RuntimeValue:
        if expr.scope:
            return self.scoped(expr)
        if expr.targs:
            trait = self.trait("", expr.name, expr.targs)
            if trait is not None:
                return trait
            value = self.templated_value(expr.name, expr.targs)
            if value is not None:
                return value
        return self.lookup(expr.name, expr)

    def _sizeof(self, expr: SizeOf) -> RuntimeValue:
        return self.size_of(expr.text)

    def _lambda(self, expr: Lambda) -> RuntimeValue:
        return LambdaRef(expr, self.frame, self.frame.region, self.frame.data)

    def _opaque(self, expr: Opaque) -> RuntimeValue:
        for part in expr.parts:
            self.evaluate(part)
        return None

    # ------------------------------------------------------------------ operators

    def _unary(self, expr: Unary) -> RuntimeValue:
        value = self.evaluate(expr.operand)
        if expr.op in ("&", "*"):
            return value
        if not isinstance(value, Value):
            return None
        if expr.op == "-":
            return -value
        if expr.op == "!":
            return negate(value)
        if expr.op == "~":
            return -value - 1
        return value if expr.op == "+" else None

    def _binary(self, expr: Binary) -> RuntimeValue:
        left = self.evaluate(expr.left)
        if isinstance(left, Value) and left.is_constant and expr.op in ("&&", "||"):
            if bool(left.const) == (expr.op == "||"):
                return number(int(expr.op == "||"))
            right = self.evaluate(expr.right)
            return truth(right) if isinstance(right, Value) else None
        right = self.as_number(self.evaluate(expr.right))
        left = self.as_number(left)
        if isinstance(left, Value) and isinstance(right, Value):
            return self.arithmetic(expr.op, left, right)
        if isinstance(left, Value) or isinstance(right, Value):
            # A conjunction or disjunction may be decided by the side that is understood.
            known = left if isinstance(left, Value) else right
            if isinstance(known, Value) and known.is_constant and expr.op in ("&&", "||"):
                return number(int(known.const != 0)) if bool(known.const) == (expr.op == "||") else None
        read = left if isinstance(left, Scalar) else right
        if isinstance(read, Scalar) and expr.op not in ("&&", "||"):
            self.on_scalar_math(expr, expr.op, read.element)
            return read
        if isinstance(left, Enumerator) and isinstance(right, Enumerator) and expr.op in ("==", "!="):
            return number(int((left == right) == (expr.op == "==")))
        if isinstance(left, Address) and expr.op in ("+", "-"):
            step = right if isinstance(right, Value) else None
            return left.moved(step if step is None or expr.op == "+" else -step)
        return None

    def as_number(self, value: RuntimeValue) -> RuntimeValue:
        """A host object used as a number is the symbol of how it was got."""
        return symbol(f"?{value.text}") if isinstance(value, HostRef) else value

    def arithmetic(self, op: str, left: Value, right: Value) -> Value | None:
        """``left op right``, None for an operator that is not modelled."""
        if op == "+":
            return left + right
        if op == "-":
            return left - right
        if op == "*":
            return left * right
        if op == "/":
            return divide(left, right)
        if op == "%":
            return remainder(left, right)
        if op in _RELATIONS:
            return compare(op, left, right)
        if op == "&&":
            return both(left, right)
        if op == "||":
            return either(left, right)
        if op in ("<<", ">>"):
            shift = right.constant()
            if shift is None or not 0 <= shift < 64:
                return None
            return left * (1 << shift) if op == "<<" else divide(left, number(1 << shift))
        if op == "&":
            return bit_and(left, right)
        if op == "|" and left.is_constant and right.is_constant:
            return number(left.const | right.const)
        return None

    def _ternary(self, expr: Ternary) -> RuntimeValue:
        condition = self.truth_of(expr.condition)
        if condition is not None and condition.is_constant:
            return self.evaluate(expr.then if condition.const else expr.otherwise)
        then, otherwise = self.evaluate(expr.then), self.evaluate(expr.otherwise)
        if isinstance(then, Value) and isinstance(otherwise, Value):
            if condition is not None:
                return conditional(condition, then, otherwise)
            if then == otherwise:
                return then
            joined = then.range.union(otherwise.range)
            return self.unknown("choice", joined.lo, joined.hi, joined.mod if joined.rem == 0 else 1)
        if isinstance(then, TensorFact) and isinstance(otherwise, TensorFact):
            return self.merged_tensor(then, otherwise)
        return None

    def _cast(self, expr: Cast) -> RuntimeValue:
        value = self.evaluate(expr.operand)
        target = self.resolve_type(canonical_type(expr.type))
        if isinstance(value, Value):
            if target in ("float", "half", "double", "bfloat16_t"):
                return None
            if target == "bool":
                return truth(value)
            return value
        if isinstance(value, Scalar):
            return Scalar(target) if target in TYPE_BYTES and not self.is_integer(target) else None
        if isinstance(value, Address) and target.endswith("*"):
            return replace(value, each=self.size_of(target[:-1].strip()))
        return value if target.endswith("*") or not self.is_integer(target) else None

    # ------------------------------------------------------------------ members, indices

    def _member(self, expr: Member) -> RuntimeValue:
        base = self.evaluate(expr.base)
        if isinstance(base, TilingRef):
            self.on_tiling_read(base.prefix + expr.name, expr)
        return self.member_of(base, expr.name)

    def on_tiling_read(self, field: str, expr: Expr) -> None:
        """A field of tiling data (or a part that holds some) is named at ``expr``."""

    def member_of(self, base: RuntimeValue, name: str) -> RuntimeValue:
        """``base.name`` for whatever ``base`` is."""
        if isinstance(base, Object):
            return self.member(base, name)
        if isinstance(base, Struct):
            return base.fields.get(struct_table().aliases.get(name, name))
        if isinstance(base, TilingRef):
            return self.tiling_field(base, name)
        if isinstance(base, HostRef):
            return HostRef(f"{base.text}.{name}")
        return None

    def tiling_field(self, base: TilingRef, name: str) -> RuntimeValue:
        """One field of tiling data: a symbol, a nested part, or an array of symbols."""
        declared = None
        if base.struct is not None:
            declared = next((entry for entry in base.struct.fields if entry.name == name), None)
        path = base.prefix + name
        if declared is None:
            return symbol(path)
        if declared.is_struct or declared.type in self.tiling_structs:
            return TilingRef(path + ".", self.tiling_structs.get(declared.type))
        if declared.length != 1:
            return ArrayRef({}, TilingRef(path, None), path)
        if declared.type in ("float", "double"):
            return None
        return symbol(path, 0 if declared.type in UNSIGNED else None)

    def _index(self, expr: Index) -> RuntimeValue:
        base = self.evaluate(expr.base)
        index = self.evaluate(expr.index)
        if isinstance(base, ArrayRef):
            return self.array_item(base, index)
        if isinstance(base, TensorFact):
            return self.shifted(base, index if isinstance(index, Value) else None)
        if isinstance(base, HostRef):
            return self.host_item(base, index)
        return None

    def array_item(self, base: ArrayRef, index: RuntimeValue) -> RuntimeValue:
        """Element of a C array or of a tiling array."""
        at = index.constant() if isinstance(index, Value) else None
        if at is not None and str(at) in base.items:
            return base.items[str(at)]
        if isinstance(base.element, TilingRef):
            return symbol(f"{base.name}[{at}]") if at is not None else self.unknown(f"{base.name}[]")
        if isinstance(base.element, (Value, type(None))):
            return None if base.element is None else self.unknown(f"{base.name}[]")
        return base.element

    def host_item(self, base: HostRef, index: RuntimeValue) -> RuntimeValue:
        """Element of a host object that is not followed."""
        text = index.text if isinstance(index, Value) else "?"
        return HostRef(f"{base.text}[{text}]")

    def shifted(self, base: TensorFact, index: Value | None) -> TensorFact:
        """``tensor[index]``."""
        if index is None:
            return base.at(None, None)
        length = base.length - index if base.length is not None else None
        offset = base.offset + index * base.element_bytes if base.offset is not None else None
        return base.at(offset, length)

    # ------------------------------------------------------------------ assignment

    def _assign(self, expr: Assign) -> RuntimeValue:
        return self.assign(expr)

    def assign(self, expr: Assign) -> RuntimeValue:
        """Evaluate the right side and write it."""
        value = self.evaluate(expr.value)
        if expr.op != "=":
            old = self.evaluate(expr.target)
            if isinstance(old, Value) and isinstance(value, Value):
                value = self.arithmetic(expr.op[:-1], old, value)
            else:
                read = old if isinstance(old, Scalar) else value
                if isinstance(read, Scalar):
                    self.on_scalar_math(expr, expr.op[:-1], read.element)
                value = old if isinstance(old, Scalar) else None
        elif isinstance(expr.value, Braces) and not expr.value.type:
            old = self.evaluate(expr.target)
            if isinstance(old, Struct):
                value = self.filled(old.type, expr.value)
        self.store(expr.target, value)
        return value

    def store(self, target: Expr, value: RuntimeValue) -> None:
        """Write to a variable, a member, a field or an element."""
        if isinstance(target, Name):
            self.store_name(target, value)
        elif isinstance(target, Member):
            base = self.evaluate(target.base)
            if isinstance(base, Object):
                self.settle(base, target.name)
                self.write(base.members, target.name, self._kept(base, target.name, value))
            elif isinstance(base, Struct):
                field = struct_table().aliases.get(target.name, target.name)
                self.write(base.fields, field, value)
                base.assigned[field] = self.frame.place(target.start, target.end)
            else:
                self.on_field_store(base, target, value)
        elif isinstance(target, Index):
            base = self._array_of(target.base)
            index = self.evaluate(target.index)
            at = index.constant() if isinstance(index, Value) else None
            if isinstance(base, ArrayRef):
                if at is not None:
                    self.write(base.items, str(at), value)
                else:
                    self.forget_items(base)
            else:
                self.on_item_store(base, target, value)
        elif isinstance(target, Unary) and target.op == "*":
            self.store(target.operand, value)

    def _array_of(self, target: Expr) -> RuntimeValue:
        """What ``target[..]`` writes to. An array in a parameter struct is nothing but zeros until its first element
        is set."""
        base = self.evaluate(target)
        owner = self.evaluate(target.base) if isinstance(target, Member) and base == number(0) else None
        if not isinstance(owner, Struct) or not isinstance(target, Member) or target.name not in struct_table().arrays:
            return base
        made = ArrayRef({str(at): number(0) for at in range(struct_table().arrays[target.name])}, None, target.name)
        self.write(owner.fields, target.name, made)
        return made

    def forget_items(self, array: ArrayRef) -> None:
        """Any number in ``array`` may have changed."""
        for at, item in list(array.items.items()):
            if isinstance(item, Value):
                self.write(array.items, at, self.unknown(f"{array.name}[{at}]"))

    def store_name(self, target: Name, value: RuntimeValue) -> None:
        """Write to an unqualified name: a local if there is one, else a member."""
        name = target.name
        current = self.frame.self_object
        if name not in self.frame.locals and current is not None and self.has_member(current, name):
            self.settle(current, name)
            self.write(current.members, name, self._kept(current, name, value))
        else:
            kept = self.number_or(value, name)
            self.write(self.frame.locals, name, self.converted(kept, self.frame.numbers.get(name, "auto"), name))

    def _kept(self, current: Object, name: str, value: RuntimeValue) -> RuntimeValue:
        """What a member holds after ``value`` was assigned to it."""
        kept = self.number_or(value, name)
        if not isinstance(kept, Scalar):
            return kept
        for info, bindings in self.hierarchy(current):
            declared = info.fields.get(name)
            if declared is not None:
                kind = self.in_class_of(info, bindings, lambda declared=declared: self.resolve_type(declared.type))
                return self.converted(kept, kind, name)
        return kept

    def converted(self, value: RuntimeValue, kind: str, name: str) -> RuntimeValue:
        """``value`` as a variable ``name`` of type ``kind`` holds it: a number is converted, ``half`` to ``float``."""
        if not isinstance(value, Scalar) or kind == "auto":
            return value
        if self.is_integer(kind):
            return self.unknown(name)
        return Scalar(kind) if kind in TYPE_BYTES else None

    def settle(self, current: Object, name: str) -> None:
        """Give a member its initial value: a branch that does not assign it leaves that."""
        if name not in current.members:
            declared = next((info.fields[name] for info, _ in self.hierarchy(current) if name in info.fields), None)
            if declared is not None and declared.init is not None:
                self.member(current, name)

    def number_or(self, value: RuntimeValue, name: str) -> RuntimeValue:
        """A copy of what is stored: structs are values, not references."""
        if isinstance(value, Struct):
            return value.copy()
        if isinstance(value, TensorFact) and value.name == "":
            return value.named(name)
        return value

    def item_of(self, item: Expr, kind: str) -> RuntimeValue:
        """An element of an array of ``kind``."""
        if isinstance(item, Braces) and not item.type and struct_table().make(kind) is not None:
            return self.filled(kind, item)
        return self.evaluate(item)

    def filled(self, type_text: str, braces: Braces) -> RuntimeValue:
        """A parameter struct made from braces or arguments."""
        made = struct_table().make(type_text)
        if made is None:
            return None
        aliases = struct_table().aliases
        names = [aliases.get(name, name) for name in braces.fields] or list(made.fields)
        for name, item in zip(names, braces.items, strict=False):
            made.fields[name] = self.evaluate(item)
        return made

    def _braces(self, expr: Braces) -> RuntimeValue:
        if expr.type:
            resolved = self.resolve_type(expr.type)
            if struct_table().make(resolved) is not None:
                return self.filled(resolved, expr)
            if self.is_integer(resolved) and len(expr.items) == 1:
                return self.evaluate(expr.items[0])
        for item in expr.items:
            self.evaluate(item)
        return None

    def _call(self, expr: Call) -> RuntimeValue:
        return self.call(expr)


_HANDLERS: dict[type[Expr], Callable[[ExpressionWalk, Expr], RuntimeValue]] = {}


def _fill() -> None:
    for kind, name in (
        (Num, "_num"),
        (Name, "_name"),
        (SizeOf, "_sizeof"),
        (Lambda, "_lambda"),
        (Opaque, "_opaque"),
        (Unary, "_unary"),
        (Binary, "_binary"),
        (Ternary, "_ternary"),
        (Cast, "_cast"),
        (Member, "_member"),
        (Index, "_index"),
        (Assign, "_assign"),
        (Braces, "_braces"),
        (Call, "_call"),
    ):
        _HANDLERS[kind] = getattr(ExpressionWalk, name)


_fill()
