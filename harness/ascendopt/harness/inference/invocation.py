"""What an operator's example program (``examples/AclNNInvocationNaive/main.cpp``) calls it with.

The text is read, never compiled or run: constants, shapes in vectors, the tensors made of them, and the arguments of
the call ``aclnn<Op>GetWorkspaceSize``. What does not have the usual form is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ascendopt.harness.inference.expressions import Number, evaluate
from ascendopt.harness.workloads.build import Shape

_MAX_BYTES = 1 << 20
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_DEFINE = re.compile(r"^[ \t]*#define\s+(\w+)\s+([^\s\\][^\n\\]*)$", re.M)
_CONSTANT = re.compile(
    r"\b(?:u?int(?:8|16|32|64)_t|int|size_t|float|double|bool|auto|long)\s+(\w+)\s*(?:=\s*([^;,{}]+)|\{([^{};]+)\})\s*;"
)
_VECTOR = re.compile(r"\bvector<\s*([\w:]+)\s*\*?\s*>\s+(\w+)\s*(?:=\s*)?\{([^{};]*)\}\s*;")
_ARRAY = re.compile(r"\b(?:(?:const\s+)?(?:u?int64_t|aclTensor\s*\*)\s*)(\w+)\s*\[\w*\]\s*=\s*\{([^{};]*)\}\s*;")
_TENSOR = re.compile(
    r"\bCreateAclTensor(?:<[\w:]+>)?\(\s*(\w+)\s*,\s*(\w+)\s*,\s*&\s*\w+\s*,\s*(?:aclDataType::)?(\w+)\s*,\s*&\s*(\w+)\s*\)"
)
_LIST = re.compile(r"\b(\w+)\s*=\s*aclCreateTensorList\(\s*(\w+)")
_SCALAR = re.compile(r"\b(\w+)\s*=\s*aclCreateScalar\(\s*&\s*(\w+)")
_NUMBERS = re.compile(r"\b(\w+)\s*=\s*aclCreate(?:Int|Float)Array\(\s*(\w+)")
_ABSENT = re.compile(r"\bacl(?:Tensor|TensorList|Scalar|IntArray|FloatArray)\s*\*\s*(\w+)\s*=\s*(?:nullptr|NULL)\s*;")
_TEXT = re.compile(
    r"\b(?:const\s+)?(?:char\s*\*?|std::string|auto)\s*\*?\s*(\w+)\s*(?:\[\w*\])?\s*=\s*\"([^\"\n]*)\"\s*;"
)
_CALL = re.compile(r"\baclnn\w+GetWorkspaceSize\s*\(")


@dataclass(frozen=True)
class Given:
    """One argument of the call: a tensor or list (``shapes``), a number or text (``value``), numbers, or nothing.

    ``data`` are the values of a tensor where the program spells them out.
    """

    name: str
    shapes: tuple[Shape, ...] | None = None
    is_list: bool = False
    dtype: str | None = None
    value: Number | str | None = None
    numbers: tuple[Number, ...] | None = None
    data: tuple[Number, ...] | None = None
    is_null: bool = False


@dataclass
class _Program:
    numbers: dict[str, Number] = field(default_factory=dict[str, Number])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    vectors: dict[str, tuple[Number, ...]] = field(default_factory=dict[str, "tuple[Number, ...]"])
    groups: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])


def read_invocation(text: str) -> list[Given] | None:
    """The arguments in front of workspace and executor; None where the program has no call of the usual form."""
    if len(text) > _MAX_BYTES:
        return None
    text = _COMMENT.sub(" ", text)
    call = _CALL.search(text)
    # The declaration of a wrapper has types in it; the call has only names, numbers and addresses.
    arguments = _arguments(text, call.end()) if call else None
    if arguments is None or len(arguments) < 3:
        return None
    program = _constants(text)
    known = _tensors(text, program)
    return [_given(argument, program, known) for argument in arguments[:-2]]


def _arguments(text: str, start: int) -> list[str] | None:
    depth, current = 1, start
    parts: list[str] = []
    for at in range(start, min(len(text), start + 4000)):
        character = text[at]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                return [part.strip() for part in [*parts, text[current:at]]]
        elif character == "," and depth == 1:
            parts.append(text[current:at])
            current = at + 1
    return None


def _constants(text: str) -> _Program:
    program = _Program()
    found = [(m.start(), m[1], m[2]) for m in _DEFINE.finditer(text)]
    found += [(m.start(), m[1], m[2] or m[3]) for m in _CONSTANT.finditer(text)]
    for _, name, expression in sorted(found):
        value = evaluate(expression, program.numbers)
        if value is not None:
            program.numbers.setdefault(name, value)
    program.texts.update({m[1]: m[2] for m in _TEXT.finditer(text)})
    for match in _VECTOR.finditer(text):
        _add_vector(program, match[2], match[3])
    for match in _ARRAY.finditer(text):
        _add_vector(program, match[1], match[2])
    return program


def _add_vector(program: _Program, name: str, body: str) -> None:
    items = [item.strip() for item in body.split(",") if item.strip()]
    values = [evaluate(item, program.numbers) for item in items]
    if None not in values:
        program.vectors.setdefault(name, tuple(value for value in values if value is not None))
    elif all(re.fullmatch(r"\w+", item) for item in items):
        program.groups.setdefault(name, items)


def _tensors(text: str, program: _Program) -> Mapping[str, Given]:
    known: dict[str, Given] = {}
    for match in _TENSOR.finditer(text):
        data, shape, dtype, name = match.groups()
        dims = program.vectors.get(shape)
        if dims is not None and all(isinstance(dim, int) and dim >= 0 for dim in dims):
            shapes = (tuple(int(dim) for dim in dims),)
            known[name] = Given(name, shapes, dtype=dtype, data=program.vectors.get(data))
    for match in _LIST.finditer(text):
        members = [known.get(member) for member in program.groups.get(match[2], [])]
        shapes = [member.shapes[0] for member in members if member is not None and member.shapes]
        if shapes and len(shapes) == len(members):
            known[match[1]] = Given(match[1], tuple(shapes), is_list=True)
    for match in _SCALAR.finditer(text):
        known[match[1]] = Given(match[1], ((1,),), value=program.numbers.get(match[2]))
    for match in _NUMBERS.finditer(text):
        numbers = program.vectors.get(match[2])
        if numbers is not None:
            known[match[1]] = Given(match[1], numbers=numbers)
    for match in _ABSENT.finditer(text):
        # A tensor that nothing is assigned to; one whose creation could not be read keeps its argument unknown.
        if match[1] not in known and len(re.findall(rf"\b{match[1]}\b\s*=[^=]|&\s*{match[1]}\b", text)) == 1:
            known[match[1]] = Given(match[1], is_null=True)
    return known


def _given(argument: str, program: _Program, known: Mapping[str, Given]) -> Given:
    if argument in known:
        return known[argument]
    if argument in ("nullptr", "NULL"):
        return Given(argument, is_null=True)
    if re.fullmatch(r'"[^"]*"', argument):
        return Given(argument, value=argument[1:-1])
    if argument in program.texts:
        return Given(argument, value=program.texts[argument])
    return Given(argument, value=evaluate(argument, program.numbers))
