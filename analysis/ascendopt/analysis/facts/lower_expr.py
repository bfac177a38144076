"""Syntax tree -> intermediate form: expressions and types."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from ascendopt.analysis.facts.ir import (
    Assign,
    Binary,
    Braces,
    Call,
    Cast,
    Expr,
    Index,
    Lambda,
    Member,
    Name,
    Num,
    Opaque,
    Parameter,
    SizeOf,
    Stmt,
    Ternary,
    Unary,
)

CASTS = ("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast")
_QUALIFIER = re.compile(
    r"\b(?:const|volatile|typename|struct|class|static|constexpr|inline|register|template)\b|(?:\bAscendC|\bstd|\boptiling)\s*::"
)
_SUFFIX = re.compile(r"[uUlLzZ]+$")


class ExpressionLowering:
    """Lowers expressions of one definition; ``base`` is its start in the file."""

    def __init__(self, text: bytes, base: int) -> None:
        self.text = text
        self.base = base

    # ------------------------------------------------------------------ text

    def source(self, node: Node) -> str:
        """Text of a node."""
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def type_text(self, node: Node) -> str:
        """A type as one canonical text: ``LocalTensor<half>``."""
        return clean_type(self.source(node))

    # ------------------------------------------------------------------ expressions

    def lower(self, node: Node | None) -> Expr:
        """Lower one expression node."""
        if node is None:
            return Opaque(0, 0)
        handler = _HANDLERS.get(node.type)
        if handler is None:
            return self._opaque(node)
        method: Callable[[Node], Expr] = getattr(self, handler)
        return method(node)

    def span(self, node: Node) -> tuple[int, int]:
        """Relative offsets of a node."""
        return node.start_byte - self.base, node.end_byte - self.base

    def _opaque(self, node: Node) -> Expr:
        parts = tuple(self.lower(child) for child in node.named_children if child.type != "comment")
        return Opaque(*self.span(node), parts)

    def _number(self, node: Node) -> Expr:
        return Num(*self.span(node), parse_integer(self.source(node)))

    def _literal(self, node: Node) -> Expr:
        value = {"true": 1, "false": 0}.get(node.type)
        return Num(*self.span(node), value)

    def _char(self, node: Node) -> Expr:
        text = self.source(node)
        return Num(*self.span(node), ord(text[1]) if len(text) == 3 else None)

    def _name(self, node: Node) -> Expr:
        return Name(*self.span(node), self.source(node))

    def _qualified(self, node: Node) -> Expr:
        scopes: list[str] = []
        inner: Node | None = node
        while inner is not None and inner.type == "qualified_identifier":
            scope = inner.child_by_field_name("scope")
            if scope is not None:
                scopes.append(self.type_text(scope))
            inner = inner.child_by_field_name("name")
        last = self._plain_name(inner) if inner is not None else ("", ())
        return Name(*self.span(node), last[0], last[1], "::".join(scopes))

    def _plain_name(self, node: Node) -> tuple[str, tuple[str, ...]]:
        if node.type in ("template_function", "template_type", "template_method"):
            name = node.child_by_field_name("name")
            arguments = node.child_by_field_name("arguments")
            return self.source(name) if name else "", self.template_arguments(arguments)
        if node.type == "dependent_name":
            return self._plain_name(node.named_children[-1])
        return self.source(node), ()

    def template_arguments(self, node: Node | None) -> tuple[str, ...]:
        """Texts of the arguments of a template argument list."""
        if node is None:
            return ()
        return tuple(self.type_text(child) for child in node.named_children if child.type != "comment")

    def _template_name(self, node: Node) -> Expr:
        name, arguments = self._plain_name(node)
        return Name(*self.span(node), name, arguments)

    def _member(self, node: Node) -> Expr:
        base = self.lower(node.child_by_field_name("argument"))
        field = node.child_by_field_name("field")
        name, arguments = self._plain_name(field) if field is not None else ("", ())
        at = field.start_byte - self.base if field is not None else node.end_byte - self.base
        if field is not None and field.type == "dependent_name":
            at = field.named_children[-1].start_byte - self.base
        return Member(*self.span(node), base, name, arguments, at)

    def _index(self, node: Node) -> Expr:
        base = self.lower(node.child_by_field_name("argument"))
        indices = node.child_by_field_name("indices")
        inner = indices.named_children if indices is not None else []
        index = self.lower(inner[0]) if inner else Opaque(*self.span(node))
        return Index(*self.span(node), base, index)

    def _call(self, node: Node) -> Expr:
        function = node.child_by_field_name("function")
        arguments = self.arguments(node.child_by_field_name("arguments"))
        if function is not None:
            if function.type == "primitive_type" and len(arguments) == 1:
                return Cast(*self.span(node), self.source(function), arguments[0])
            callee = self.lower(function)
            if isinstance(callee, Name) and callee.name in CASTS and callee.targs and arguments:
                return Cast(*self.span(node), callee.targs[0], arguments[0])
            return Call(*self.span(node), callee, arguments)
        return Opaque(*self.span(node), arguments)

    def arguments(self, node: Node | None) -> tuple[Expr, ...]:
        """Lowered arguments of an argument list."""
        if node is None:
            return ()
        return tuple(self.lower(child) for child in node.named_children if child.type != "comment")

    def _unary(self, node: Node) -> Expr:
        operator = node.child_by_field_name("operator")
        operand = self.lower(node.child_by_field_name("argument"))
        return Unary(*self.span(node), self.source(operator) if operator else "", operand)

    def _update(self, node: Node) -> Expr:
        operator = node.child_by_field_name("operator")
        target = self.lower(node.child_by_field_name("argument"))
        step = self.source(operator)[0] if operator else "+"
        return Assign(*self.span(node), step + "=", target, Num(*self.span(node), 1))

    def _binary(self, node: Node) -> Expr:
        operator = node.child_by_field_name("operator")
        left = self.lower(node.child_by_field_name("left"))
        right = self.lower(node.child_by_field_name("right"))
        return Binary(*self.span(node), self.source(operator) if operator else "", left, right)

    def _assign(self, node: Node) -> Expr:
        operator = node.child_by_field_name("operator")
        target = self.lower(node.child_by_field_name("left"))
        value = self.lower(node.child_by_field_name("right"))
        return Assign(*self.span(node), self.source(operator) if operator else "=", target, value)

    def _ternary(self, node: Node) -> Expr:
        return Ternary(
            *self.span(node),
            self.lower(node.child_by_field_name("condition")),
            self.lower(node.child_by_field_name("consequence")),
            self.lower(node.child_by_field_name("alternative")),
        )

    def _cast(self, node: Node) -> Expr:
        kind = node.child_by_field_name("type")
        operand = self.lower(node.child_by_field_name("value"))
        return Cast(*self.span(node), self.type_text(kind) if kind else "", operand)

    def _sizeof(self, node: Node) -> Expr:
        kind = node.child_by_field_name("type") or node.child_by_field_name("value")
        text = self.type_text(kind) if kind else ""
        return SizeOf(*self.span(node), text[1:-1].strip() if text.startswith("(") else text)

    def _braces(self, node: Node) -> Expr:
        return self._braced(node, node, "")

    def _compound(self, node: Node) -> Expr:
        kind = node.child_by_field_name("type")
        value = node.child_by_field_name("value")
        return self._braced(node, value or node, self.type_text(kind) if kind else "")

    def _braced(self, node: Node, body: Node, kind: str) -> Expr:
        items: list[Expr] = []
        fields: list[str] = []
        for child in body.named_children:
            if child.type == "comment":
                continue
            if child.type == "initializer_pair":
                name = child.child_by_field_name("designator")
                fields.append(self.source(name).lstrip(".") if name else "")
                items.append(self.lower(child.child_by_field_name("value")))
            else:
                items.append(self.lower(child))
        return Braces(*self.span(node), kind, tuple(items), tuple(fields))

    def _inner(self, node: Node) -> Expr:
        inner = [child for child in node.named_children if child.type != "comment"]
        return self.lower(inner[0]) if inner else Opaque(*self.span(node))

    def _condition(self, node: Node) -> Expr:
        value = node.child_by_field_name("value")
        return self.lower(value) if value is not None else self._inner(node)

    def _lambda(self, node: Node) -> Expr:
        declarator = node.child_by_field_name("declarator")
        parameters = self.parameters(declarator.child_by_field_name("parameters") if declarator else None)
        body = node.child_by_field_name("body")
        statements = self.statements(body) if body is not None else ()
        return Lambda(*self.span(node), tuple((p.type, p.name) for p in parameters), statements)

    def statements(self, node: Node) -> tuple[Stmt, ...]:
        """Lowered statements of a block; the statement lowering overrides this."""
        raise NotImplementedError

    # ------------------------------------------------------------------ parameters

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Lowered parameter list."""
        if node is None:
            return ()
        found: list[Parameter] = []
        for child in node.named_children:
            if child.type not in ("parameter_declaration", "optional_parameter_declaration"):
                continue
            kind = child.child_by_field_name("type")
            name, indirect, _ = self.declarator(child.child_by_field_name("declarator"))
            default = child.child_by_field_name("default_value")
            found.append(
                Parameter(
                    type=self.type_text(kind) if kind else "",
                    name=name,
                    indirect=indirect,
                    default=self.lower(default) if default is not None else None,
                    is_const=b"const" in self.text[child.start_byte : child.end_byte].split(b"=")[0],
                )
            )
        return tuple(found)

    def declarator(self, node: Node | None) -> tuple[str, str, Node | None]:
        """(name, ``&``/``*``/empty, array size) of a declarator."""
        indirect = ""
        array: Node | None = None
        while node is not None:
            if node.type in ("identifier", "field_identifier", "type_identifier"):
                return self.source(node), indirect, array
            if "pointer" in node.type:
                indirect = "*"
            elif "reference" in node.type:
                indirect = indirect or "&"
            elif node.type == "array_declarator":
                array = node.child_by_field_name("size") or node
            inner = node.child_by_field_name("declarator")
            if inner is None:
                inner = next((c for c in node.named_children if c.type.endswith(("declarator", "identifier"))), None)
            node = inner
        return "", indirect, array


def parse_integer(text: str) -> int | None:
    """Value of an integer literal (suffixes, hex, octal, binary, digit separators), None for anything
    else."""
    plain = text.replace("'", "")
    if plain[:2].lower() != "0x" or plain[-1:] in "uUlL":
        plain = _SUFFIX.sub("", plain)
    try:
        if len(plain) > 1 and plain[0] == "0" and plain.isdigit():
            return int(plain, 8)
        return int(plain, 0)
    except ValueError:
        return None


def clean_type(text: str) -> str:
    """``const AscendC::LocalTensor< T > &`` -> ``LocalTensor<T>``."""
    plain = _QUALIFIER.sub(" ", text) if " " in text or ":" in text or "\n" in text else text
    words = plain.replace("&", " ").split()
    joined = " ".join(words)
    for mark in ("<", ">", ",", "*", "::", "(", ")"):
        if mark in joined:
            joined = joined.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return joined


_HANDLERS: dict[str, str] = {
    "number_literal": "_number",
    "true": "_literal",
    "false": "_literal",
    "null": "_literal",
    "nullptr": "_literal",
    "string_literal": "_literal",
    "char_literal": "_char",
    "identifier": "_name",
    "field_identifier": "_name",
    "type_identifier": "_name",
    "this": "_name",
    "qualified_identifier": "_qualified",
    "template_function": "_template_name",
    "template_type": "_template_name",
    "field_expression": "_member",
    "subscript_expression": "_index",
    "call_expression": "_call",
    "unary_expression": "_unary",
    "pointer_expression": "_unary",
    "update_expression": "_update",
    "binary_expression": "_binary",
    "assignment_expression": "_assign",
    "conditional_expression": "_ternary",
    "cast_expression": "_cast",
    "sizeof_expression": "_sizeof",
    "initializer_list": "_braces",
    "compound_literal_expression": "_compound",
    "parenthesized_expression": "_inner",
    "condition_clause": "_condition",
    "lambda_expression": "_lambda",
}
