"""``buffer-depth``: see ``BufferDepth``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ascendopt.analysis.facts import QueueEvent
from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import IDENTIFIER, Code
from ascendopt.harness.structural.ub_budget import overflows_ub

_HEADS = ("static constexpr", "constexpr", "static const", "const")
_DEPTH_PARAMETER = re.compile(r"(buf|buffer|que|queue)_?(num|count|cnt|depth)|depth", re.I)
SLOW_CONSTANT = "constexpr $type $name = 1;"
FAST_CONSTANT = "constexpr $type $name = 2;"
SLOW_QUEUE = "TQue<$position, 1> $queue;"
FAST_QUEUE = "TQue<$position, 2> $queue;"
SLOW_COUNT = "$pipe.InitBuffer($queue, 1, $length);"
FAST_COUNT = "$pipe.InitBuffer($queue, 2, $length);"


@dataclass(frozen=True)
class _Number:
    """A literal of one file."""

    code: Code
    span: Span
    value: int


class BufferDepth(StructuralOperator):
    """Two buffers in a queue instead of one.

    What it does
        Changes the constant, the template argument or the literals that set a queue's depth and number of buffers
        from 1 to 2. Where the host divides UB by a constant of the same name and value, that changes with it.

    Before
        ``constexpr int32_t BUFFER_NUM = 1;``

    After
        ``constexpr int32_t BUFFER_NUM = 2;``

    When
        Tensors of the queue are allocated in a loop. UB must hold twice the bytes: what the facts do not decide, the
        device does.

    Why it is faster
        While the vector unit works on one tile, the next is loaded and the last one stored.
    """

    name = "buffer-depth"
    symptom = SymptomKind.SINGLE_BUFFER
    pipe = "mte2"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """1 -> 2, unless the facts say that UB does not hold it."""
        for change in self._changes(view, 1, 2):
            if not overflows_ub(view, change.edits):
                yield change

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """2 -> 1."""
        yield from self._changes(view, 2, 1)

    def _changes(self, view: OperatorView, old: int, new: int) -> Iterator[Change]:
        seen, looped = _used_queues(view), _used_queues(view, in_loop=True)
        names = _depth_names(view)
        for name, used_by in names.items():
            # Queues of a base class that the facts do not follow are not known to be outside of a loop.
            if used_by & looped or not used_by & seen:
                yield from self._constant(view, name, old, new)
        yield from self._literals(view, old, new, looped)
        yield from self._counts(view, old, new, looped, set(names))
        yield from self._arguments(view, old, new)

    # ------------------------------------------------------------------ constants

    def _constant(self, view: OperatorView, name: str, old: int, new: int) -> Iterator[Change]:
        kernel = [number for code in view.kernel_codes() for number in _constants(code, name) if number.value == old]
        host = [number for code in view.host_codes() for number in _constants(code, name) if number.value == old]
        if not kernel:
            return
        both = {(number.code.path, number.span): number for number in (*kernel, *host)}
        if host and old == 2:
            yield self._change(view, kernel, new, f"{name} in the kernel", SLOW_CONSTANT, FAST_CONSTANT)
        sides = "host and kernel" if host and len(both) > len(kernel) else "the kernel"
        yield self._change(view, list(both.values()), new, f"{name} in {sides}", SLOW_CONSTANT, FAST_CONSTANT)

    # ------------------------------------------------------------------ literals

    def _literals(self, view: OperatorView, old: int, new: int, looped: set[str]) -> Iterator[Change]:
        """Depth of the declaration and number of InitBuffer, both literals, of one queue."""
        for code in view.kernel_codes():
            for match in code.find(f"TQue<$position, {old}> $queue;"):
                queue = match.text("queue")
                inits = [
                    found
                    for arrow in (".", "->")
                    for found in code.find(f"$pipe{arrow}InitBuffer({queue}, {old}, $length);")
                ]
                if queue not in looped or len(inits) != 1:
                    continue
                numbers = [
                    _Number(code, next(p for p, t in _texts(found.places, code) if t == str(old)), old)
                    for found in (match, inits[0])
                ]
                yield self._change(view, numbers, new, f"depth of {queue}", SLOW_QUEUE, FAST_QUEUE)

    # ------------------------------------------------------------------ number of buffers alone

    def _counts(self, view: OperatorView, old: int, new: int, looped: set[str], names: set[str]) -> Iterator[Change]:
        """The number that InitBuffer is given; the depth of the queue's type may stay 1 for it.

        A constant is replaced by the number only to make it larger: the way back is from the number.
        """
        ones = {name for code in view.kernel_codes() for name in names if _is_always(code, name, old)}
        for code in view.kernel_codes():
            numbers: list[tuple[str, _Number]] = []
            for arrow in (".", "->"):
                for match in code.find(f"$pipe{arrow}InitBuffer($queue, $num, $length);"):
                    queue = IDENTIFIER.findall(match.text("queue"))
                    number = match.text("num")
                    same = number == str(old) or (old == 1 and number in ones)
                    if queue and queue[-1] in looped and same:
                        numbers.append((queue[-1], _Number(code, match.bindings["num"].span, old)))
            every = [number for _, number in numbers]
            literal = [number for number in every if code.table.text(number.span) == str(old)]
            for group in (every, literal) if len(literal) < len(every) else (every,):
                if len(group) > 1:
                    yield self._change(view, group, new, "number of buffers of all queues", SLOW_COUNT, FAST_COUNT)
            for queue, number in numbers:
                yield self._change(view, [number], new, f"number of buffers of {queue}", SLOW_COUNT, FAST_COUNT)

    # ------------------------------------------------------------------ template arguments

    def _arguments(self, view: OperatorView, old: int, new: int) -> Iterator[Change]:
        """Literal template arguments of kernel classes: all of a file, else those of one branch."""
        positions = _depth_parameters(view)
        for code in view.kernel_codes():
            groups: dict[Span, list[_Number]] = {}
            others = 0
            for class_name, index in sorted(positions.items()):
                for number in _literal_arguments(code, class_name, index):
                    others += number.value == new
                    if number.value == old:
                        groups.setdefault(_branch(code, number.span), []).append(number)
            numbers = sorted((n for group in groups.values() for n in group), key=lambda n: n.span)
            if numbers and not others and len(groups) > 1:
                title = "template argument of the kernel class"
                yield self._change(view, numbers, new, title, "$class<$$args, 1>", "$class<$$args, 2>")
            for branch in sorted(groups):
                title = "template argument of the kernel class, one branch"
                yield self._change(view, groups[branch], new, title, "$class<$$args, 1>", "$class<$$args, 2>")

    def _change(
        self, view: OperatorView, numbers: list[_Number], new: int, title: str, before: str, after: str
    ) -> Change:
        changes: tuple[TextEdit, ...] = tuple(number.code.edit(number.span, str(new)) for number in numbers)
        return Change(
            self.name,
            f"two buffers instead of one: {title}",
            changes,
            numbers[0].code.edit(numbers[0].span, ""),
            before,
            after,
            {"depth": str(new)},
            ("queue-depth-1", "loop"),
        )


def _texts(places: tuple[Span, ...], code: Code) -> list[tuple[Span, str]]:
    return [(place, code.table.text(place)) for place in places]


def _used_queues(view: OperatorView, *, in_loop: bool = False) -> set[str]:
    """Names of queues whose tensors are allocated or taken, anywhere or in a loop."""
    return {
        event.queue.name
        for instance in view.facts.kernel.instances
        for event in instance.of(QueueEvent)
        if event.queue is not None and (event.in_loop or not in_loop)
    }


def _depth_names(view: OperatorView) -> Mapping[str, set[str]]:
    """Names that stand for a queue's depth or its number of buffers -> the queues."""
    names: dict[str, set[str]] = {}
    for code in view.kernel_codes():
        for arrow in (".", "->"):
            for match in code.find(f"$pipe{arrow}InitBuffer($queue, $num, $length)"):
                name, queue = match.text("num"), IDENTIFIER.findall(match.text("queue"))
                if name.isidentifier() and queue:
                    names.setdefault(name, set()).add(queue[-1])
    return dict(sorted(names.items()))


def _constants(code: Code, name: str) -> list[_Number]:
    found: dict[Span, _Number] = {}
    for head in _HEADS:
        for match in code.find(f"{head} $type {name} = $value;"):
            span = match.bindings["value"].span
            if match.text("value").isdigit():
                found.setdefault(span, _Number(code, span, int(match.text("value"))))
    return list(found.values())


def _is_always(code: Code, name: str, value: int) -> bool:
    """True when the file defines the constant, with this value."""
    values = {number.value for number in _constants(code, name)}
    return values == {value}


def _depth_parameters(view: OperatorView) -> dict[str, int]:
    """Class templates with a value parameter that is called like a buffer count -> its position."""
    found: dict[str, int] = {}
    for info in view.facts.kernel.instances:
        for text in (info.label, *(value for _, value in info.bindings)):
            for name in re.findall(r"([A-Za-z_]\w*)<", text):
                found.setdefault(name, -1)
    pattern = re.compile(r"template\s*<([^{};]*?)>\s*class\s+([A-Za-z_]\w*)")
    texts = [code.source.data.decode("utf-8", "replace") for code in view.kernel_codes()]
    inside = {source.path for source in view.sources.values()}
    for path in view.facts.kernel.paths:
        if path not in inside and path.is_file():
            texts.append(path.read_text(encoding="utf-8", errors="replace"))
    result: dict[str, int] = {}
    for text in texts:
        for parameters, name in pattern.findall(text):
            for index, parameter in enumerate(_split(parameters)):
                words = IDENTIFIER.findall(parameter.split("=")[0])
                is_value = words and words[0] not in ("typename", "class", "template")
                if is_value and name in found and _DEPTH_PARAMETER.fullmatch(words[-1]):
                    result[name] = index
    return result


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _literal_arguments(code: Code, class_name: str, index: int) -> list[_Number]:
    """Literal arguments at a position of ``class_name<...>``."""
    tokens = code.table.tokens
    found: list[_Number] = []
    for mention in code.mentions(class_name):
        at = code.table.first_from(mention.start) + 1
        if at >= len(tokens) or tokens[at].text != "<":
            continue
        depth, position = 1, 0
        at += 1
        while at < len(tokens) and depth and tokens[at].text not in (";", "{"):
            text = tokens[at].text
            depth += (text in "<(") - (text in ">)")
            position += text == "," and depth == 1
            alone = tokens[at - 1].text in ("<", ",") and tokens[at + 1].text in (">", ",")
            if depth == 1 and position == index and text.isdigit() and alone:
                found.append(_Number(code, Span(tokens[at].start, tokens[at].end), int(text)))
            at += 1
    return found


def _branch(code: Code, span: Span) -> Span:
    """The largest block inside of the function's body that holds ``span``, or the body."""
    body = code.body_at(span.start)
    if body is None:
        return Span(0, 0)
    tokens = code.table.tokens
    depth = 0
    start = body.start
    for index in range(code.table.first_from(body.start), code.table.first_from(span.start)):
        if tokens[index].text == "{":
            depth += 1
            if depth == 2:
                start = tokens[index].start
        elif tokens[index].text == "}":
            depth -= 1
            if depth == 1:
                start = body.start
    return Span(start, start)
