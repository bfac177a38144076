"""Whether a tensor goes back to its queue on every path: what runs after it was taken, to the end of the round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ascendopt.analysis.facts.events import (
    ArmStep,
    BranchNode,
    CallNode,
    Event,
    ExitEvent,
    LoopNode,
    LoopStep,
    Node,
    QueueEvent,
    walk_events,
)
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.values import Value

CONSUMES = frozenset({"FreeTensor", "EnQue"})


@dataclass(frozen=True)
class _End:
    """One way in which a stretch of code ends. ``branch`` is what decided it; ``exit`` is empty where it runs on."""

    released: bool
    exit: str
    branch: BranchNode | None


class _Undecided(Exception):
    """The paths depend on each other, or on something that is not known."""


def branch_that_keeps(instance: Instance, taken: QueueEvent) -> BranchNode | None:
    """The branch on one side of which the tensor of ``taken`` goes back, and on another side of which it does not.

    None where all sides agree, and where the conditions leave a doubt: one that is not known, or that shares a symbol
    with another one on the way.
    """
    chain = _chain(instance.body, taken)
    if chain is None:
        return None
    try:
        ends = _Paths(taken).climb(chain)
    except _Undecided:
        return None
    kept = [end for end in ends if not end.released]
    if not kept or not any(end.released for end in ends):
        return None
    return next((end.branch for end in kept if end.branch is not None), None)


def turns_back_on_nothing(branch: BranchNode) -> bool:
    """True when the side of ``branch`` that leaves early does so because there is nothing to do: a number is 0. Whether
    the host ever lets that happen is not known."""
    for condition, arm in zip(branch.conditions, branch.arms, strict=False):
        if condition is None or not arm or not isinstance(arm[-1], ExitEvent):
            continue
        for atom in condition.atoms():
            if atom.kind in ("cmp==", "cmp<=", "cmp<") and atom.args[1].constant() in (0, 1):
                return True
    return False


def _chain(nodes: Sequence[Node], event: Event) -> list[tuple[Node | None, Sequence[Node]]] | None:
    """What follows ``event`` on each level, innermost first, with the node whose body that is."""
    for index, node in enumerate(nodes):
        if node is event:
            return [(None, nodes[index + 1 :])]
        body = _body_around(node, event) if not isinstance(node, Event) else None
        found = _chain(body, event) if body is not None else None
        if found is not None:
            inner = (node, found[-1][1])
            return [*found[:-1], inner, (None, nodes[index + 1 :])]
    return None


def _body_around(node: LoopNode | BranchNode | CallNode, event: Event) -> Sequence[Node] | None:
    """The body of ``node`` in which ``event`` lies, by the loops, arms and calls that lead to it."""
    if isinstance(node, CallNode):
        return node.body if any(site is node.call for site in event.calls) else None
    for step in event.path:
        if isinstance(step, ArmStep) and step.branch is node:
            return step.branch.arms[step.arm]
        if isinstance(step, LoopStep) and step.loop is node:
            return step.loop.body
    return None


class _Paths:
    def __init__(self, taken: QueueEvent) -> None:
        self._handle = taken.handle
        self._symbols: set[str] = set()
        for step in taken.path:
            if isinstance(step, ArmStep):
                self._note(step.condition)

    def climb(self, chain: list[tuple[Node | None, Sequence[Node]]]) -> list[_End]:
        ends = [_End(False, "", None)]
        for node, rest in chain:
            ends = [end for one in ends for end in ([one] if one.released or one.exit else self._after(rest, one))]
            if isinstance(node, LoopNode):
                return ends  # the round ends
            if isinstance(node, CallNode):
                ends = [_End(end.released, "" if end.exit == "return" else end.exit, end.branch) for end in ends]
        return ends

    def _after(self, nodes: Sequence[Node], start: _End) -> list[_End]:
        for index, node in enumerate(nodes):
            if isinstance(node, ExitEvent):
                return [_End(False, node.kind, start.branch)]
            if isinstance(node, QueueEvent) and node.op in CONSUMES and node.handle == self._handle:
                return [_End(True, "", start.branch)]
            if isinstance(node, Event) or not self._matters(node):
                continue
            if isinstance(node, LoopNode):
                raise _Undecided
            inside = self._inside(node, start)
            rest = nodes[index + 1 :]
            return [end for one in inside for end in ([one] if one.released or one.exit else self._after(rest, one))]
        return [start]

    def _inside(self, node: BranchNode | CallNode, start: _End) -> list[_End]:
        if isinstance(node, CallNode):
            ends = self._after(node.body, start)
            return [_End(end.released, "" if end.exit == "return" else end.exit, end.branch) for end in ends]
        for condition in node.conditions[:1]:
            self._note(condition)
        return [end for arm in node.arms for end in self._after(arm, _End(False, "", node))]

    def _matters(self, node: Node) -> bool:
        events = walk_events([node])
        return any(
            isinstance(event, ExitEvent)
            or (isinstance(event, QueueEvent) and event.op in CONSUMES and event.handle == self._handle)
            for event in events
        )

    def _note(self, condition: Value | None) -> None:
        """One more condition on the way: it must be known, and independent of the others."""
        if condition is None or not condition.is_known or condition.symbols() & self._symbols:
            raise _Undecided
        self._symbols |= condition.symbols()
