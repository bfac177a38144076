"""Local tensors of a walk: handed out by buffers and allocators, or laid at an address."""

from __future__ import annotations

from dataclasses import replace

from ascendopt.analysis.facts.declared import QueueFact, TensorFact
from ascendopt.analysis.facts.events import BufferGetEvent, PlacementEvent
from ascendopt.analysis.facts.forks import ForkWalk
from ascendopt.analysis.facts.ir import Braces, Call, Decl, Member, Name
from ascendopt.analysis.facts.runtime import QueueRef, RuntimeValue
from ascendopt.analysis.facts.templates import last
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.values import Value, number

_HARDWARE = {"UB": "VECCALC", "L1": "A1", "L0A": "A2", "L0B": "B2", "L0C": "CO1", "BIAS": "C2", "FIXBUF": "C2PIPE2GM"}
_PLACED = 3
"""Arguments of the constructor of a tensor at a fixed address."""


class TensorWalk(ForkWalk):
    """Where local tensors come from."""

    def start(self, choices: tuple[bool, ...]) -> None:
        super().start(choices)
        self._handles = 0
        self.placed: dict[tuple[str, str], int] = {}

    def tensor_of(self, fact: QueueFact | None, element: str | None, handle: int, offset: Value) -> TensorFact:
        """A tensor that starts ``offset`` bytes into a buffer of a queue."""
        return TensorFact(
            memory="local",
            element=element,
            element_bytes=self.size_of(element) if element else self.unknown("sizeof", 1, 8),
            name="",
            queue=fact,
            position=fact.positions[0] if fact is not None and fact.positions else None,
            offset=offset,
            handle=handle,
        )

    def next_handle(self) -> int:
        """A new tensor identity."""
        self._handles += 1
        return self._handles

    def got(self, expr: Call, callee: Member, base: QueueRef) -> RuntimeValue:
        """``buffer.Get<T>(n)``, ``buffer.GetWithOffset<T>(n, bytes)``."""
        element = self.resolve_type(callee.targs[0]) if callee.targs else None
        values = [self.evaluate(argument) for argument in expr.args]
        numbers = [value if isinstance(value, Value) else None for value in values]
        offset = number(0)
        if callee.name == "GetWithOffset":
            given = numbers[1] if len(numbers) > 1 else None
            offset = given if given is not None else self.unknown("offset", 0)
        tensor = self.tensor_of(base.fact, element, self.next_handle(), offset)
        tensor = tensor.at(offset, numbers[0] if numbers else None)
        self.emit(BufferGetEvent(self.site(expr), self.next_order(), self.path, self.calls, tensor=tensor))
        return tensor

    def allocated(self, expr: Call, callee: Member) -> RuntimeValue:
        """A tensor of a ``LocalMemAllocator``: ``Alloc<T, n>()``, ``Alloc<T>(n)``, and a position before ``T``."""
        targs = callee.targs
        stated = last(targs[0]) if targs and "TPosition::" in targs[0] else None
        own = targs[1:] if stated is not None else targs
        element = self.resolve_type(own[0]) if own else ""
        if element not in TYPE_BYTES:
            return None
        kind = self.frame.numbers.get(callee.base.name, "") if isinstance(callee.base, Name) else ""
        given = expr.args[0] if len(own) == 1 and expr.args else None
        length = self.integer(given) if given is not None else self.constant_text(own[1]) if len(own) > 1 else None
        place = stated or _HARDWARE.get(last(kind.rstrip(">")))
        made = self.tensor_of(None, element, self.next_handle(), number(0))
        tensor = replace(made, position=place, handle=made.handle if place is not None else None, length=length)
        common = (self.site(expr), self.next_order(), self.path, self.calls)
        self.emit(PlacementEvent(*common, tensor, None, _bytes(tensor), self.text(callee.base)))
        return tensor

    def constructed(self, decl: Decl, resolved: str) -> RuntimeValue:
        """As everywhere; ``LocalTensor<T> x(position, address, n)`` lies where that says."""
        made = super().constructed(decl, resolved)
        arguments = decl.init.items if isinstance(decl.init, Braces) else decl.args or ()
        if not isinstance(made, TensorFact) or made.memory != "local" or len(arguments) != _PLACED:
            return made
        address, length = (self.quietly(argument) for argument in arguments[1:])
        if not isinstance(address, Value):
            return made
        where = self.text(arguments[0]).rpartition("::")[2]
        memory = "UB" if where in ("VECIN", "VECOUT", "VECCALC") else where
        handle = self.placed.setdefault((memory, address.text), self.next_handle())
        size = length if isinstance(length, Value) else None
        tensor = replace(made, position=where, handle=handle, offset=address, length=size)
        common = (self.declared_at(decl), self.next_order(), self.path, self.calls)
        self.emit(PlacementEvent(*common, tensor, address, _bytes(tensor)))
        return tensor


def _bytes(tensor: TensorFact) -> Value | None:
    return tensor.length * tensor.element_bytes if tensor.length is not None else None
