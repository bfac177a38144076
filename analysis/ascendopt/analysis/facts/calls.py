"""Calls: functions of the program are walked in place; everything else goes to the side's own handlers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ascendopt.analysis.facts.declared import Site, TensorFact
from ascendopt.analysis.facts.events import CallNode
from ascendopt.analysis.facts.ir import (
    Body,
    Braces,
    Call,
    Decl,
    Expr,
    Member,
    Name,
    Stmt,
    Unary,
)
from ascendopt.analysis.facts.macros import MacroWalk
from ascendopt.analysis.facts.names import split_template
from ascendopt.analysis.facts.overloads import OverloadWalk, Owner
from ascendopt.analysis.facts.runtime import (
    Binding,
    Frame,
    FunctionRef,
    HostRef,
    LambdaRef,
    Object,
    RuntimeValue,
    Scalar,
    Struct,
    TilingRef,
    struct_table,
)
from ascendopt.analysis.facts.state import DEEPEST
from ascendopt.analysis.facts.templates import last
from ascendopt.analysis.facts.unit import ClassInfo, FunctionInfo
from ascendopt.analysis.values import (
    Value,
    align_down,
    align_up,
    ceil_div,
    conditional,
    divide,
    maximum,
    minimum,
    symbol,
)

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


Candidates = tuple[Sequence[FunctionInfo], "Owner | None"]
"""Functions of one name that take so many arguments, and the class that they belong to."""


class CallWalk(MacroWalk, OverloadWalk):
    """Dispatch of calls."""

    def call(self, expr: Call) -> RuntimeValue:
        """Walk a call and give its value."""
        callee = expr.callee
        if isinstance(callee, Name):
            return self._named_call(expr, callee)
        if isinstance(callee, Member):
            base = self.evaluate(callee.base)
            if isinstance(base, Object):
                own = isinstance(callee.base, Name) and callee.base.name == "this"
                found = self.method(base, callee.name, len(expr.args), from_inside=own)
                if found is not None:
                    return self.enter_one_of(found, base, callee.targs, expr)
                held = self.member(base, callee.name)
                if isinstance(held, LambdaRef):
                    return self.enter_lambda(held, expr)
                pointed = self._pointed(base, callee.name, len(expr.args))
                if pointed is not None:
                    return self.enter_one_of(pointed, base, (), expr)
                # A method that is not in sight may do anything to the queues; `tensor(i)` of a member is none.
                self.complete = self.complete and self.has_member(base, callee.name)
            return self.on_method(expr, callee, base)
        self.evaluate(callee)
        for argument in expr.args:
            self.evaluate(argument)
        self.complete = False  # through a pointer that is not followed
        return None

    def _pointed(self, base: Object, name: str, count: int) -> Candidates | None:
        """The methods that ``(object->*name)(..)`` may mean; the parser is shown ``object->_name`` for it."""
        for pointer in (name, name.removeprefix("_")):
            bound = self.frame.locals.get(pointer) or self.binding(pointer)
            named = self.function_named(bound) if isinstance(bound, str) else bound
            if isinstance(named, FunctionRef):
                return self.method(base, named.name, count)
        return None

    def _named_call(self, expr: Call, callee: Name) -> RuntimeValue:
        held = self.frame.locals.get(callee.name)
        if isinstance(held, LambdaRef):
            return self.enter_lambda(held, expr)
        bound = self.binding(callee.name)
        named = held if isinstance(held, FunctionRef) else None
        if named is None and isinstance(bound, str):
            named = self.function_named(bound)
        if named is not None:
            callee = Name(callee.start, callee.end, named.name, named.targs or callee.targs, callee.scope)
        name = callee.name
        special = self.on_special(expr, name)
        if special is not None:
            return special[0]
        current = self.frame.self_object
        if current is not None:
            found = self.method(current, name, len(expr.args), callee.scope, from_inside=True)
            if found is not None:
                return self.enter_one_of(found, current, callee.targs, expr)
        if name in self.program.macros and self.program.macros[name].parameters is not None:
            return self.macro_call(expr, name)
        found = self._free_functions(callee, len(expr.args))
        if found is not None:
            return self.enter_one_of(found, None, callee.targs, expr)
        if name in self.frame.locals and held is None:
            self.complete = False  # a function that was passed in and is not known
        return self._outside(expr, callee)

    def _outside(self, expr: Call, callee: Name) -> RuntimeValue:
        """A call that the program does not define."""
        name = callee.name
        if name in _TWO_NUMBERS and len(expr.args) == 2:
            left, right = (self.evaluate(argument) for argument in expr.args)
            if isinstance(left, Value) and isinstance(right, Value):
                return _TWO_NUMBERS[name](left, right)
        struct = struct_table().make(name)
        if struct is not None:
            return self.filled(name, Braces(expr.start, expr.end, name, expr.args))
        if self.is_integer(name) and len(expr.args) == 1:
            return self.evaluate(expr.args[0])
        return self.on_call(expr, callee)

    def _free_functions(self, callee: Name, count: int) -> Candidates | None:
        """Functions of this name, else static methods of the class that qualifies it."""
        free = [f for f in self.program.functions.get(callee.name) or () if f.body().accepts(count)]
        if free:
            return free, None
        found = self.class_named(self.resolve_type(callee.scope)) if callee.scope else None
        if found is None:
            return None
        for info, bindings in self.hierarchy(Object(found[0], dict(found[1]))):
            methods = self.program.methods(info, callee.name, count)
            if methods:
                return methods, Owner(info, bindings)
        return None

    # ------------------------------------------------------------------ choosing

    def method(
        self, current: Object, name: str, count: int, scope: str = "", *, from_inside: bool = False
    ) -> Candidates | None:
        """The methods of an object's class or bases that a call may mean; ``from_inside`` a method of a base class,
        those of that class come first: methods of kernels are not virtual."""
        wanted = last(split_template(self.resolve_type(scope))[0]) if scope else ""
        chain = self.hierarchy(current)
        if from_inside:
            owner = self.frame.function.owner if self.frame.function is not None else ""
            at = next((index for index, (info, _) in enumerate(chain) if info.name == owner), 0)
            chain = [*chain[at:], *chain[:at]]
        for info, bindings in chain:
            if wanted and info.name != wanted:
                continue
            candidates = self.program.methods(info, name, count)
            if candidates:
                return candidates, Owner(info, bindings)
        return None

    def enter_one_of(self, found: Candidates, current: Object | None, targs: tuple[str, ...], at: Call) -> RuntimeValue:
        """Walk the candidate that fits the arguments of the call ``at``."""
        candidates, owner = found
        if current is None and owner is not None:
            current = Object(owner.info, dict(owner.bindings))  # a static method sees the constants of its class
        values = [self.evaluate(argument) for argument in at.args]
        if len(candidates) == 1 and self.is_plain(candidates[0], owner):
            return self._entered(candidates[0], current, dict(owner.bindings) if owner is not None else {}, values, at)
        fits = [self.fit(candidate, values, targs, owner) for candidate in candidates]
        chosen = self.choose([fit for fit in fits if fit is not None])
        if len(candidates) > 1:
            self.program.reads.queries.update(candidate.region for candidate in candidates)
            if chosen is None or not chosen[1]:
                self._guessed(candidates)
        bindings = dict(owner.bindings) if owner is not None else {}
        if chosen is None:
            function = candidates[0]
            bindings.update(self.bound(function.templates, targs))
        else:
            function = chosen[0].function
            bindings.update(chosen[0].table)
        self.doubts += (is_guess := chosen is None or not chosen[1])
        result = self._entered(function, current, bindings, values, at)
        self.doubts -= is_guess
        return result

    def _entered(
        self,
        function: FunctionInfo,
        current: Object | None,
        bindings: dict[str, Binding],
        values: list[RuntimeValue],
        at: Call,
    ) -> RuntimeValue:
        self.doubts += (is_guess := current is not None and not current.is_certain)
        result = self.enter(function, current, bindings, values, at)
        self.doubts -= is_guess
        return result

    def _guessed(self, candidates: Sequence[FunctionInfo]) -> None:
        """Note that an overload was picked by guess: absence of events is then no proof."""
        if any(candidate.body().called & {"AllocTensor", "FreeTensor", "EnQue", "DeQue"} for candidate in candidates):
            self.complete = False

    # ------------------------------------------------------------------ entering

    def enter(
        self,
        function: FunctionInfo,
        current: Object | None,
        bindings: dict[str, Binding],
        values: list[RuntimeValue],
        at: Call,
    ) -> RuntimeValue:
        """Walk a function of the program with the arguments of the call ``at``, which have these values."""
        active = sum(frame.function is function for frame in self.frames)
        if len(self.frames) > DEEPEST or active > 1:
            self.complete = False
            return None
        body = self.program.entered(function)
        for parameter in function.templates:  # a free one hides a parameter of the class of the same name
            if parameter.kind == "type" and parameter.name:
                bindings.setdefault(parameter.name, parameter.name)
        frame = Frame.of(function, current, bindings)
        self._pass(body, values, frame)
        call_site = self.site(at)
        result = self.inside(frame, body, call_site, function.qualified)
        for index, (parameter, argument) in enumerate(zip(body.parameters, at.args, strict=False)):
            if parameter.indirect and not parameter.is_const and is_place(argument):
                before = values[index] if index < len(values) else None
                self._pass_back(argument, before, frame.locals.get(parameter.name))
        return result

    def _pass_back(self, argument: Expr, before: RuntimeValue, after: RuntimeValue) -> None:
        """What an out-parameter holds at the end; a number that was replaced is not known any more."""
        place = argument.operand if isinstance(argument, Unary) else argument
        if isinstance(after, (Value, TensorFact, HostRef)):
            self.store(place, after)
        elif after is None and isinstance(before, Value):
            self.store(place, self.unknown("set"))

    def inside(self, frame: Frame, body: Body, call_site: Site, name: str) -> RuntimeValue:
        """Run a body in its own frame and node; gives what it returns."""
        outer, outer_calls = self.out, self.calls
        mark, first = len(self.trail), len(self.objects)
        self.out, self.calls = [], (*outer_calls, call_site)
        self.frames.append(frame)
        caller, self.frame = self.frame, frame
        for member, arguments in body.initialisers:
            self._initialise(member, arguments)
        self.run(body.statements)
        self.drop_scope(body.statements, first, mark)
        own = [frame.locals.get(parameter.name) for parameter in body.parameters if not parameter.indirect]
        self.drop_writes(mark, {id(frame.locals)} | {id(value.fields) for value in own if isinstance(value, Struct)})
        self.frames.pop()
        self.frame = caller
        inner = tuple(self.out)
        self.out, self.calls = outer, outer_calls
        if inner:
            self.emit(CallNode(call_site, name, inner))
        return self.returned(frame)

    def drop_scope(self, statements: Iterable[Stmt], first: int, mark: int) -> None:
        """The variables that ``statements`` declare end, with the objects and structures that they hold."""
        if len(self.trail) == mark:
            return
        values = [
            self.frame.locals.get(one.name)
            for one in statements
            if isinstance(one, Decl) and not one.indirect and not one.is_static
        ]
        returned = {id(value) for _, value in self.frame.returns}
        structures = [one for one in values if isinstance(one, Struct) and id(one) not in returned]
        if structures:
            self.drop_writes(mark, {id(one.fields) for one in structures})
        if len(self.objects) > first:
            self.drop_objects(values, first, mark)

    def _initialise(self, member: str, arguments: tuple[Expr, ...]) -> None:
        current = self.frame.self_object
        if current is None:
            return
        if self.has_member(current, member):
            values = [self.evaluate(argument) for argument in arguments]
            if len(values) == 1:
                self.write(current.members, member, values[0])
            return
        base = last(split_template(self.resolve_type(member))[0])
        for info, bindings in self.hierarchy(current)[1:]:
            if info.name == base:
                self._construct_part(current, Owner(info, bindings), arguments, Name(0, 0, info.name))
                return

    def returned(self, frame: Frame) -> RuntimeValue:
        """Join of the values that the returns of a frame gave."""
        if not frame.returns:
            return None
        result = frame.returns[-1][1]
        if isinstance(result, Scalar):
            return None  # of which type the function makes it is not followed
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
                    value = value.copy()
                elif isinstance(value, Scalar):
                    value = self._scalar(value, parameter.type)
                if isinstance(value, TensorFact):
                    value = value.named(parameter.name)
            elif parameter.default is not None:
                value = self.quietly(parameter.default)
            else:
                value = None
            frame.locals[parameter.name] = value

    @staticmethod
    def _scalar(value: Scalar, kind: str) -> RuntimeValue:
        """A number that is passed on: as the parameter's type has it, None where that is not a plain name."""
        if kind == "auto":
            return value
        return Scalar(kind) if kind in ("half", "float", "double", "bfloat16_t") else None

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
        info, bindings = self.hierarchy(made)[0]
        self._construct_part(made, Owner(info, bindings), arguments, Name(decl.start, decl.end, info.name))

    def _construct_part(self, made: Object, owner: Owner, arguments: tuple[Expr, ...], name: Name) -> None:
        info = owner.info
        fitting = self.program.methods(info, info.name, len(arguments))
        if fitting:
            self.enter_one_of((fitting, owner), made, (), Call(name.start, name.end, name, arguments))
            return
        for argument in arguments:
            self.evaluate(argument)

    # ------------------------------------------------------------------ type traits, scopes

    def scoped(self, expr: Name) -> RuntimeValue:
        """``Class<T>::CONSTANT``, ``ns::CONSTANT``; None for enumerators of the API."""
        trait = self.trait(expr.scope, expr.name, expr.targs)
        if trait is not None:
            return trait
        resolved = self.resolve_type(expr.scope)
        found = self.chosen_class(resolved)
        if found is not None:
            current = self.frame.self_object
            chain = self.hierarchy(current) if current is not None else []
            is_own = any(found[0] is info for info, _ in chain)
            if current is not None and is_own and self.has_member(current, expr.name):
                return self.member(current, expr.name)
            return self._of_class(found, resolved, expr)
        templated = self.templated_value(expr.name, expr.targs) if expr.targs else None
        if templated is not None:
            return templated
        if expr.name in self.program.constants or expr.name in self.program.macros:
            return self.global_value(expr.name)
        return self._own_or_outside(expr)

    def _of_class(self, found: tuple[ClassInfo, dict[str, Binding], bool], resolved: str, expr: Name) -> RuntimeValue:
        info, bindings, is_certain = found
        if not is_certain:
            return symbol(f"?same({resolved}::{expr.name})")
        for owner, own in self.hierarchy(Object(info, dict(bindings))):
            declared = owner.fields.get(expr.name)
            if declared is not None:
                return self.in_class(Object(owner, dict(own)), own, declared)
        if expr.name == "value":
            value = self.inherited_value(info, bindings)
            if value is not None:
                return value
        if expr.name in self.program.constants:
            return self.global_value(expr.name)
        return self._own_or_outside(expr)

    def _own_or_outside(self, expr: Name) -> RuntimeValue:
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

    def on_call(self, expr: Call, callee: Name) -> RuntimeValue:
        """A call that leaves the program."""
        raise NotImplementedError

    def on_method(self, expr: Call, callee: Member, base: RuntimeValue) -> RuntimeValue:
        """A method call on something that is not an object of the program."""
        raise NotImplementedError

    def on_scoped(self, expr: Name) -> RuntimeValue:
        """A qualified name that the program does not define."""
        return None

    def on_scalar_math(self, expr: Expr, operator: str, element: str) -> None:
        """Scalar code calculates with a number that was read from a tensor."""

    def on_declare(self, decl: Decl, value: RuntimeValue) -> None:
        """A local variable was declared."""

    def on_scope_end(self, decl: Decl) -> None:
        """The block that declares a local variable ends."""

    def on_field_store(self, base: RuntimeValue, target: Member, value: RuntimeValue) -> None:
        """A field of something that is not followed was assigned."""

    def on_item_store(self, base: RuntimeValue, target: Expr, value: RuntimeValue) -> None:
        """An element of something that is not followed was assigned."""

    def tiling_variable(self, decl: Decl, resolved: str) -> RuntimeValue:
        """A local variable of a tiling struct's type."""
        return TilingRef("tiling.", self.tiling_structs.get(resolved))


def is_place(expr: Expr) -> bool:
    """True for an argument that an out-parameter can write to."""
    return isinstance(expr, (Name, Member)) or (
        isinstance(expr, Unary) and expr.op == "&" and isinstance(expr.operand, (Name, Member))
    )
