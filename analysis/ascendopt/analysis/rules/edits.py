"""Edits of one argument, field or template argument: what fixes of several rules are made of.

Facts have the places of arguments. Where they have none, as for the depth of a queue, a pattern of the statement says
where it is (``TextEdit.within``), and the fix is left out where the source is written in another way.
"""

from __future__ import annotations

from collections.abc import Iterable

from ascendopt.analysis.facts.declared import Argument, QueueFact
from ascendopt.analysis.facts.events import ApiCall, InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.runtime import struct_table
from ascendopt.analysis.facts.tiling_model import HostConstant
from ascendopt.analysis.findings import Fix, Span, TextEdit
from ascendopt.analysis.rules.extent import BLOCK
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.rules.ub_budget import budget

# A member of an initialiser: no comma but between parentheses.
_PARENTHESES = r"\((?:[^;{}()]|\([^;{}()]*\))*\)"
_MEMBER = rf"(?:[^\s,;{{}}()]|{_PARENTHESES})(?:[^,;{{}}()]|{_PARENTHESES})*"
_WIDTHS = {"DataCopyExtParams": "uint32_t"}
_POSITIONS = {"TQue": 1, "TQueBind": 2}


def fix(title: str, *edits: TextEdit | None, safe: bool, of_run: bool = False) -> Fix | None:
    """One fix of ``edits``; None where the place of one is not known."""
    known = tuple(edit for edit in edits if edit is not None)
    return Fix(f"AscendC: {title}", known, safe, of_run) if known and len(known) == len(edits) else None


def argument(call: ApiCall, one: Argument, text: str) -> TextEdit:
    """``text`` in place of an argument of ``call``."""
    return TextEdit(call.site.path, one.span, text)


def name(call: ApiCall, text: str) -> TextEdit:
    """``text`` in place of the name of the function."""
    return TextEdit(call.site.path, call.name_span, text)


def field(
    context: Context, instance: Instance, call: ApiCall, params: Argument, which: str, text: str
) -> TextEdit | None:
    """``text`` in place of a field of a parameter structure of ``call``: in the call itself, by the assignment that set
    it last, or in the declaration of the variable. ``{}`` in ``text`` is what stands there. None where it is set in
    another way, or other functions are called with the variable as well."""
    if "{}" in text:
        text = f"static_cast<{_WIDTHS.get(params.struct or '', 'uint16_t')}>({text})"  # no braces narrow by themselves
    place = params.set_at(which)
    members = struct_table().structs.get(params.struct or "", ())
    index = next((index for index, (one, _) in enumerate(members) if one == which), None)
    if params.text.isidentifier():
        users = (one for one in instance.of(ApiCall) if any(other.text == params.text for other in one.args))
        if index is None or any(one.name != call.name for one in users):
            return None
        if place is not None:
            return TextEdit(call.site.path, place.span, text.replace("{}", r"\1"), _assigned(params.text, which))
        return _declared(context, call, params, index, text)
    known = _written_in_place(params)
    if index is None or index >= len(known):
        return None
    span, old = known[index]
    return TextEdit(call.site.path, span, text.replace("({})", old) if old.isalnum() else text.replace("{}", old))


def _assigned(variable: str, which: str) -> str:
    """The right side of an assignment to a field, under any of its names."""
    names = "|".join((which, *(alias for alias, name in struct_table().aliases.items() if name == which)))
    return rf"\b{variable}\s*\.\s*(?:{names})\s*=(?!=)\s*(\S[\s\S]*?)\s*$"


def item(
    context: Context, instance: Instance, call: ApiCall, array: Argument, index: int, text: str
) -> TextEdit | None:
    """``text`` in place of an item of an array that a local variable of the function around ``call`` is, and that no
    other call takes."""
    users = {one.site for one in instance.of(ApiCall) if any(other.text == array.text for other in one.args)}
    if not array.text.isidentifier() or len(users) != 1:
        return None
    return _initialised(context, call, rf"\b{array.text}\s*\[[^\[\]]*\]\s*(?:=\s*)?\{{\s*", index, text)


def _declared(context: Context, call: ApiCall, params: Argument, index: int, text: str) -> TextEdit | None:
    """A member in the initialiser of a local variable of the function around ``call``."""
    kind = rf"\b{params.struct}(?:<[^<>]*>)?"
    opening = rf"{kind}\s+{params.text}\s*(?:=\s*(?:{kind}\s*)?)?[{{(]\s*"
    return _initialised(context, call, opening, index, text)


def _initialised(context: Context, call: ApiCall, opening: str, index: int, text: str) -> TextEdit | None:
    """A member of the braces behind ``opening`` in the function around ``call``."""
    around = [
        one.site.span
        for one in context.kernel.functions
        if one.site.path == call.site.path and one.site.span.start <= call.site.span.start < one.site.span.end
    ]
    if not around:
        return None
    pattern = rf"{opening}(?:{_MEMBER},\s*){{{index}}}({_MEMBER}?)\s*[,}})]"
    return TextEdit(call.site.path, max(around), text.replace("{}", r"\1"), pattern)


def _written_in_place(params: Argument) -> list[tuple[Span, str]]:
    """The members of ``{a, b}`` or ``Params{a, b}`` with their places; none for anything else."""
    text, start = params.text, params.span.start
    opening = text.find("{")
    if opening < 0 or not text.endswith("}") or len(text.encode()) != params.span.end - start or not text.isascii():
        return []
    if text[:opening].strip() not in ("", params.struct, f"AscendC::{params.struct}"):
        return []
    found: list[tuple[Span, str]] = []
    depth, first = 0, opening + 1
    for at in range(opening + 1, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth < 0 or (depth == 0 and text[at] == ","):
            part = text[first:at]
            left = first + len(part) - len(part.lstrip())
            found.append((Span(start + left, start + left + len(part.strip())), part.strip()))
            first = at + 1
    return [] if any(old.startswith(".") or not old for _, old in found) else found


def rounded_up(text: str, multiple: int) -> str:
    """The source of a length, rounded up to a multiple."""
    text = text.strip()
    if text.isdigit():
        return str(-(-int(text) // multiple) * multiple)
    inner = text if text.isidentifier() else f"({text})"
    return f"({inner} + {multiple - 1}) / {multiple} * {multiple}"


def factor(text: str) -> str:
    """The source of a length as an operand of a product."""
    text = text.strip()
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def times(text: str, by: str) -> str:
    """The source of a length, times ``by``."""
    return f"{by} * {factor(text)}"


def constant(one: HostConstant, value: int) -> TextEdit:
    """Another value of a constant of the host that is written as a number."""
    return TextEdit(one.site.path, one.site.span, str(value), rf"\b{one.name}\s*=\s*(\d+)\s*$")


def depth(queue: QueueFact, number: int, together: Iterable[QueueFact] = ()) -> TextEdit | None:
    """Another depth in the declaration of ``queue``. ``together`` may be declared by the same statement: what else is
    would get the depth as well, so that the pattern does not match."""
    before = _POSITIONS.get(queue.kind)
    if before is None:
        return None
    names = "|".join(dict.fromkeys((queue.name, *(one.name for one in together))))
    first = rf"\b{queue.kind}\s*<(?:[^<>,]*,){{{before}}}\s*([^<>,]*[^<>,\s])\s*>"
    return TextEdit(queue.site.path, queue.site.span, str(number), rf"{first}\s*(?:(?:{names})\s*,\s*)*(?:{names})\s*$")


def length(context: Context, instance: Instance, init: InitBufferEvent, more: int) -> TextEdit | None:
    """An ``InitBuffer`` of ``more`` bytes more, where its length is written as a number and UB has room for that."""
    used, limit, each = budget(context, instance), context.chip.usable_ub_bytes, init.num.constant()
    text = init.length_text.strip()
    if not text.isdigit() or not used.complete or each is None or limit is None or used.total + each * more > limit:
        return None
    whole = -(-int(text) // BLOCK) * BLOCK + -(-more // BLOCK) * BLOCK
    return TextEdit(init.site.path, init.length_span, str(whole))


def buffers(init: InitBufferEvent, number: int) -> TextEdit:
    """Another number of buffers in an ``InitBuffer`` of a queue, where it is written as a number."""
    return TextEdit(init.site.path, init.site.span, str(number), r"\bInitBuffer\s*\([^,;]*,\s*(\d+)\s*,")
