"""Entries in pieces, so that an edit in one arm of a dispatch leaves the instances of the other arms as they are.

An entry of many tiling keys is one long else-if chain, and each instance runs one arm of it. Every link, arm and
statement behind the first chain is a ``Piece`` with its own region; what stands before the first chain, and how many
pieces there are of each kind, is the content of the entry's ``head`` region.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ascendopt.analysis.facts.cache import BodyCache
from ascendopt.analysis.facts.ir import Body, ExprStmt, If, Piece, Stmt
from ascendopt.analysis.facts.lower import BodyLowering, make_body
from ascendopt.analysis.facts.places import Content, Region, Regions
from ascendopt.analysis.source import SourceFile


class EntryPieces:
    """Lowers one entry."""

    def __init__(self, source: SourceFile, bodies: BodyCache, regions: Regions, name: str) -> None:
        self._source = source
        self._bodies = bodies
        self._regions = regions
        self._name = name
        self._shape: list[str] = []
        self._parts: list[Body] = []

    def body(self, node: Node, block: Node) -> tuple[Body, Region]:
        """The lowered function and the region of its head."""
        start = node.start_byte
        lowering = BodyLowering(self._source.masked, start)
        children = block.named_children
        first = next((i for i, child in enumerate(children) if child.type == "if_statement"), len(children))
        statements: list[Stmt] = []
        for child in children[:first]:
            statements.extend(lowering.statement(child))
        for child in children[first:]:
            if child.type != "comment":
                statements.append(
                    self._link(child, start) if child.type == "if_statement" else self._rest(child, start)
                )
        end = children[first].start_byte if first < len(children) else node.end_byte
        broken = any(child.has_error for child in children[:first])
        tree = " ".join((*self._shape, *(str(child) for child in children[:first] if broken)))
        content = Content(self._source.masked[start:end], self._source.data[start:end], tree)
        head = self._regions.take("head", "", self._name, start, content)
        parameters = lowering.parameters_of(node)
        own = make_body(parameters, tuple(item for item in statements if not isinstance(item, Piece)))
        parts = (own, *self._parts)
        body = Body(
            parameters,
            tuple(statements),
            (),
            frozenset(name for part in parts for name in part.assigned),
            frozenset(name for part in parts for name in part.called),
            frozenset(name for part in parts for name in part.declared_types),
            frozenset(entry for part in parts for entry in part.passed),
        )
        return body, head

    def _link(self, node: Node, base: int) -> Piece:
        """An ``if`` with its arms; positions of the condition are relative to it."""
        self._shape.append("if")
        consequence = node.child_by_field_name("consequence")
        end = consequence.start_byte if consequence is not None else node.end_byte
        condition = node.child_by_field_name("condition")
        tree = str(condition) if condition is not None and condition.has_error else ""
        content = Content(self._source.masked[node.start_byte : end], self._source.data[node.start_byte : end], tree)
        region = self._regions.take("link", "", self._name, node.start_byte, content)
        lowering = BodyLowering(self._source.masked, node.start_byte)
        then = (self._arm(consequence, node.start_byte),) if consequence is not None else ()
        alternative = node.child_by_field_name("alternative")
        otherwise: list[Stmt] = []
        for child in alternative.named_children if alternative is not None else ():
            if child.type == "if_statement":
                otherwise.append(self._link(child, node.start_byte))
            elif child.type != "comment":
                otherwise.append(self._arm(child, node.start_byte))
        self._shape.append("fi")
        size = Content(b"%d" % (node.end_byte - node.start_byte), b"")
        length = self._regions.take("length", "", self._name, node.start_byte, size)
        tested = lowering.lower(condition)
        self._parts.append(make_body((), (ExprStmt(tested.start, tested.end, tested),)))
        branch = If(*lowering.span(node), tested, then, tuple(otherwise), region, length, lowering.is_constexpr(node))
        return Piece(node.start_byte - base, node.end_byte - base, region, content.data, (branch,), is_scope=False)

    def _arm(self, node: Node, base: int) -> Piece:
        self._shape.append("arm")
        return self._piece("arm", node, base, is_scope=True)

    def _rest(self, node: Node, base: int) -> Piece:
        self._shape.append("rest")
        return self._piece("rest", node, base, is_scope=False)

    def _piece(self, kind: str, node: Node, base: int, *, is_scope: bool) -> Piece:
        start, end = node.start_byte, node.end_byte
        tree = str(node) if node.has_error else node.type
        content = Content(self._source.masked[start:end], self._source.data[start:end], tree)
        region = self._regions.take(kind, "", self._name, start, content)
        lowered = self._bodies.get(
            (content.masked, f"{kind} {tree}"),
            lambda: make_body((), BodyLowering(self._source.masked, start).statements(node)),
        )
        self._parts.append(lowered)
        return Piece(start - base, end - base, region, content.data, lowered.statements, is_scope)


def links(statements: tuple[Stmt, ...]) -> Iterator[If]:
    """Every link of the chains of a lowered entry."""
    for statement in statements:
        if isinstance(statement, Piece):
            yield from links(statement.body)
        elif isinstance(statement, If) and statement.link is not None:
            yield statement
            yield from links(statement.otherwise)
