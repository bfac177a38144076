"""The host side: where each tiling field, the block count, the key and the workspace are set, and to what.

Host symbols: ``host.ub_size``, ``host.l1_size`` (bytes that GetCoreMemSize gives), ``host.core_num``,
``host.core_num_aiv``, ``host.core_num_aic``, ``input0.size`` (elements), ``input0.dim1``, ``input0.rank``,
``input0.dtype_size`` (bytes), and the same for outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ascendopt.analysis.facts.declared import Site, TensorFact
from ascendopt.analysis.facts.events import ArmStep, BranchNode, ExitEvent, Node
from ascendopt.analysis.facts.ir import Assign, Binary, Call, Cast, Decl, Expr, Member, Name, Num, Unary
from ascendopt.analysis.facts.places import Region
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.runtime import Frame, HostRef, Object, RuntimeValue, TilingRef
from ascendopt.analysis.facts.tiling_model import LAUNCH, HostCall, HostConstant, TilingModel, TilingSet
from ascendopt.analysis.facts.unit import FunctionInfo
from ascendopt.analysis.facts.walker import Walker
from ascendopt.analysis.operators.model import Entry, Operator
from ascendopt.analysis.values import Value, holds_when_false, number, symbol

LAUNCHER = "ACLRT_LAUNCH_KERNEL"
LAUNCHER_ARGUMENTS = 2
"""Blocks and stream come before the kernel's own arguments."""
_PORT = re.compile(r"Get(Input|Output)(?:Shape|Desc|Tensor)\((\d+)\)")
_DYNAMIC = re.compile(r"GetDynamic(Input|Output)(?:Shape|Desc|Tensor)\((\d+), (\d+)\)")
_CORES = {
    "GetCoreNum": "host.core_num",
    "GetCoreNumAiv": "host.core_num_aiv",
    "GetCoreNumAic": "host.core_num_aic",
}
_MEMORIES = {"UB": "ub", "L1": "l1", "L0_A": "l0a", "L0_B": "l0b", "L0_C": "l0c", "L2": "l2", "HBM": "hbm"}


class HostWalk(Walker):
    """Walks one tiling function."""

    def start(self) -> None:
        """Empty results."""
        self.sets: list[TilingSet] = []
        self.constants: list[HostConstant] = []
        self.guards: list[Value] = []
        self.host_calls: list[HostCall] = []
        self.fields: dict[str, RuntimeValue] = {}
        self.origins: dict[tuple[str, str], Site] = {}
        self.entered: set[str] = set()
        self.entries: tuple[Entry, ...] = ()

    # ------------------------------------------------------------------ where names come from

    def declare(self, decl: Decl) -> None:
        super().declare(decl)
        self.origins[(self.frame.name, decl.name)] = self.site(decl)
        value = self.frame.locals.get(decl.name)
        if isinstance(decl.init, (Num, Binary)) and isinstance(value, Value) and value.is_constant:
            self.constants.append(HostConstant(decl.name, value.const, self.site(decl), is_local=True))

    def store_name(self, target: Name, value: RuntimeValue) -> None:
        super().store_name(target, value)
        self.origins[(self.frame.name, target.name)] = self.site(target)

    # ------------------------------------------------------------------ calls

    def on_special(self, expr: Call, name: str) -> tuple[RuntimeValue] | None:
        if name == "GetDataTypeLength" and len(expr.args) == 2:
            dtype = self.evaluate(expr.args[0])
            self.store(_place(expr.args[1]), self._dtype_size(dtype))
            return (number(1),)
        if name == "GetSizeByDataType" and len(expr.args) == 1:
            return (self._dtype_size(self.evaluate(expr.args[0])),)
        return None

    def call(self, expr: Call) -> RuntimeValue:
        """As everywhere; ``ACLRT_LAUNCH_KERNEL(entry)(blocks, stream, arguments)`` hands arguments to the kernel."""
        launched = expr.callee
        if isinstance(launched, Call) and isinstance(launched.callee, Name) and launched.callee.name == LAUNCHER:
            names = [argument.name for argument in launched.args if isinstance(argument, Name)]
            self._launch(names[0] if names else "", expr)
            return None
        return super().call(expr)

    def _launch(self, kernel: str, expr: Call) -> None:
        entry = next((entry for entry in self.entries if entry.name == kernel), None)
        parameters = [name for _type, name in entry.parameters] if entry is not None else []
        if entry is not None and expr.args:
            self._host_call("SetBlockDim", expr, expr.args[0])
        for name, argument in zip(parameters, expr.args[LAUNCHER_ARGUMENTS:], strict=False):
            value = self.as_number(self.evaluate(argument))
            place = self.frame.place(argument.start, argument.end)
            known = value if isinstance(value, Value) else None
            made = TilingSet(
                LAUNCH, name, self.site(argument), known, self.text(argument), place.span, self.is_conditional
            )
            self.sets.append(made)

    def on_call(self, expr: Call, callee: Name) -> RuntimeValue:
        return HostRef(f"{callee.name}({self._texts(expr)})")

    def on_scoped(self, expr: Name) -> RuntimeValue:
        return HostRef(f"{expr.scope}::{expr.name}") if expr.name.startswith(("DT_", "FORMAT_")) else None

    def on_method(self, expr: Call, callee: Member, base: RuntimeValue) -> RuntimeValue:
        name = callee.name
        if isinstance(base, TilingRef):
            return self._tiling_method(expr, callee, base)
        if name == "GetTilingData" and callee.targs and not expr.args:
            return TilingRef("tiling.", self.tiling_structs.get(self.resolve_type(callee.targs[0])))
        if name == "GetCoreMemSize" and len(expr.args) == 2:
            kind = self.text(expr.args[0]).rsplit("::", 1)[-1]
            self.store(_place(expr.args[1]), symbol(f"host.{_MEMORIES.get(kind, kind.lower())}_size", 0))
            return None
        if name in _CORES and not expr.args:
            return symbol(_CORES[name], 1)
        if name in ("SetBlockDim", "SetTilingKey") and len(expr.args) == 1:
            self._host_call(name, expr, expr.args[0])
            return None
        text = base.text if isinstance(base, HostRef) else self.text(callee.base)[:80]
        port = _port(text)
        if port is not None:
            if name == "GetShapeSize":
                return symbol(f"{port}.size", 0)
            if name == "GetDimNum":
                return symbol(f"{port}.rank", 0)
            if name == "GetDim" and len(expr.args) == 1:
                at = self.evaluate(expr.args[0])
                if isinstance(at, Value) and at.is_constant:
                    return symbol(f"{port}.dim{at.const}", 0)
        return HostRef(f"{text}.{name}({self._texts(expr)})")

    def _texts(self, expr: Call) -> str:
        parts: list[str] = []
        for argument in expr.args:
            value = self.evaluate(argument)
            known = value.text if isinstance(value, (Value, HostRef)) else self.text(argument)
            parts.append(known[:60])
        return ", ".join(parts)

    def _dtype_size(self, dtype: RuntimeValue) -> Value:
        port = _port(dtype.text) if isinstance(dtype, HostRef) else None
        return symbol(f"{port}.dtype_size", 1, 8) if port is not None else self.unknown("dtype_size", 1, 8)

    # ------------------------------------------------------------------ what the host sets

    def _tiling_method(self, expr: Call, callee: Member, base: TilingRef) -> RuntimeValue:
        name = callee.name
        if name.startswith("set_") and len(expr.args) == 1:
            self._set(base, name[4:], expr.args[0], self.site(expr), self.evaluate(expr.args[0]))
            return None
        if name.startswith("get_") and not expr.args:
            path = base.prefix + name[4:]
            return self.fields[path] if path in self.fields else symbol(path)
        for argument in expr.args:
            self.evaluate(argument)
        return None

    def _set(self, base: TilingRef, field: str, expr: Expr, site: Site, value: RuntimeValue) -> None:
        path = base.prefix + field
        known = self.as_number(value)
        self.write(self.fields, path, known)
        self.sets.append(
            TilingSet(
                struct=base.struct.name if base.struct is not None else "",
                field=path.removeprefix("tiling."),
                site=site,
                value=known if isinstance(known, Value) else None,
                value_text=self.text(expr),
                value_span=self.frame.place(expr.start, expr.end).span,
                conditional=self.is_conditional,
                origin=self._origin(expr),
            )
        )

    def _origin(self, expr: Expr) -> Site | None:
        """Where the local variable that ``expr`` passes on, converted or not, got its value."""
        while isinstance(expr, Cast):
            expr = expr.operand
        return self.origins.get((self.frame.name, expr.name)) if isinstance(expr, Name) else None

    @property
    def is_conditional(self) -> bool:
        """True inside an arm that may not run."""
        return any(isinstance(step, ArmStep) for step in self.path)

    def on_field_store(self, base: RuntimeValue, target: Member, value: RuntimeValue) -> None:
        if isinstance(base, TilingRef):
            self._set(base, target.name, target, self.site(target), value)

    def assign(self, expr: Assign) -> RuntimeValue:
        """As everywhere; a field that is assigned to (``data->rows = rows``) is set to the right side."""
        before = len(self.sets)
        result = super().assign(expr)
        if expr.op == "=" and isinstance(expr.target, Member) and len(self.sets) > before:
            made = self.sets[-1]
            if made.site == self.site(expr.target):
                place = self.frame.place(expr.value.start, expr.value.end)
                text, origin = self.text(expr.value), self._origin(expr.value)
                self.sets[-1] = replace(made, value_text=text, value_span=place.span, origin=origin)
        return result

    def on_item_store(self, base: RuntimeValue, target: Expr, value: RuntimeValue) -> None:
        if isinstance(base, HostRef) and "GetWorkspaceSizes" in base.text:
            known = self.as_number(value)
            self.host_calls.append(
                HostCall(
                    "workspace",
                    self.site(target),
                    known if isinstance(known, Value) else None,
                    self.text(target),
                    self.is_conditional,
                )
            )

    def _host_call(self, name: str, expr: Call, argument: Expr) -> None:
        value = self.as_number(self.evaluate(argument))
        self.host_calls.append(
            HostCall(
                name,
                self.site(expr),
                value if isinstance(value, Value) else None,
                self.text(argument),
                self.is_conditional,
            )
        )

    def merged_tensor(self, left: TensorFact, right: TensorFact) -> RuntimeValue:
        return None


def walk_host(program: Program, operator: Operator, paths: list[Path]) -> TilingModel:
    """Facts of the tiling functions of an operator.

    Where the tiling function dispatches through a registry that is not followed, the functions of the
    operator's own files that set tiling fields are walked on their own, and what they set counts as
    conditional.
    """
    sets: list[TilingSet] = []
    calls: list[HostCall] = []
    walked: list[FunctionInfo] = []
    guards: list[Value] = []
    constants: list[HostConstant] = list(_constants(program))
    for name in operator.tiling_functions:
        for function in program.named(name)[:1]:
            walk = _walk(program, operator, function)
            walked.append(function)
            sets.extend(walk.sets)
            calls.extend(walk.host_calls)
            constants.extend(walk.constants)
            guards.extend(walk.guards)
    if not sets:
        for function in _launchers(program, operator):
            walk = _walk(program, operator, function)
            walked.append(function)
            sets.extend(walk.sets)
            calls.extend(walk.host_calls)
            constants.extend(walk.constants)
            guards.extend(walk.guards)
    if not sets:
        for function in _setters(program, operator):
            walk = _walk(program, operator, function)
            walked.append(function)
            sets.extend(_as_conditional(walk.sets))
            constants.extend(walk.constants)
            calls.extend(walk.host_calls)
    facts = tuple(function.fact() for function in walked)
    return TilingModel(tuple(paths), facts, tuple(sets), tuple(calls), tuple(constants), tuple(guards))


def _walk(program: Program, operator: Operator, function: FunctionInfo) -> HostWalk:
    frame = Frame.of(function, None, {})
    walk = HostWalk(program, frame)
    walk.start()
    walk.tiling_structs = {struct.name: struct for struct in operator.tiling_structs}
    walk.entries = operator.entries
    body = function.body()
    for parameter in body.parameters:
        struct = walk.tiling_structs.get(walk.resolve_type(parameter.type))
        if struct is not None:
            frame.locals[parameter.name] = TilingRef("tiling.", struct)
        elif walk.is_integer(parameter.type):
            frame.locals[parameter.name] = symbol(f"arg.{parameter.name}")
        else:
            frame.locals[parameter.name] = HostRef(parameter.name)
    if function.owner:
        found = walk.class_named(function.owner)
        if found is not None:
            made = walk.make(function.owner, "this", Site(function.path, function.name_place), "")
            frame.self_object = made if isinstance(made, Object) else None
    walk.run(body.statements)
    walk.guards.extend(_guards(walk.out))
    return walk


def _guards(nodes: Iterable[Node]) -> Iterator[Value]:
    """What holds after branches of the function itself that turn back."""
    for node in nodes:
        if isinstance(node, BranchNode) and len(node.arms) == len(node.conditions) == 2:
            condition = node.conditions[0]
            turns_back = any(isinstance(event, ExitEvent) and event.kind == "return" for event in node.arms[0])
            if turns_back and not node.arms[1] and condition is not None:
                yield from holds_when_false(condition)


def _launchers(program: Program, operator: Operator) -> list[FunctionInfo]:
    """Functions of the operator's own files that launch its kernel."""
    own = [unit for unit in program.units if operator.root in unit.path.parents]
    return [function for unit in own for function in unit.functions if LAUNCHER in function.body().called]


def _constants(program: Program) -> tuple[HostConstant, ...]:
    walk = HostWalk(program, Frame(None, Path(), Region(), None, {}))
    walk.start()
    found: list[HostConstant] = []
    for name, constant in program.constants.items():
        value = walk.constant_value(constant) if constant.is_constant else None
        if isinstance(value, Value) and value.is_constant:
            found.append(HostConstant(name, value.const, Site(constant.path, constant.place, "")))
    return (*found, *_macros(program, walk))


def _macros(program: Program, walk: HostWalk) -> Iterator[HostConstant]:
    """Macros without parameters that are numbers."""
    for unit in program.units:
        for macro in unit.macros.values():
            if macro.parameters is None and macro.body and macro.place is not None:
                value = walk.macro_value(macro.body)
                if isinstance(value, Value) and value.is_constant:
                    yield HostConstant(macro.name, value.const, Site(unit.path, macro.place, ""))


def _setters(program: Program, operator: Operator) -> list[FunctionInfo]:
    found: list[FunctionInfo] = []
    for unit in program.units:
        if operator.root not in unit.path.parents:
            continue
        methods = [m for info in program.classes_of(unit) for group in info.methods.values() for m in group]
        for function in (*unit.functions, *unit.methods, *methods):
            if any(name.startswith("set_") for name in function.body().called) and function not in found:
                found.append(function)
    return found


def _as_conditional(sets: list[TilingSet]) -> list[TilingSet]:
    return [replace(entry, conditional=True) for entry in sets]


def _place(expr: Expr) -> Expr:
    return expr.operand if isinstance(expr, Unary) else expr


def _port(text: str) -> str | None:
    match = _PORT.search(text)
    if match is not None:
        return f"{match[1].lower()}{match[2]}"
    match = _DYNAMIC.search(text)
    return f"{match[1].lower()}{match[2]}_{match[3]}" if match is not None else None
