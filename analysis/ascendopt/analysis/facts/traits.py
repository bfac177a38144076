"""Type traits of the standard library and of the API, over resolved texts."""

from __future__ import annotations

from collections.abc import Callable

from ascendopt.analysis.facts.templates import last
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.values import Value, number

SAME = frozenset({"is_same", "IsSameType", "IsSame"})
_FLOATS = frozenset({"half", "float", "double", "bfloat16_t"})
_CONSTANTS = {"true_type": 1, "false_type": 0}
_KINDS = frozenset({"is_integral", "is_floating_point", "is_arithmetic", "is_pointer", "is_void"})
NAMED_TYPES = frozenset(
    {"int4b_t", "void", "LocalTensor", "GlobalTensor", "TQue", "TQueBind", "TBuf", "TPipe", "TPosition", "QuePosition"}
    | {"Hccl", "Matmul", "MatmulImpl", "MatmulType", "const", "unsigned", "signed", "true", "false"}
)
"""Names beside the built-in types that are no template parameters."""
Constant = Callable[[str], Value | None]


def is_trait(head: str) -> bool:
    """True for the traits that are known here."""
    return head in SAME or head in _CONSTANTS or head in _KINDS or head in ("integral_constant", "bool_constant")


def trait_value(head: str, arguments: tuple[str, ...], constant: Constant) -> Value | None:
    """``head<arguments>::value``, but for those of ``SAME``; None when it is not decided."""
    if head in _CONSTANTS:
        return number(_CONSTANTS[head])
    if head in ("integral_constant", "bool_constant"):
        return constant(arguments[-1]) if arguments else None
    if len(arguments) != 1:
        return None
    return _of_kind(head, arguments[0])


def _of_kind(head: str, name: str) -> Value | None:
    if head == "is_pointer" and name.endswith("*"):
        return number(1)
    if name not in TYPE_BYTES and name != "void":
        return None
    answers = {
        "is_integral": name in TYPE_BYTES and name not in _FLOATS and not name.startswith("complex"),
        "is_floating_point": name in ("float", "double"),
        "is_arithmetic": name in TYPE_BYTES and name not in ("half", "bfloat16_t") and not name.startswith("complex"),
        "is_pointer": False,
        "is_void": name == "void",
    }
    return number(int(answers[head])) if head in answers else None


CHOSEN = frozenset(
    {"conditional", "Conditional", "enable_if", "remove_cv", "remove_const", "remove_reference", "remove_cvref"}
    | {"decay", "type_identity"}
)
"""Templates whose ``type`` is one of their arguments."""


def chosen_type(head: str, arguments: tuple[str, ...], constant: Constant) -> str | None:
    """What ``conditional``, ``enable_if``, ``remove_cv`` ... give (with or without ``_t``); None for all others and
    while the condition is not decided."""
    name = last(head).removesuffix("_t")
    if name not in CHOSEN or not arguments:
        return None
    if name in ("conditional", "Conditional"):
        condition = constant(arguments[0]) if len(arguments) == 3 else None
        return arguments[1 if condition.const else 2] if condition is not None and condition.is_constant else None
    if name == "enable_if":
        return arguments[1] if len(arguments) > 1 else "void"
    return arguments[0]
