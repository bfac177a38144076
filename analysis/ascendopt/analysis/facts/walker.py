"""Walks function bodies symbolically: statements, state and control flow.

The walk follows every call into functions of the program, keeps undecided branches apart and joins their
states, and forgets what a loop may change before it walks the loop's body once. It emits a tree of nodes (see
``model``). Calls that leave the program go to ``on_call`` and ``on_method``, which the kernel and the host
side fill in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ascendopt.analysis.facts.declarations import DeclarationWalk
from ascendopt.analysis.facts.declared import TensorFact
from ascendopt.analysis.facts.events import ArmStep, BranchNode, ExitEvent, LoopNode, LoopStep, Node
from ascendopt.analysis.facts.ir import (
    Block,
    Braces,
    Decl,
    Exit,
    ExprStmt,
    If,
    Loop,
    Num,
    Piece,
    Stmt,
    Switch,
    Using,
)
from ascendopt.analysis.facts.loops import induction
from ascendopt.analysis.facts.runtime import ArrayRef, RuntimeValue
from ascendopt.analysis.facts.state import MISSING, Changes, Missing, Touched
from ascendopt.analysis.values import Value, both, compare, conditional, negate, symbol

MOST_STEPS = 30_000
MOST_NESTED = 400
"""Statements inside of statements and calls: each takes up to ten frames of the interpreter."""
_LONGEST = 1500


class Walker(DeclarationWalk):
    """Statement execution on top of expressions and declarations."""

    def run(self, statements: Iterable[Stmt]) -> str | None:
        """Walk statements in order; the kind of exit (``return``, ``break``, ``continue``) that surely ends
        them."""
        self.nesting += 1
        try:
            for statement in statements:
                self.steps += 1
                if self.steps > MOST_STEPS or self.nesting > MOST_NESTED:
                    self.complete = False
                    return "return"
                ended = self._statement(statement)
                if ended is not None:
                    return ended
            return None
        finally:
            self.nesting -= 1

    def _statement(self, statement: Stmt) -> str | None:
        if isinstance(statement, ExprStmt):
            self.effect(statement.expr)
        elif isinstance(statement, Decl):
            self.declare(statement)
        elif isinstance(statement, If):
            return self._if(statement)
        elif isinstance(statement, Loop):
            self._loop(statement)
        elif isinstance(statement, Block):
            return self._block(statement)
        elif isinstance(statement, Switch):
            return self._switch(statement)
        elif isinstance(statement, Exit):
            return self._exit(statement)
        elif isinstance(statement, Piece):
            return self._piece(statement)
        elif isinstance(statement, Using):
            self.frame.types[statement.name] = self.resolve_type(statement.type)
        return None

    def _piece(self, piece: Piece) -> str | None:
        self.program.reads.queries.add(piece.region)
        self.steps -= 1  # what it holds counts
        frame = self.frame
        outer = frame.region, frame.data
        frame.region, frame.data = piece.region, piece.data
        ended = self._block(Block(0, 0, piece.body)) if piece.is_scope else self.run(piece.body)
        frame.region, frame.data = outer
        return ended

    def _block(self, block: Block, *, is_scope: bool = True) -> str | None:
        mark, first = len(self.trail), len(self.objects)
        names = [statement.name for statement in block.body if isinstance(statement, Decl)]
        hidden = [(name, self.frame.locals[name]) for name in names if name in self.frame.locals]
        ended = self.run(block.body)
        for statement in block.body:
            if isinstance(statement, Decl):
                self.on_scope_end(statement)
        if is_scope:
            self.drop_scope(block.body, first, mark)
        for name, old in hidden:
            self.write(self.frame.locals, name, old)
        return ended

    def _exit(self, statement: Exit) -> str:
        if statement.kind == "return" and statement.value is not None:
            value, function = statement.value, self.frame.function
            if isinstance(value, Braces) and not value.type and function is not None:
                value = replace(value, type=function.body().returns)
            self.frame.returns.append((self.frame.condition, self.evaluate(value)))
        elif statement.kind == "return":
            self.frame.returns.append((self.frame.condition, None))
        site = self.frame.site(statement.start, statement.end)
        self.emit(ExitEvent(site, self.next_order(), self.path, self.calls, kind=statement.kind))
        return statement.kind

    # ------------------------------------------------------------------ branches

    def _if(self, statement: If) -> str | None:
        condition = None
        if statement.directive:
            holds = self.holds(statement.directive)
            if holds is not None:
                return self.run(statement.then if holds else statement.otherwise)
        if statement.condition is not None:
            condition = self.truth_of(statement.condition)
            if condition is not None and condition.is_constant:
                return self._arm(statement.then if condition.const else statement.otherwise)
            chosen = self.fork(statement, condition)
            if chosen is not None:
                return self._arm(statement.then if chosen else statement.otherwise)
        if statement.length is not None:
            self.program.reads.queries.add(statement.length)  # its last arm may not be walked
        other = negate(condition) if condition is not None else None
        # At most one arm is compiled.
        either = bool(statement.directive) or statement.is_constexpr or _asks_for_types(condition)
        self.doubts += either
        arms = [(condition, statement.then), (other, statement.otherwise)]
        ended = self._branch(statement.start, statement.end, arms, is_scope=statement.condition is not None)
        self.doubts -= either
        return ended

    def _arm(self, statements: tuple[Stmt, ...], *, is_scope: bool = True) -> str | None:
        return self._block(Block(0, 0, statements), is_scope=is_scope)

    def _switch(self, statement: Switch) -> str | None:
        value = self.evaluate(statement.value)
        arms: list[tuple[Value | None, tuple[Stmt, ...]]] = []
        pending: list[Value | None] = []
        for label, body in statement.cases:
            test: Value | None = None
            if label is not None and isinstance(value, Value):
                wanted = self.evaluate(label)
                test = compare("==", value, wanted) if isinstance(wanted, Value) else None
            pending.append(test)
            if not body:
                continue
            decided = [t.const for t in pending if t is not None and t.is_constant]
            if any(decided):
                ended = self._arm(body)
                return None if ended == "break" else ended
            if len(decided) == len(pending) and label is not None:
                pending = []
                continue
            arms.append((pending[0] if len(pending) == 1 else None, body))
            pending = []
        if not arms:
            return None
        if not any(label is None for label, _ in statement.cases):
            arms.append((None, ()))
        ended = self._branch(statement.start, statement.end, arms)
        return None if ended == "break" else ended

    def _branch(
        self, start: int, end: int, arms: list[tuple[Value | None, tuple[Stmt, ...]]], *, is_scope: bool = True
    ) -> str | None:
        """``is_scope`` is False for preprocessor branches: what they declare lives on."""
        site = self.frame.site(start, end)
        node = BranchNode(site, tuple(condition for condition, _ in arms))
        outer, outer_path, outer_condition = self.out, self.path, self.frame.condition
        bodies: list[tuple[Node, ...]] = []
        outcomes: list[tuple[Value | None, Changes, str | None]] = []
        touched: Touched = {}
        for index, (condition, statements) in enumerate(arms):
            mark = len(self.trail)
            self.out = []
            self.path = (*outer_path, ArmStep(node, index, condition))
            self.frame.condition = _joined_condition(outer_condition, condition)
            ended = self._arm(statements, is_scope=is_scope)
            bodies.append(tuple(self.out))
            changes = self.undo(mark, touched)
            outcomes.append((condition, changes, ended))
        self.out, self.path, self.frame.condition = outer, outer_path, outer_condition
        if any(bodies):
            node.arms = tuple(bodies)
            self.emit(node)
        return self._join(outcomes, touched)

    def _join(
        self,
        outcomes: list[tuple[Value | None, Changes, str | None]],
        touched: Touched,
    ) -> str | None:
        open_ends = [(condition, changes) for condition, changes, ended in outcomes if ended is None]
        if not open_ends:
            kinds = {ended for _, _, ended in outcomes}
            open_ends = [(condition, changes) for condition, changes, _ in outcomes]
            ended = kinds.pop() if len(kinds) == 1 else "return"
        else:
            ended = None
        for key, (table, name) in touched.items():
            old = table.get(name, MISSING)
            values = [(condition, changes.get(key, old)) for condition, changes in open_ends]
            result = values[-1][1]
            for condition, value in reversed(values[:-1]):
                result = self.merge(condition, value, result, name)
            if not isinstance(result, Missing):
                self.write(table, name, result)
        return ended

    def merge(
        self, condition: Value | None, then: RuntimeValue | Missing, otherwise: RuntimeValue | Missing, name: str
    ) -> RuntimeValue | Missing:
        """What a variable holds after a branch."""
        if then is otherwise:
            return then
        if isinstance(then, Missing) or isinstance(otherwise, Missing):
            # Declared or first set in one arm: what it holds there is all that can be read later.
            return otherwise if isinstance(then, Missing) else then
        if isinstance(then, Value) and isinstance(otherwise, Value):
            if then == otherwise:
                return then
            if condition is not None and len(condition.text) + len(then.text) + len(otherwise.text) < _LONGEST:
                return conditional(condition, then, otherwise)
            joined = then.range.union(otherwise.range)
            return self.unknown(name, joined.lo, joined.hi, joined.mod if joined.rem == 0 else 1)
        if isinstance(then, TensorFact) and isinstance(otherwise, TensorFact):
            return self.merged_tensor(then, otherwise)
        if isinstance(then, Value) or isinstance(otherwise, Value):
            return self.unknown(name)
        return None

    # ------------------------------------------------------------------ loops

    def _loop(self, loop: Loop) -> None:
        if not loop.test_first and isinstance(loop.condition, Num) and not loop.condition.value:
            self._arm(loop.body)  # `do { .. } while (0)`
            return
        hidden = [
            (s.name, self.frame.locals[s.name])
            for s in loop.init
            if isinstance(s, Decl) and s.name in self.frame.locals
        ]
        self.run(loop.init)
        step = induction(loop, self.frame.locals, self.quietly)
        before = step.initial if step is not None else None
        assigned = set(loop.assigned) | self.program.written(loop.passed)
        if step is not None:
            assigned.add(step.name)
        for name in loop.called:
            assigned |= self.program.assigned(name)
        self._forget(assigned)
        trip: Value | None = None
        loop_symbol = ""
        if step is not None:
            trip = step.trip
            if trip is not None and trip.constant() == 0:
                return
            loop_symbol = f"loop.{step.name}#{self.next_unknown()}"
            hi = step.last.range.hi if step.last is not None else None
            lo = before.range.lo if before is not None and step.ascending else None
            self.write(self.frame.locals, step.name, symbol(loop_symbol, lo, hi, step.multiple_of or 1))
        depth = 1 + sum(isinstance(entry, LoopStep) for entry in self.path)
        header = self.frame.site(loop.start, loop.header_end)
        variable = step.name if step is not None else ""
        node = LoopNode(header, variable, trip, depth, (), loop_symbol)
        if step is not None:
            node = replace(node, step=step.by, first=step.initial, last=step.last)
        outer, outer_path = self.out, self.path
        self.out, self.path = [], (*outer_path, LoopStep(node, trip))
        if loop.condition is not None:
            self.evaluate(loop.condition)
        outer_condition, self.frame.condition = self.frame.condition, None
        self._arm(loop.body)
        if loop.update is not None and step is None:
            self.effect(loop.update)
        self.frame.condition = outer_condition
        node.body = tuple(self.out)
        self.out, self.path = outer, outer_path
        self.emit(node)
        self._forget(assigned)
        for name, old in hidden:
            self.write(self.frame.locals, name, old)

    def _forget(self, names: set[str]) -> None:
        """Numbers that a loop may change are unknown inside it and after it."""
        tables: list[dict[str, RuntimeValue]] = [self.frame.locals]
        if self.frame.self_object is not None:
            tables.append(self.frame.self_object.members)
        tables.extend(obj.members for obj in self.objects if obj is not self.frame.self_object)
        for table in tables:
            self.program.reads.held.update(table)
            for name in sorted(names.intersection(table)):  # the order of a set would number the unknowns
                held = table[name]
                if isinstance(held, Value):
                    self.write(table, name, self.unknown(name))
                elif isinstance(held, ArrayRef):
                    self.forget_items(held)


def _joined_condition(outer: Value | None, inner: Value | None) -> Value | None:
    return None if outer is None or inner is None else both(outer, inner)


def _asks_for_types(condition: Value | None) -> bool:
    """True for a condition on types that are not known here."""
    if condition is None or not ("?same(" in condition.text or "sizeof(" in condition.text):
        return False
    return any(atom.text.startswith(("?same(", "sizeof(")) for atom in condition.atoms())
