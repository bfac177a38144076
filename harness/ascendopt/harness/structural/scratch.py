"""Work buffers of a kernel class: what a tensor variable is made from, one more of the same size, and one less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.harness.structural.code import IDENTIFIER, Code, Statement
from ascendopt.harness.structural.vocabulary import TENSOR_CALLS

_HOLDERS = ("TBuf", "TQue", "TQueBind")


@dataclass(frozen=True)
class Tensor:
    """``LocalTensor<dtype> name = holder.Get<dtype>();``, the statement being ``span``.

    ``call`` is the method; ``opening`` the text from the type to before the name, ``tail`` that of the method's call.
    """

    name: str
    dtype: str
    holder: str
    receiver: str
    call: str
    span: Span


@dataclass(frozen=True)
class Storage:
    """Where a queue or buffer is declared and initialised, all in one file. ``length`` is in bytes, as written."""

    member: Statement
    init: Statement
    length: str


@dataclass(frozen=True)
class Spare:
    """A new work buffer: the name of its tensor, and the edits that make it."""

    tensor: str
    edits: tuple[TextEdit, ...]


def declared_tensor(code: Code, name: str, at: int) -> Tensor | None:
    """How the local tensor ``name`` is declared in the function around byte ``at``, when that is once and plain."""
    body = code.body_at(at)
    if body is None or not IDENTIFIER.fullmatch(name):
        return None
    found: list[Tensor] = []
    for call in TENSOR_CALLS:
        for template in ("template ", ""):
            text = f"LocalTensor<$type> {name} = $from.{template}{call}<$own>();"
            for match in code.find(text, body):
                receiver = match.text("from")
                holder = IDENTIFIER.findall(receiver)[-1]
                found.append(Tensor(name, match.text("type"), holder, receiver, f"{template}{call}", match.span))
    return found[0] if len(found) == 1 and found[0].span.start < at else None


def storage_of(code: Code, holder: str) -> Storage | None:
    """Declaration and InitBuffer of a member, when both are once and in this file."""
    members: list[Statement] = []
    inits: list[tuple[Statement, str]] = []
    seen: set[tuple[int, int]] = set()
    for span in code.mentions(holder):
        statement = _statement_around(code, span)
        if statement is None or (statement.span.start, statement.span.end) in seen:
            continue
        seen.add((statement.span.start, statement.span.end))
        if statement.words[0] in _HOLDERS:
            members.append(statement)
        elif "InitBuffer" in statement.words:
            length = _init_length(code, holder, statement.span)
            if length is None:
                return None
            inits.append((statement, length))
    if len(members) != 1 or len(inits) != 1:
        return None
    return Storage(members[0], inits[0][0], inits[0][1])


def spare_like(code: Code, like: Tensor, name: str) -> Spare | None:
    """One more work buffer as large as the one behind ``like``, and a tensor of it beside ``like``'s declaration."""
    storage = storage_of(code, like.holder)
    if storage is None or "[" in storage.member.words:
        return None
    buffer = code.fresh(f"{name}Buf")
    tensor = code.fresh(f"{name}Local")
    member = f"{_buffer_type(code, storage.member)} {buffer};"
    init_text = code.table.text(storage.init.span)
    opening = init_text[: init_text.index("InitBuffer")]
    get = "template Get" if like.call.startswith("template") else "Get"
    receiver = like.receiver[: -len(like.holder)] + buffer
    prefix = "AscendC::" if code.table.text(like.span).startswith("AscendC::") else ""
    return Spare(
        tensor,
        (
            code.line_after(storage.member.span, member),
            code.line_after(storage.init.span, f"{opening}InitBuffer({buffer}, {storage.length});"),
            code.line_after(
                like.span, f"{prefix}LocalTensor<{like.dtype}> {tensor} = {receiver}.{get}<{like.dtype}>();"
            ),
        ),
    )


def without_tensor(code: Code, tensor: Tensor, gone: Sequence[Span]) -> list[TextEdit]:
    """Edits that remove a tensor, and its buffer, as far as nothing but ``gone`` uses them."""
    body = code.body_at(tensor.span.start)
    uses = [span for span in code.mentions(tensor.name, body) if not _inside(span, [tensor.span, *gone])]
    if uses or tensor.call not in ("Get", "template Get"):
        return []
    edits = [code.remove_lines(tensor.span)]
    storage = storage_of(code, tensor.holder)
    if storage is None or "," in storage.member.words:
        return edits
    places = [tensor.span, storage.member.span, storage.init.span, *gone]
    if all(_inside(span, places) for span in code.mentions(tensor.holder)):
        edits += [code.remove_lines(storage.init.span), code.remove_lines(storage.member.span)]
    return edits


def is_private_buffer(code: Code, tensor: Tensor) -> bool:
    """True for a TBuf that no other statement of the file takes a tensor from: nobody else reads what is in it."""
    if tensor.call not in ("Get", "template Get"):
        return False
    storage = storage_of(code, tensor.holder)
    if storage is None:
        return False
    places = [tensor.span, storage.member.span, storage.init.span]
    return all(_inside(span, places) for span in code.mentions(tensor.holder))


def _buffer_type(code: Code, member: Statement) -> str:
    """How this class writes the type of a work buffer."""
    if member.words[0] == "TBuf":
        text = code.table.text(member.span)
        return text[: text.index(">") + 1]
    for statement in code.statements(Span(0, len(code.source.data))):
        if statement.words[0] == "TBuf" and statement.words[-1] == ";":
            text = code.table.text(statement.span)
            return text[: text.index(">") + 1]
    prefix = "AscendC::" if code.table.text(member.span).startswith("AscendC::") else ""
    return f"{prefix}TBuf<{prefix}TPosition::VECCALC>"


def _init_length(code: Code, holder: str, within: Span) -> str | None:
    for arrow in (".", "->"):
        for arguments in ("$length", "$num, $length"):
            for match in code.find(f"$pipe{arrow}InitBuffer({holder}, {arguments});", within):
                if match.span == within:
                    return match.text("length")
    return None


def _statement_around(code: Code, span: Span) -> Statement | None:
    """The innermost statement that holds ``span``."""
    table = code.table
    for index in range(table.first_from(span.start), max(-1, table.first_from(span.start) - 60), -1):
        entry = table.statements.get(index)
        if entry is not None:
            statement = code.statement_at(table.tokens[index].outer)
            if statement is not None and statement.span.end >= span.end:
                return statement
    return None


def _inside(span: Span, places: Sequence[Span]) -> bool:
    return any(place.start <= span.start and span.end <= place.end for place in places)
