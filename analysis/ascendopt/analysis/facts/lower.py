"""Syntax tree -> intermediate form: statements and function bodies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import cast

from tree_sitter import Node

from ascendopt.analysis.facts.ir import (
    Assign,
    Block,
    Body,
    Call,
    Decl,
    Exit,
    Expr,
    ExprStmt,
    If,
    Index,
    Loop,
    Member,
    Name,
    Num,
    Parameter,
    Stmt,
    Switch,
    Unary,
    Using,
)
from ascendopt.analysis.facts.lower_expr import ExpressionLowering

_DTYPE = re.compile(r"\b(?:ORIG_)?DTYPE_")
_EXPRESSION_KINDS = ("_expression", "_literal", "identifier")


class BodyLowering(ExpressionLowering):
    """Lowers one function definition."""

    def function(self, node: Node) -> Body:
        """Lower a ``function_definition`` (or a lambda-like node with ``declarator`` and ``body``)."""
        parameters = self.parameters_of(node)
        body = node.child_by_field_name("body")
        statements = self.statements(body) if body is not None else ()
        kind = node.child_by_field_name("type")
        made = make_body(parameters, statements, tuple(self._initialisers(node)))
        return replace(made, returns=self.source(kind).strip()) if kind is not None else made

    def parameters_of(self, node: Node) -> tuple[Parameter, ...]:
        """Lowered parameters of a function definition."""
        declarator = function_declarator(node)
        return self.parameters(declarator.child_by_field_name("parameters")) if declarator else ()

    def _initialisers(self, node: Node) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        for child in node.named_children:
            if child.type != "field_initializer_list":
                continue
            for entry in child.named_children:
                parts = entry.named_children
                if entry.type == "field_initializer" and parts:
                    yield self.source(parts[0]), self.arguments(parts[-1]) if len(parts) > 1 else ()

    def statements(self, node: Node) -> tuple[Stmt, ...]:
        """Lower a block, or a lone statement in its place."""
        children = node.named_children if node.type in ("compound_statement", "case_statement") else [node]
        found: list[Stmt] = []
        for child in children:
            found.extend(self.statement(child))
        return tuple(found)

    def statement(self, node: Node) -> Iterable[Stmt]:
        """Lower one statement to zero or more."""
        kind = node.type
        if kind == "expression_statement":
            inner = [child for child in node.named_children if child.type != "comment"]
            return [ExprStmt(*self.span(node), self.lower(inner[0]))] if inner else []
        if kind == "declaration":
            return self._declaration(node)
        if kind == "if_statement":
            return [self._if(node)]
        if kind in ("for_statement", "while_statement", "do_statement", "for_range_loop"):
            loop = self._loop(node)
            return [Block(loop.start, loop.end, loop.body) if _runs_once(loop) else loop]
        if kind == "compound_statement":
            return [Block(*self.span(node), self.statements(node))]
        if kind == "return_statement":
            inner = [child for child in node.named_children if child.type != "comment"]
            return [Exit(*self.span(node), "return", self.lower(inner[0]) if inner else None)]
        if kind in ("break_statement", "continue_statement"):
            return [Exit(*self.span(node), kind.split("_")[0], None)]
        if kind == "switch_statement":
            return [self._switch(node)]
        if kind in ("alias_declaration", "type_definition"):
            return [Using(*self.span(node), name, text) for name, text in self.alias(node).items()]
        if kind.startswith("preproc_if") or kind in ("preproc_else", "preproc_elif", "preproc_elifdef"):
            return [self._preprocessor(node)]
        if kind in ("ERROR", "labeled_statement", "else_clause", "attributed_statement"):
            return [stmt for child in node.named_children for stmt in self.statement(child)]
        if kind.endswith(_EXPRESSION_KINDS):
            return [ExprStmt(*self.span(node), self.lower(node))]
        return []

    def _declaration(self, node: Node) -> list[Stmt]:
        kind = node.child_by_field_name("type")
        type_text = self.type_text(kind) if kind else ""
        head = self.text[node.start_byte : kind.start_byte] if kind else b""
        found: list[Stmt] = []
        for child in node.children_by_field_name("declarator"):
            init: Expr | None = None
            arguments: tuple[Expr, ...] | None = None
            declarator: Node | None = child
            if child.type == "init_declarator":
                declarator = child.child_by_field_name("declarator")
                value = child.child_by_field_name("value")
                if value is not None and value.type == "argument_list":
                    arguments = self.arguments(value)
                elif value is not None:
                    init = self.lower(value)
            elif child.type == "function_declarator":
                # `T x(a, b);` with plain names reads as a function declaration.
                declarator = child.child_by_field_name("declarator")
                arguments = tuple(self._misread(child.child_by_field_name("parameters")))
            name, indirect, array = self.declarator(declarator)
            if not name:
                continue
            at = _name_node(declarator)
            found.append(
                Decl(
                    *self.span(node),
                    type=type_text,
                    name=name,
                    init=init,
                    args=arguments,
                    array=self.lower(array) if array is not None else None,
                    indirect=indirect,
                    name_start=(at.start_byte if at else child.start_byte) - self.base,
                    is_static=b"static" in head,
                )
            )
        return found

    def _misread(self, parameters: Node | None) -> Iterator[Expr]:
        for child in parameters.named_children if parameters else ():
            kind = child.child_by_field_name("type")
            if kind is not None:
                yield self.lower(kind)

    def _if(self, node: Node) -> If:
        alternative = node.child_by_field_name("alternative")
        consequence = node.child_by_field_name("consequence")
        otherwise: tuple[Stmt, ...] = ()
        if alternative is not None:
            inner = [c for c in alternative.named_children if c.type != "comment"]
            otherwise = tuple(stmt for child in inner for stmt in self.statements(child))
        return If(
            *self.span(node),
            self.lower(node.child_by_field_name("condition")),
            self.statements(consequence) if consequence is not None else (),
            otherwise,
            is_constexpr=self.is_constexpr(node),
        )

    @staticmethod
    def is_constexpr(node: Node) -> bool:
        """True for ``if constexpr``."""
        return any(child.type == "constexpr" for child in node.children[:2])

    def alias(self, node: Node) -> dict[str, str]:
        """The name that a ``using`` or ``typedef`` declares, with its type."""
        kind = node.child_by_field_name("type")
        name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        if kind is None or name is None:
            return {}
        return {self.source(name): self.type_text(kind)}

    def directive(self, node: Node) -> str:
        """The condition of a preprocessor branch, if it asks for dtypes; else empty."""
        name = node.child_by_field_name("name")
        if name is not None:
            text = f"defined({self.source(name)})"
            text = f"!{text}" if self.text[node.start_byte : name.start_byte].rstrip().endswith(b"ndef") else text
        else:
            condition = node.child_by_field_name("condition")
            text = self.source(condition).replace("\\", " ") if condition is not None else ""
        return " ".join(text.split()) if _DTYPE.search(text) else ""

    def _loop(self, node: Node) -> Loop:
        body = node.child_by_field_name("body")
        statements = self.statements(body) if body is not None else ()
        init: tuple[Stmt, ...] = ()
        initializer = node.child_by_field_name("initializer")
        if initializer is not None:
            init = tuple(self.statement(initializer))
        condition = node.child_by_field_name("condition")
        update = node.child_by_field_name("update")
        start, end = self.span(node)
        header = body.start_byte - self.base if body is not None and node.type != "do_statement" else end
        tested = self.lower(condition) if condition is not None else None
        updated = self.lower(update) if update is not None else None
        heads = tuple(ExprStmt(start, end, part) for part in (tested, updated) if part is not None)
        names = make_body((), (*heads, *statements))
        return Loop(
            start,
            end,
            init=init,
            condition=tested,
            update=updated,
            body=statements,
            header_end=header,
            test_first=node.type != "do_statement",
            assigned=names.assigned,
            called=names.called,
            passed=names.passed,
        )

    def _switch(self, node: Node) -> Switch:
        body = node.child_by_field_name("body")
        cases: list[tuple[Expr | None, tuple[Stmt, ...]]] = []
        for child in body.named_children if body is not None else ():
            if child.type != "case_statement":
                continue
            value = child.child_by_field_name("value")
            statements = tuple(
                stmt
                for part in child.named_children
                if value is None or part.id != value.id
                for stmt in self.statement(part)
            )
            cases.append((self.lower(value) if value is not None else None, statements))
        return Switch(*self.span(node), self.lower(node.child_by_field_name("condition")), tuple(cases))

    def _preprocessor(self, node: Node) -> If:
        alternative = node.child_by_field_name("alternative")
        skipped = {
            part.id
            for part in (alternative, node.child_by_field_name("condition"), node.child_by_field_name("name"))
            if part is not None
        }
        then = tuple(stmt for child in node.named_children if child.id not in skipped for stmt in self.statement(child))
        if node.type == "preproc_else":
            return If(*self.span(node), None, then, ())
        otherwise: tuple[Stmt, ...] = ()
        if alternative is not None:
            inner = self._preprocessor(alternative)
            otherwise = inner.then if alternative.type == "preproc_else" else (inner,)
        return If(*self.span(node), None, then, otherwise, directive=self.directive(node))


def _runs_once(loop: Loop) -> bool:
    """True for ``do { .. } while (0)``, as macros have it, that nothing leaves early."""
    never = not loop.test_first and isinstance(loop.condition, Num) and loop.condition.value == 0
    return never and not any(isinstance(item, Exit) and item.kind != "return" for item in _walk(loop.body))


def _name_node(node: Node | None) -> Node | None:
    while node is not None and node.type not in ("identifier", "field_identifier", "type_identifier"):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next((c for c in node.named_children if c.type.endswith(("declarator", "identifier"))), None)
        node = inner
    return node


def make_body(
    parameters: tuple[Parameter, ...],
    statements: tuple[Stmt, ...],
    initialisers: tuple[tuple[str, tuple[Expr, ...]], ...] = (),
) -> Body:
    """A body with the names that it assigns, calls and declares (for loops and call graphs)."""
    assigned: set[str] = set()
    called: set[str] = set()
    types: set[str] = set()
    passed: set[tuple[str, int, str]] = set()
    for item in _walk(statements):
        if isinstance(item, Assign):
            assigned.add(target_name(item.target))
        elif isinstance(item, Call):
            callee = item.callee
            if isinstance(callee, (Name, Member)):
                called.add(callee.name)
                for index, argument in enumerate(item.args):
                    name = target_name(argument)
                    if name and isinstance(argument, Unary):
                        assigned.add(name)  # `&x` may be written through
                    elif name and isinstance(argument, (Name, Member)):
                        passed.add((callee.name, index, name))
        elif isinstance(item, Decl):
            types.add(item.type)
    assigned.discard("")
    return Body(
        parameters,
        statements,
        initialisers,
        frozenset(assigned),
        frozenset(called),
        frozenset(types),
        frozenset(passed),
    )


def function_declarator(node: Node) -> Node | None:
    """Name and parameters of a function definition, whatever pointers and references stand around them."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        inner = declarator.child_by_field_name("declarator")
        if inner is None:
            inner = next((c for c in declarator.named_children if "declarator" in c.type), None)
        declarator = inner
    return declarator


def target_name(target: Expr) -> str:
    """The variable or member that an assignment to ``target`` changes; empty when it is not a plain one."""
    while isinstance(target, (Index, Unary)):
        target = target.base if isinstance(target, Index) else target.operand
    return target.name if isinstance(target, (Name, Member)) else ""


def _walk(item: object) -> Iterator[Expr | Stmt]:
    """Every statement and expression below ``item``, in no particular order."""
    stack = [item]
    while stack:
        one = stack.pop()
        if isinstance(one, tuple):
            stack.extend(cast("tuple[object, ...]", one))
        elif isinstance(one, (Expr, Stmt)):
            yield one
            for entry in type(one).__slots__:
                value = getattr(one, entry)
                if isinstance(value, (tuple, Expr, Stmt)):
                    stack.append(cast("object", value))
