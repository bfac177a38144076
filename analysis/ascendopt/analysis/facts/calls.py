"""Calls: functions of the program are walked in place; everything else goes to the side's own handlers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascendopt.analysis.facts.ir import (
    Body,
    Braces,
    Call,
    Decl,
    Expr,
    Member,
    Name,
    Parameter,
    Unary,
)
from ascendopt.analysis.facts.model import CallNode, Site, TensorFact
from ascendopt.analysis.facts.names import NameWalk, split_template
from ascendopt.analysis.facts.program import split_arguments, substitute_macro
from ascendopt.analysis.facts.runtime import (
    Binding,
    Frame,
    FunctionRef,
    LambdaRef,
    Object,
    RuntimeValue,
    Struct,
    TilingRef,
    struct_table,
)
from ascendopt.analysis.facts.unit import FunctionInfo
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.values import (
    Value,
    align_down,
    align_up,
    ceil_div,
    conditional,
    divide,
    maximum,
    minimum,
    number,
)

DEEPEST = 24
_TWO_NUMBERS = {
    "CeilDiv": ceil_div,
    "DivCeil": ceil_div,
    "CeilDivision": ceil_div,
    "AlignUp": align_up,
    "RoundUp": align_up,
    "CeilAlign": align_up,
    "AlignDown": align_down,
    "RoundDown": align_down,
    "FloorAlign": align_down,
    "FloorDiv": divide,
    "min": minimum,
    "Min": minimum,
    "MIN": minimum,
    "max": maximum,
    "Max": maximum,
    "MAX": maximum,
}


class CallWalk(NameWalk):
    """Dispatch of calls."""

    def call(self, expr: Call) -> RuntimeValue:
        """Walk a call and give its value."""
        callee = expr.callee
        if isinstance(callee, Name):
            return self._named_call(expr, callee)
        if isinstance(callee, Member):
            base = self.evaluate(callee.base)
            if isinstance(base, Object):
                found = self.method(base, callee.name, len(expr.args))
                if found is not None:
                    return self.enter(found[0], base, found[1], callee.targs, expr.args, expr)
                held = self.member(base, callee.name)
                if isinstance(held, LambdaRef):
                    return self.enter_lambda(held, expr)
            return self.on_method(expr, callee, base)
        self.evaluate(callee)
        for argument in expr.args:
            self.evaluate(argument)
        return None

    def _named_call(self, expr: Call, callee: Name) -> RuntimeValue:
        name = callee.name
        held = self.frame.locals.get(name)
        if isinstance(held, LambdaRef):
            return self.enter_lambda(held, expr)
        bound = self.binding(name)
        if isinstance(held, FunctionRef):
            name = held.name
        elif isinstance(bound, str) and bound.isidentifier():
            name = bound
        special = self.on_special(expr, name)
        if special is not None:
            return special[0]
        current = self.frame.self_object
        if current is not None:
            found = self.method(current, name, len(expr.args), callee.scope)
            if found is not None:
                return self.enter(found[0], current, found[1], callee.targs, expr.args, expr)
        if name in self.program.macros and self.program.macros[name].parameters is not None:
            return self.macro_call(expr, name)
        function = self.overload(self.program.functions.get(name) or (), expr.args, callee.targs)
        if function is None and callee.scope:
            function = self._static_method(callee, len(expr.args))
        if function is not None:
            return self.enter(function, None, {}, callee.targs, expr.args, expr)
        if name in _TWO_NUMBERS and len(expr.args) == 2:
            values = [self.evaluate(argument) for argument in expr.args]
            left, right = values
            if isinstance(left, Value) and isinstance(right, Value):
                return _TWO_NUMBERS[name](left, right)
        struct = struct_table().make(name)
        if struct is not None:
            return self.filled(name, Braces(expr.start, expr.end, name, expr.args))
        if self.is_integer(name) and len(expr.args) == 1:
            return self.evaluate(expr.args[0])
        return self.on_call(expr, replace_name(callee, name))

    def _static_method(self, callee: Name, count: int) -> FunctionInfo | None:
        head = split_template(callee.scope)[0].rsplit("::", 1)[-1]
        for info in self.program.classes.get(head) or ():
            for method in info.methods.get(callee.name, ()):
                if accepts(method.body().parameters, count):
                    return method
        return None

    # ------------------------------------------------------------------ choosing

    def method(
        self, current: Object, name: str, count: int, scope: str = ""
    ) -> tuple[FunctionInfo, dict[str, Binding]] | None:
        """The method of an object's class or bases that a call means."""
        wanted = split_template(self.resolve_type(scope))[0].rsplit("::", 1)[-1] if scope else ""
        for info, bindings in self.hierarchy(current):
            if wanted and info.name != wanted:
                continue
            candidates = [m for m in info.methods.get(name, ()) if accepts(m.body().parameters, count)]
            if candidates:
                if len(candidates) > 1:
                    self.ambiguous(candidates)
                return candidates[0], bindings
        return None

    def overload(
        self, candidates: Sequence[FunctionInfo], args: tuple[Expr, ...], targs: tuple[str, ...]
    ) -> FunctionInfo | None:
        """The free function that a call means: right count, then matching specialisation, then the first."""
        fitting = [f for f in candidates if accepts(f.body().parameters, len(args))]
        if len(fitting) > 1:
            resolved = tuple(self.resolve_type(argument) for argument in targs)
            exact = [f for f in fitting if f.specialised and f.specialised == resolved]
            general = [f for f in fitting if not f.specialised]
            fitting = exact or general or fitting
            if len(fitting) > 1:
                self.ambiguous(fitting)
        return fitting[0] if fitting else None

    def ambiguous(self, candidates: Sequence[FunctionInfo]) -> None:
        """Note that an overload was picked by guess: absence of events is then no proof."""
        self.program.reads.queries.update(candidate.region for candidate in candidates)
        if any(candidate.body().called & {"AllocTensor", "FreeTensor", "EnQue", "DeQue"} for candidate in candidates):
            self.complete = False

    # ------------------------------------------------------------------ entering

    def enter(
        self,
        function: FunctionInfo,
        current: Object | None,
        bindings: dict[str, Binding],
        targs: tuple[str, ...],
        args: tuple[Expr, ...],
        at: Call,
    ) -> RuntimeValue:
        """Walk a function of the program with these arguments."""
        values = [self.evaluate(argument) for argument in args]
        active = sum(frame.function is function for frame in self.frames)
        if len(self.frames) > DEEPEST or active > 1:
            self.complete = False
            return None
        body = self.program.entered(function)
        frame = Frame.of(function, current, {**bindings, **self.bound(function.templates, targs)})
        self._deduce(function, body, values, frame)
        self._pass(body, values, frame)
        call_site = self.site(at)
        result = self.inside(frame, body, call_site, function.qualified)
        for parameter, argument in zip(body.parameters, args, strict=False):
            if parameter.indirect and not parameter.is_const and is_place(argument):
                after = frame.locals.get(parameter.name)
                if isinstance(after, (Value, TensorFact)):
                    self.store(argument.operand if isinstance(argument, Unary) else argument, after)
        return result

    def inside(self, frame: Frame, body: Body, call_site: Site, name: str) -> RuntimeValue:
        """Run a body in its own frame and node; gives what it returns."""
        outer, outer_calls = self.out, self.calls
        self.out, self.calls = [], (*outer_calls, call_site)
        self.frames.append(frame)
        caller, self.frame = self.frame, frame
        for member, arguments in body.initialisers:
            self._initialise(member, arguments)
        self.run(body.statements)
        self.frames.pop()
        self.frame = caller
        inner = tuple(self.out)
        self.out, self.calls = outer, outer_calls
        if inner:
            self.emit(CallNode(call_site, name, inner))
        return self.returned(frame)

    def _initialise(self, member: str, arguments: tuple[Expr, ...]) -> None:
        current = self.frame.self_object
        if current is None:
            return
        values = [self.evaluate(argument) for argument in arguments]
        if len(values) == 1 and self.has_member(current, member):
            self.write(current.members, member, values[0])

    def returned(self, frame: Frame) -> RuntimeValue:
        """Join of the values that the returns of a frame gave."""
        if not frame.returns:
            return None
        result = frame.returns[-1][1]
        for condition, value in reversed(frame.returns[:-1]):
            if value is result:
                continue
            if isinstance(value, Value) and isinstance(result, Value):
                if condition is not None:
                    result = conditional(condition, value, result)
                elif value != result:
                    return self.unknown("returned")
            else:
                return None
        return result

    def _pass(self, body: Body, values: list[RuntimeValue], frame: Frame) -> None:
        for index, parameter in enumerate(body.parameters):
            if not parameter.name:
                continue
            if index < len(values):
                value = values[index]
                if isinstance(value, Struct) and not parameter.indirect:
                    value = Struct(value.type, dict(value.fields))
                if isinstance(value, TensorFact):
                    value = replace(value, name=parameter.name)
            elif parameter.default is not None:
                value = self.quietly(parameter.default)
            else:
                value = None
            frame.locals[parameter.name] = value

    def _deduce(self, function: FunctionInfo, body: Body, values: list[RuntimeValue], frame: Frame) -> None:
        free = {p.name for p in function.templates if p.kind == "type" and p.name not in frame.bindings}
        if not free:
            return
        for parameter, value in zip(body.parameters, values, strict=False):
            head, arguments = split_template(parameter.type)
            if isinstance(value, TensorFact) and value.element and arguments and arguments[0] in free:
                frame.bindings.setdefault(arguments[0], value.element)
            elif parameter.type in free and isinstance(value, Object):
                frame.bindings.setdefault(head, value.label)

    def enter_lambda(self, held: LambdaRef, at: Call) -> RuntimeValue:
        """Walk a lambda in the frame that made it."""
        values = [self.evaluate(argument) for argument in at.args]
        if len(self.frames) > DEEPEST:
            self.complete = False
            return None
        home = held.frame
        frame = Frame(
            function=None,
            path=home.path,
            region=held.region,
            self_object=home.self_object,
            bindings=home.bindings,
            data=held.data,
            locals=dict(home.locals),
            fixed=home.fixed,
            name=home.name,
        )
        for (_, name), value in zip(held.code.parameters, values, strict=False):
            frame.locals[name] = value
        body = Body((), held.code.body, (), frozenset(), frozenset(), frozenset())
        return self.inside(frame, body, self.site(at), home.name)

    def construct(self, made: Object, arguments: tuple[Expr, ...], decl: Decl) -> None:
        """Run the constructor that fits the arguments, if the class defines one."""
        for info, bindings in self.hierarchy(made)[:1]:
            for candidate in info.methods.get(info.name, ()):
                if accepts(candidate.body().parameters, len(arguments)):
                    at = Call(decl.start, decl.end, Name(decl.start, decl.end, info.name), arguments)
                    self.enter(candidate, made, bindings, (), arguments, at)
                    return
        for argument in arguments:
            self.evaluate(argument)

    # ------------------------------------------------------------------ macros

    def expand_macro(self, expr: Call) -> bool:
        """Walk the statements of a function-like macro of the program; False when it is not one."""
        callee = expr.callee
        if not isinstance(callee, Name) or callee.name not in self.program.macros or len(self.frames) > DEEPEST:
            return False
        if self.on_special(expr, callee.name) is not None:
            return True
        statements = self.program.expansion(callee.name, self.macro_arguments(expr))
        if statements is None:
            return False
        outer = self.frame.fixed
        self.frame.fixed = self.frame.place(expr.start, expr.end)
        self.expanding.append(callee.name)
        if self.expanding.count(callee.name) < 3:
            self.run(statements)
        self.expanding.pop()
        self.frame.fixed = outer
        return True

    def macro_arguments(self, expr: Call) -> tuple[str, ...]:
        """Source texts of a macro call's arguments."""
        if self.frame.fixed is not None:
            return tuple(self.expanded_text(argument) for argument in expr.args)
        return split_arguments(self.frame.text(expr.callee.end, expr.end).strip()[1:-1])

    def expanded_text(self, expr: Expr) -> str:
        """Text of an argument inside a macro expansion, as far as names and numbers go."""
        if isinstance(expr, Name):
            arguments = f"<{', '.join(expr.targs)}>" if expr.targs else ""
            return f"{expr.name}{arguments}"
        value = self.quietly(expr)
        return value.text if isinstance(value, Value) else ""

    def macro_call(self, expr: Call, name: str) -> RuntimeValue:
        """A function-like macro used as an expression."""
        macro = self.program.macros[name]
        if self.expanding.count(name) > 2:
            return None
        inner = self.program.expression(substitute_macro(macro, self.macro_arguments(expr)))
        if inner is None:
            self.expand_macro(expr)
            return None
        outer = self.frame.fixed
        self.frame.fixed = self.frame.place(expr.start, expr.end)
        self.expanding.append(name)
        value = self.evaluate(inner)
        self.expanding.pop()
        self.frame.fixed = outer
        return value

    # ------------------------------------------------------------------ type traits, scopes

    def same_type(self, expr: Name) -> Value | None:
        """``std::is_same<A, B>::value`` and ``is_same_v<A, B>``; None while a type is free."""
        arguments = expr.targs or split_template(expr.scope.removeprefix("std::"))[1]
        if len(arguments) != 2:
            return None
        left, right = (self.resolve_type(argument) for argument in arguments)
        if left == right:
            return number(1)
        return number(0) if self.is_concrete(left) and self.is_concrete(right) else None

    def is_concrete(self, resolved: str) -> bool:
        """True when a resolved type names one known type."""
        return resolved in TYPE_BYTES or resolved in ("int4b_t", "void") or resolved.endswith("*")

    def scoped(self, expr: Name) -> RuntimeValue:
        """``Class<T>::CONSTANT``, ``ns::CONSTANT``; None for enumerators of the API."""
        found = self.class_named(self.resolve_type(expr.scope))
        if found is not None:
            info, bindings = found
            declared = info.fields.get(expr.name)
            if declared is not None:
                return self.in_class(Object(info, bindings), bindings, declared)
        if expr.name in self.program.constants or expr.name in self.program.macros:
            return self.global_value(expr.name)
        current = self.frame.self_object
        if current is not None and self.has_member(current, expr.name):
            return self.member(current, expr.name)
        return self.on_scoped(expr)

    # ------------------------------------------------------------------ filled in by the layers above

    def store(self, target: Expr, value: RuntimeValue) -> None:
        """Assign to a place."""
        raise NotImplementedError

    def filled(self, type_text: str, braces: Braces) -> RuntimeValue:
        """A parameter struct made from braces."""
        raise NotImplementedError

    def on_special(self, expr: Call, name: str) -> tuple[RuntimeValue] | None:
        """Calls that mean something whatever the program defines (tiling macros); None for all others."""
        raise NotImplementedError

    def on_call(self, expr: Call, callee: Name) -> RuntimeValue:
        """A call that leaves the program."""
        raise NotImplementedError

    def on_method(self, expr: Call, callee: Member, base: RuntimeValue) -> RuntimeValue:
        """A method call on something that is not an object of the program."""
        raise NotImplementedError

    def on_scoped(self, expr: Name) -> RuntimeValue:
        """A qualified name that the program does not define."""
        return None

    def on_declare(self, decl: Decl, value: RuntimeValue, site: Site) -> None:
        """A local variable was declared."""

    def on_field_store(self, base: RuntimeValue, target: Member, value: RuntimeValue) -> None:
        """A field of something that is not followed was assigned."""

    def on_item_store(self, base: RuntimeValue, target: Expr, value: RuntimeValue) -> None:
        """An element of something that is not followed was assigned."""

    def tiling_variable(self, decl: Decl, resolved: str) -> RuntimeValue:
        """A local variable of a tiling struct's type."""
        return TilingRef("tiling.", self.tiling_structs.get(resolved))


def accepts(parameters: tuple[Parameter, ...], count: int) -> bool:
    """True when a function with these parameters can be called with ``count`` arguments."""
    required = sum(parameter.default is None for parameter in parameters)
    return required <= count <= len(parameters)


def is_place(expr: Expr) -> bool:
    """True for an argument that an out-parameter can write to."""
    return isinstance(expr, (Name, Member)) or (
        isinstance(expr, Unary) and expr.op == "&" and isinstance(expr.operand, (Name, Member))
    )


def replace_name(callee: Name, name: str) -> Name:
    """``callee`` under the name that it is bound to."""
    return callee if callee.name == name else Name(callee.start, callee.end, name, callee.targs, callee.scope)
