"""Constant arithmetic as it stands in C++ and Python sources, worked out without running anything."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

Number = int | float


def _whole(left: Number, right: Number) -> Number:
    return left // right


def _quotient(left: Number, right: Number) -> Number:
    return left / right


_OPERATORS: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: _quotient,
    ast.FloorDiv: _whole,
    ast.Mod: lambda left, right: left % right,
}
# 1.0f, 8192L, 16U, 3ull
_SUFFIX = re.compile(r"(?<![\w.])(\d[\d.]*(?:e[+-]?\d+)?)(?:[fF]|[uU]?[lL]{0,2}|[lL]{1,2}[uU])(?![\w.])")
_CAST = re.compile(r"static_cast<[\w: ]+>|\(\s*(?:u?int(?:8|16|32|64)_t|int|float|double|size_t|bool)\s*\)")
_MAX_TEXT = 200
_MAX_VALUE = 1 << 62


def evaluate(text: str, names: Mapping[str, Number]) -> Number | None:
    """The value of a C++ or Python constant expression over ``names``; None for anything else."""
    if len(text) > _MAX_TEXT:
        return None
    plain = _SUFFIX.sub(r"\1", _CAST.sub("", text)).strip()
    plain = {"true": "True", "false": "False"}.get(plain, plain)
    try:
        tree = ast.parse(plain, mode="eval")
        return evaluate_node(tree.body, names)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None


def evaluate_node(node: ast.expr, names: Mapping[str, Number]) -> Number | None:
    """The value of a parsed expression, or None."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float) else None
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = evaluate_node(node.operand, names)
        return None if value is None else -value
    if isinstance(node, ast.BinOp):
        return _binary(node, names)
    return None


def _binary(node: ast.BinOp, names: Mapping[str, Number]) -> Number | None:
    left, right = evaluate_node(node.left, names), evaluate_node(node.right, names)
    function = _OPERATORS.get(type(node.op))
    if left is None or right is None or function is None:
        return None
    if isinstance(node.op, ast.Div) and isinstance(left, int) and isinstance(right, int):
        # C++ divides whole numbers so; in the Python sources that this reads, sizes are divided with //.
        function = _whole
    value = function(left, right)
    return value if abs(value) < _MAX_VALUE else None
