"""The device side: pipes, queues, tensors, copies and API calls as events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ascendopt.analysis.apis import structs_of_parameter
from ascendopt.analysis.facts.call_events import copy_event, flag_event
from ascendopt.analysis.facts.declared import Argument, PipeFact, Site, TensorFact
from ascendopt.analysis.facts.events import (
    ApiCall,
    BarrierEvent,
    InitBufferEvent,
    PipeEvent,
    QueueEvent,
    ScalarAccess,
    ScalarMath,
    StoreEvent,
)
from ascendopt.analysis.facts.ir import Binary, Braces, Call, Cast, Decl, Expr, Member, Name, Unary
from ascendopt.analysis.facts.model import TilingRead
from ascendopt.analysis.facts.names import split_template
from ascendopt.analysis.facts.runtime import (
    Address,
    ArrayRef,
    Enumerator,
    Object,
    PipeRef,
    QueueRef,
    RuntimeValue,
    Scalar,
    Struct,
    TilingRef,
    struct_table,
)
from ascendopt.analysis.facts.tensor_walk import TensorWalk
from ascendopt.analysis.operators.names import GE_DTYPES, KERNEL_TYPES, TYPE_BYTES
from ascendopt.analysis.values import Value, align_up, compare, number, symbol

QUEUE_CALLS = ("AllocTensor", "FreeTensor", "EnQue", "DeQue")
_FLAGS = ("SetFlag", "WaitFlag", "set_flag", "wait_flag", "HSetFlag", "HWaitFlag")
_BARRIERS = ("PipeBarrier", "pipe_barrier")
_COPIES = ("DataCopy", "DataCopyPad")
_BLOCK = number(32)
_NARROW = 4
_GIVEN = ("tiling.", "arg.")
_DTYPE_NUMBERS = {name: index for index, name in enumerate(KERNEL_TYPES.values())}


class KernelWalk(TensorWalk):
    """Walks one instance of a kernel."""

    def start(self, choices: tuple[bool, ...]) -> None:
        super().start(choices)
        self.kernels: list[str] = []
        self.bindings_seen: dict[str, str] = {}
        self.tiling_reads: dict[tuple[str, int], TilingRead] = {}

    def on_tiling_read(self, field: str, expr: Expr) -> None:
        """Remember the place, once however often a function is walked."""
        key = (field, id(expr))
        if key not in self.tiling_reads:
            self.tiling_reads[key] = TilingRead(field.removeprefix("tiling."), self.site(expr))

    # ------------------------------------------------------------------ special names

    def global_value(self, name: str) -> RuntimeValue:
        """As everywhere; ``EVENT_ID3`` is 3, ``ORIG_DTYPE_X`` and ``DT_FLOAT`` are numbers, equal for equal dtypes."""
        if name.startswith("ORIG_DTYPE_"):
            macro = name.removeprefix("ORIG_")
            if macro not in self.dtypes:
                return symbol(f"?same({macro})", 0)
            self.dtypes_used.add(macro)
            return number(_DTYPE_NUMBERS[self.dtypes[macro]]) if self.dtypes[macro] in _DTYPE_NUMBERS else None
        if name.startswith("EVENT_ID") and name[8:].isdigit() and name not in self.program.constants:
            return number(int(name[8:]))
        dtype = KERNEL_TYPES.get(GE_DTYPES.get(name, ""))
        return number(_DTYPE_NUMBERS[dtype]) if dtype is not None else super().global_value(name)

    def on_scoped(self, expr: Name) -> RuntimeValue:
        """A value of an enumeration of the API."""
        return self.enumerator(f"{expr.scope}::{expr.name}")

    def _is_defined(self, expr: Expr) -> Value:
        """``defined(NAME)`` of a preprocessor branch."""
        name = expr.name if isinstance(expr, Name) else ""
        macro = name.removeprefix("ORIG_")
        if macro in self.dtypes:
            self.dtypes_used.add(macro)
            return number(1)
        known = name in GE_DTYPES or name in self.program.macros
        return number(1) if known else symbol(f"?same(defined({name}))", 0, 1)

    def on_special(self, expr: Call, name: str) -> tuple[RuntimeValue] | None:
        args = expr.args
        if name == "TILING_KEY_IS" and len(args) == 1:
            return (self._tiling_key_is(args[0]),)
        if name == "GET_TILING_DATA" and len(args) == 2:
            self._bind_tiling(args[0], "")
            return (None,)
        if name == "GET_TILING_DATA_WITH_STRUCT" and len(args) == 3:
            self._bind_tiling(args[1], args[0].name if isinstance(args[0], Name) else "")
            return (None,)
        if name == "GET_TILING_DATA_MEMBER" and len(args) == 4:
            member = args[1].name if isinstance(args[1], Name) else ""
            if isinstance(args[2], Name):
                self.on_tiling_read(f"tiling.{member}", args[1])
                self.write(self.frame.locals, args[2].name, self.tiling_field(TilingRef("tiling.", None), member))
            return (None,)
        if name == "defined" and len(args) == 1:
            return (self._is_defined(args[0]),)
        if name in ("ASSERT", "assert"):
            return (None,)
        if name == "GetBlockIdx" and not args:
            return (symbol("block_idx", 0),)
        if name == "GetBlockNum" and not args:
            return (symbol("block_num", 1),)
        if name in ("likely", "unlikely", "LIKELY", "UNLIKELY") and len(args) == 1:
            return (self.evaluate(args[0]),)
        return None

    def _tiling_key_is(self, arg: Expr) -> Value:
        wanted = self.evaluate(arg)
        constant = wanted.constant() if isinstance(wanted, Value) else None
        if constant is None:
            return self.unknown("tiling_key", 0, 1)
        if self.key is not None:
            return number(int(self.key == constant))
        if constant in self.excluded:
            return number(0)
        return compare("==", symbol("tiling_key", 0), number(constant))

    def _bind_tiling(self, target: Expr, struct: str) -> None:
        if isinstance(target, Name):
            found = self.tiling_structs.get(struct) or self.default_tiling()
            self.write(self.frame.locals, target.name, TilingRef("tiling.", found))

    def default_tiling(self):
        """The struct that the host registers for the operator, when there is exactly one."""
        registered = [s for s in self.tiling_structs.values() if s.ops]
        outer = [s for s in registered if any(not op[:1].islower() and not op.endswith("Op") for op in s.ops)]
        return outer[0] if len(outer) == 1 else None

    # ------------------------------------------------------------------ methods

    def on_method(self, expr: Call, callee: Member, base: RuntimeValue) -> RuntimeValue:
        name = callee.name
        if name == "InitBuffer" and len(expr.args) >= 2:
            return self._init_buffer(expr, base.fact if isinstance(base, PipeRef) else None)
        if isinstance(base, ArrayRef) and isinstance(base.element, QueueRef):
            base = base.element
        if name in QUEUE_CALLS:
            return self._queue_call(expr, callee, base)
        if isinstance(base, QueueRef):
            if name in ("Get", "GetWithOffset"):
                return self.got(expr, callee, base)
            self._arguments(expr)
            return self.unknown(name, 0) if name.startswith(("Has", "Get", "Vacant")) else None
        if isinstance(base, PipeRef):
            if name in ("Reset", "Destroy", "Init"):
                event = PipeEvent(self.site(expr), self.next_order(), self.path, self.calls, op=name, pipe=base.fact)
                self.emit(event)
            self._api(expr, name, callee.targs, callee.name_start, None, self.text(callee.base))
            return self.unknown(name, 0)
        if isinstance(base, TensorFact):
            return self._tensor_call(expr, callee, base)
        self._api(expr, name, callee.targs, callee.name_start, None, self.text(callee.base))
        if name == "Alloc" and base is None:
            return self.allocated(expr, callee)
        return self.unknown(name) if name.startswith(("Get", "get")) else None

    def _init_buffer(self, expr: Call, pipe: PipeFact | None) -> None:
        place, second, *more = expr.args
        target = self.evaluate(place)
        if isinstance(target, ArrayRef):
            target = target.element
        fact = target.fact if isinstance(target, QueueRef) else None
        last = more[0] if more else second
        count = self.integer(second) if more else number(1)
        length = self.integer(last)
        rounded = align_up(length, _BLOCK)
        event = InitBufferEvent(
            self.site(expr),
            self.next_order(),
            self.path,
            self.calls,
            queue=fact,
            queue_text=self.text(place),
            num=count,
            length=length,
            total=count * (rounded if rounded is not None else length),
            length_place=self.frame.place(last.start, last.end),
            length_text=self.text(last),
            pipe=pipe,
        )
        self.emit(event)

    def _queue_call(self, expr: Call, callee: Member, base: RuntimeValue) -> RuntimeValue:
        fact = base.fact if isinstance(base, QueueRef) else None
        argument = self.evaluate(expr.args[0]) if expr.args else None
        for extra in expr.args[1:]:
            self.evaluate(extra)
        tensor = argument if isinstance(argument, TensorFact) else None
        produces = callee.name in ("AllocTensor", "DeQue")
        result: TensorFact | None = None
        handle = tensor.handle if tensor is not None else None
        if produces:
            handle = self.next_handle()
            element = self.resolve_type(callee.targs[0]) if callee.targs else (tensor.element if tensor else None)
            result = self.tensor_of(fact, element, handle, number(0))
            if expr.args:
                self.store(_place(expr.args[0]), result.named(self.text(expr.args[0])))
        name = self.text(expr.args[0]) if expr.args else ""
        event = QueueEvent(
            self.site(expr),
            self.next_order(),
            self.path,
            self.calls,
            op=callee.name,
            queue=fact,
            queue_text=self.text(callee.base),
            tensor_name=name,
            handle=handle,
            in_place=produces and bool(expr.args),
        )
        self.emit(event)
        return result

    def _tensor_call(self, expr: Call, callee: Member, base: TensorFact) -> RuntimeValue:
        name = callee.name
        if name == "ReinterpretCast" and callee.targs:
            element = self.resolve_type(callee.targs[0])
            return replace(base, element=element, element_bytes=self.size_of(element), length=None)
        if name == "SetGlobalBuffer":
            values = [self.evaluate(argument) for argument in expr.args]
            length = values[1] if len(values) > 1 and isinstance(values[1], Value) else None
            start = values[0] if values else None
            offset, origin = (start.offset, start.name) if isinstance(start, Address) else (None, None)
            self.store(_place(callee.base), replace(base, offset=offset, length=length, origin=origin))
            return None
        if name in ("GetValue", "SetValue"):
            return self._scalar_access(expr, name, callee, base)
        self._api(expr, name, callee.targs, callee.name_start, base, self.text(callee.base))
        return self.unknown(name, 0) if name.startswith("Get") else None

    def _scalar_access(self, expr: Call, name: str, callee: Member | Name, base: TensorFact) -> RuntimeValue:
        """``tensor.GetValue(i)``, ``tensor.SetValue(i, x)``, and ``tensor(i)``, which reads."""
        arguments = self._arguments(expr)
        start, receiver = (callee.name_start, callee.base) if isinstance(callee, Member) else (callee.start, callee)
        length = len(callee.name)
        event = ScalarAccess(
            self.site(expr),
            self.next_order(),
            self.path,
            self.calls,
            name=name,
            template_args=(),
            args=arguments,
            receiver=base,
            receiver_text=self.text(receiver),
            name_place=self.frame.place(start, start + length),
            index=arguments[0].value if arguments else None,
        )
        self.emit(event)
        if name == "GetValue" and base.element is not None and not self.is_integer(base.element):
            return Scalar(base.element)
        return self.unknown(f"{base.name}.GetValue")

    # ------------------------------------------------------------------ API calls

    def on_call(self, expr: Call, callee: Name) -> RuntimeValue:
        made = self._constructed(expr, callee)
        if made is not None:
            return made
        held = self.lookup(callee.name) if len(expr.args) == 1 and not callee.scope else None
        if isinstance(held, TensorFact):
            return self._scalar_access(expr, "GetValue", callee, held)
        at = callee.end - len(callee.name) if not callee.targs else callee.start
        self._api(expr, callee.name, callee.targs, at, None, "")
        if callee.name == "GetTPipePtr":
            return PipeRef(None)
        if callee.name == "GetUserWorkspace":
            return Address("workspace")
        return self.unknown(callee.name) if expr.args or callee.name.startswith("Get") else None

    def _constructed(self, expr: Call, callee: Name) -> RuntimeValue:
        if callee.name in ("LocalTensor", "GlobalTensor") or callee.name in self.program.classes:
            text = callee.name + (f"<{','.join(callee.targs)}>" if callee.targs else "")
            for argument in expr.args:
                self.evaluate(argument)
            return self.make(text, "", self.site(expr), self.frame.name + "()")
        return None

    def _api(
        self,
        expr: Call,
        name: str,
        targs: tuple[str, ...],
        name_start: int,
        receiver: TensorFact | None,
        receiver_text: str,
    ) -> None:
        arguments = self._arguments(expr, name)
        site, order, path, calls = self.site(expr), self.next_order(), self.path, self.calls
        resolved = tuple(self.resolve_type(argument) for argument in targs)
        place = self.frame.place(name_start, name_start + len(name))
        common = (site, order, path, calls, name, resolved, arguments, receiver, receiver_text, place)
        if name in _COPIES and len(arguments) >= 2:
            self.emit(copy_event(common, name, arguments))
        elif name in _BARRIERS:
            source = resolved[0] if resolved else (arguments[0].text if arguments else "")
            self.emit(BarrierEvent(*common, pipe=source.rsplit("::", 1)[-1]))
        elif name in _FLAGS:
            self.emit(flag_event(common, resolved, arguments))
        else:
            self.emit(ApiCall(*common))
            if any(argument.struct == "queue" for argument in arguments):
                self.complete = False

    def _arguments(self, expr: Call, name: str = "") -> tuple[Argument, ...]:
        count = len(expr.args)
        return tuple(
            self._argument(argument, structs_of_parameter(name, count, index))
            for index, argument in enumerate(expr.args)
        )

    def _argument(self, expr: Expr, kinds: tuple[str, ...]) -> Argument:
        """One argument; bare braces are that one of the structures ``kinds`` which they fill."""
        value: RuntimeValue = None
        kind: str | None = None
        if isinstance(expr, Braces) and not expr.type:
            kind = struct_table().meant(kinds, expr.fields, len(expr.items))
            value = self.filled(kind, expr) if kind is not None else None
        if kind is None:
            value = self.evaluate(expr)
        text, place = self.text(expr), self.frame.place(expr.start, expr.end)
        if isinstance(value, Value):
            return Argument(text, place, value=value)
        if isinstance(value, TensorFact):
            return Argument(text, place, tensor=value)
        if isinstance(value, Struct):
            assigned = tuple(value.assigned.items())
            return Argument(text, place, fields=tuple(_flat(value)), struct=value.type, assigned=assigned)
        if isinstance(value, ArrayRef) and value.items:
            return Argument(text, place, fields=tuple(_flat(value)))
        if isinstance(value, QueueRef):
            return Argument(text, place, struct="queue")
        if isinstance(value, Enumerator):
            return Argument(text, place, named=value.text)
        return Argument(text, place)

    # ------------------------------------------------------------------ declarations, joins

    def on_declare(self, decl: Decl, value: RuntimeValue) -> None:
        if isinstance(value, PipeRef) and value.fact is not None and decl.indirect == "" and decl.init is None:
            self._pipe_created(value, self.declared_at(decl))
        if isinstance(value, Object):
            self._object_created(value, self.declared_at(decl))
        if isinstance(value, Value) and not value.is_constant and decl.init is not None and _is_product(decl.init):
            resolved = self.resolve_type(decl.type)
            if TYPE_BYTES.get(resolved) == _NARROW:
                common = (self.declared_at(decl), self.next_order(), self.path, self.calls)
                self.emit(StoreEvent(*common, name=decl.name, value=value, dtype=resolved, text=self.text(decl.init)))

    def store_name(self, target: Name, value: RuntimeValue) -> None:
        """As everywhere; a member that takes a field or an argument as it is makes an event."""
        super().store_name(target, value)
        if isinstance(value, Value) and target.name not in self.frame.locals and value.text.startswith(_GIVEN):
            self.emit(StoreEvent(self.site(target), self.next_order(), self.path, self.calls, target.name, value))

    def _object_created(self, made: Object, site: Site) -> None:
        if len(self.frames) <= 3 and made.label not in self.kernels:
            self.kernels.append(made.label)
            for key, bound in made.bindings.items():
                self.bindings_seen.setdefault(key, bound if isinstance(bound, str) else bound.text)
        for info, bindings in self.hierarchy(made):
            for name, declared in info.fields.items():
                if split_template(declared.type)[0] == "TPipe" and not declared.indirect:
                    value = self.in_class(made, bindings, declared)
                    made.members.setdefault(name, value)
                    if isinstance(value, PipeRef):
                        self._pipe_created(value, site)

    def on_scope_end(self, decl: Decl) -> None:
        value = self.frame.locals.get(decl.name)
        if decl.indirect or decl.init is not None:
            return
        held = [value] if not isinstance(value, Object) else list(value.members.values())
        for pipe in held:
            if isinstance(pipe, PipeRef) and pipe.fact is not None:
                at = self.site(decl)
                self.emit(PipeEvent(at, self.next_order(), self.path, self.calls, op="end", pipe=pipe.fact))

    def _pipe_created(self, pipe: PipeRef, site: Site) -> None:
        self.emit(PipeEvent(site, self.next_order(), self.path, self.calls, op="create", pipe=pipe.fact))

    def merged_tensor(self, left: TensorFact, right: TensorFact) -> RuntimeValue:
        if left == right:
            return left
        same_queue = left.queue == right.queue
        return replace(
            left,
            element=left.element if left.element == right.element else None,
            queue=left.queue if same_queue else None,
            position=left.position if left.position == right.position else None,
            offset=left.offset if left.offset == right.offset and same_queue else None,
            handle=left.handle if left.handle == right.handle else None,
            length=None,
        )

    def on_scalar_math(self, expr: Expr, operator: str, element: str) -> None:
        event = ScalarMath(
            self.site(expr), self.next_order(), self.path, self.calls, element=element, operator=operator
        )
        self.emit(event)

    def address(self, name: str) -> Address:
        """A global memory argument of the entry."""
        return Address(name)


def _flat(value: RuntimeValue, name: str = "") -> Iterator[tuple[str, Value]]:
    """The numbers in a structure or array: ``blockLen``, ``lengths[1]``, ``[0].burstLen``."""
    if isinstance(value, Value):
        yield name, value
    elif isinstance(value, Struct):
        for key, item in value.fields.items():
            yield from _flat(item, f"{name}.{key}" if name else key)
    elif isinstance(value, ArrayRef):
        for index, item in value.items.items():
            yield from _flat(item, f"{name}[{index}]")


def _is_product(expr: Expr) -> bool:
    """A multiplication that is not widened on the way."""
    if isinstance(expr, Cast):
        return _is_product(expr.operand)
    return isinstance(expr, Binary) and (expr.op == "*" or (expr.op in "+-" and _is_product(expr.left)))


def _place(expr: Expr) -> Expr:
    return expr.operand if isinstance(expr, Unary) else expr
