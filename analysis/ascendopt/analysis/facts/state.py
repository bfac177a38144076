"""State of a walk: variables with an undo trail, the node tree under construction, fresh names."""

from __future__ import annotations

from collections.abc import Iterable

from ascendopt.analysis.facts.declared import Site, TensorFact
from ascendopt.analysis.facts.events import Event, Node, Step
from ascendopt.analysis.facts.ir import Expr, If, Stmt
from ascendopt.analysis.facts.program import Program
from ascendopt.analysis.facts.runtime import Frame, Object, RuntimeValue
from ascendopt.analysis.operators.model import TilingStruct
from ascendopt.analysis.values import Value, fresh_symbol

DEEPEST = 24
"""Calls inside of calls that are followed."""


class Missing:
    """Marks a variable that is not there."""


MISSING = Missing()
Changes = dict[tuple[int, str], RuntimeValue | Missing]
Touched = dict[tuple[int, str], tuple[dict[str, RuntimeValue], str]]


class WalkState:
    """Everything that changes during a walk of one instance."""

    def __init__(self, program: Program, frame: Frame) -> None:
        self.program = program
        self.frame: Frame = frame
        self.frames: list[Frame] = [frame]
        self.out: list[Node] = []
        self.path: tuple[Step, ...] = ()
        self.calls: tuple[Site, ...] = ()
        self.objects: list[Object] = []
        self.trail: list[tuple[dict[str, RuntimeValue], str, RuntimeValue | Missing]] = []
        self.steps = 0
        self.nesting = 0
        self.complete = True
        self.dtypes: dict[str, str] = {}
        self.dtypes_used: set[str] = set()
        self.tiling_structs: dict[str, TilingStruct] = {}
        self.expanding: list[str] = []
        self.constants_seen: dict[str, RuntimeValue] = {}
        self.resolving: set[str] = set()
        self.types_seen: dict[tuple[object, ...], dict[str, str]] = {}
        self.doubts: int = 0
        self._unknowns = 0
        self._orders = 0
        self._quiet = 0

    # ------------------------------------------------------------------ variables

    def write(self, table: dict[str, RuntimeValue], name: str, value: RuntimeValue) -> None:
        """Set a variable; a branch can undo it."""
        self.trail.append((table, name, table.get(name, MISSING)))
        table[name] = value

    def undo(self, mark: int, touched: Touched) -> Changes:
        """Take back every write since ``mark``; gives the values that the variables had."""
        changes: Changes = {}
        while len(self.trail) > mark:
            table, name, old = self.trail.pop()
            key = (id(table), name)
            if key not in changes:
                changes[key] = table.get(name, MISSING)
                touched[key] = (table, name)
            if isinstance(old, Missing):
                table.pop(name, None)
            else:
                table[name] = old
        return changes

    def drop_writes(self, mark: int, dead: set[int]) -> None:
        """Forget the writes since ``mark`` to tables that nothing can read any more, by their ``id``: taking these back
        and joining them again at every branch around would take time that grows with its depth."""
        recent = self.trail[mark:]
        kept = [entry for entry in recent if id(entry[0]) not in dead]
        if len(kept) < len(recent):
            self.trail[mark:] = kept

    def drop_objects(self, held: Iterable[RuntimeValue], first: int, mark: int) -> None:
        """The variables of a scope that hold ``held`` end: what was made since there were ``first`` objects, belongs
        to them and was stored nowhere else since ``mark`` is gone."""
        made = {id(one): one for one in self.objects[first:]}
        stack = [one for one in held if isinstance(one, Object) and id(one) in made]
        if not stack:
            return
        dead: dict[int, Object] = {}
        while stack:
            one = stack.pop()
            if id(one) not in dead:
                dead[id(one)] = one
                stack.extend(item for item in one.members.values() if isinstance(item, Object) and id(item) in made)
        if any(isinstance(value, Object) and id(value) in dead for _, value in self.frame.returns):
            return
        tables = {id(one.members) for one in dead.values()} | {id(self.frame.locals)}
        for table, name, _ in self.trail[mark:]:
            value = table.get(name)
            if isinstance(value, Object) and id(value) in dead and id(table) not in tables:
                return
        self.objects[first:] = [one for one in self.objects[first:] if id(one) not in dead]
        self.drop_writes(mark, tables - {id(self.frame.locals)})

    def unknown(self, name: str, lo: int | None = None, hi: int | None = None, multiple_of: int = 1) -> Value:
        """A fresh symbol for a number that is not understood."""
        return fresh_symbol(f"?{name}#{self.next_unknown()}", lo, hi, multiple_of or 1)

    def next_unknown(self) -> int:
        """A number that was not given out before in this walk."""
        self._unknowns += 1
        return self._unknowns

    # ------------------------------------------------------------------ events

    def next_order(self) -> int:
        """Next position in program order."""
        self._orders += 1
        return self._orders

    def emit(self, node: Node) -> None:
        """Append to the tree, unless something is evaluated only for its value."""
        if not self._quiet:
            if self.doubts and isinstance(node, Event):
                node.is_certain = False
            self.out.append(node)

    def quietly(self, expr: Expr) -> RuntimeValue:
        """Evaluate for the value alone: no events, no lasting writes."""
        self._quiet += 1
        mark = len(self.trail)
        value = self.evaluate(expr)
        self.undo(mark, {})
        self._quiet -= 1
        return value

    @property
    def is_quiet(self) -> bool:
        """True while events are dropped."""
        return self._quiet > 0

    def site(self, node: Expr | Stmt) -> Site:
        """Where ``node`` of the current frame stands."""
        return self.frame.site(node.start, node.end)

    def text(self, node: Expr | Stmt) -> str:
        """Source of ``node``."""
        return self.frame.text(node.start, node.end)

    # ------------------------------------------------------------------ filled in by the layers above

    def evaluate(self, expr: Expr) -> RuntimeValue:
        """Value of an expression; runs its calls."""
        raise NotImplementedError

    def run(self, statements: tuple[Stmt, ...]) -> str | None:
        """Walk statements."""
        raise NotImplementedError

    def fork(self, statement: If, condition: Value | None) -> bool | None:
        """Choose an arm of an undecided branch for the whole instance, or None to walk both."""
        return None

    def merged_tensor(self, left: TensorFact, right: TensorFact) -> RuntimeValue:
        """A tensor that is one of two."""
        raise NotImplementedError


__all__ = ["MISSING", "Changes", "Missing", "Touched", "WalkState"]
