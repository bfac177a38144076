"""``narrow-barrier``: see ``NarrowBarrier``."""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import Code, Statement
from ascendopt.harness.structural.vocabulary import QUEUE_CALLS, VECTOR_CALLS

WIDE = "PipeBarrier<PIPE_ALL>();"
NARROW = "PipeBarrier<PIPE_V>();"


class NarrowBarrier(StructuralOperator):
    """A barrier for the pipe that needs it, or none.

    What it does
        ``PipeBarrier<PIPE_ALL>`` between two vector instructions becomes ``PipeBarrier<PIPE_V>``, or goes where the
        function does without barriers elsewhere.

    Before
        ``Exp(y, y, n); PipeBarrier<PIPE_ALL>(); Adds(y, y, one, n);``

    After
        ``Exp(y, y, n); PipeBarrier<PIPE_V>(); Adds(y, y, one, n);``

    When
        The statements before and after it in the block are vector instructions or calls of a queue: nothing of another
        pipe waits there that the queues do not order themselves.

    Why it is faster
        PIPE_ALL also waits for the copies: the next tile is not loaded, and the last one not stored, in the meantime.
    """

    name = "narrow-barrier"
    symptom = SymptomKind.WIDE_BARRIER
    pipe = "vector"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """PIPE_ALL to PIPE_V: all of a function, then each; PIPE_ALL to nothing likewise."""
        for code in view.kernel_codes():
            for matches in _by_function(code, WIDE):
                if len(matches) > 1:
                    yield self._narrowed(code, matches)
                for match in matches:
                    yield self._narrowed(code, [match])
                drop = [match for match in matches if _between_vector_calls(code, match.span)]
                if drop:
                    gone = tuple(code.remove_lines(match.span) for match in drop)
                    yield self._change(code, drop, gone, "no barrier", "$first;\n" + WIDE, "$first;")

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """PIPE_V to PIPE_ALL: all of a function, then each; and PIPE_ALL where there is no barrier."""
        for code in view.kernel_codes():
            for matches in _by_function(code, NARROW):
                if len(matches) > 1:
                    yield self._widened(code, matches)
                for match in matches:
                    yield self._widened(code, [match])
            yield from self._added(code)

    def _added(self, code: Code) -> Iterator[Change]:
        """A wide barrier between all vector instructions of a function that has no barrier."""
        for body in code.bodies:
            if code.mentions("PipeBarrier", body) or code.mentions("pipe_barrier", body):
                continue
            pairs = [
                (statement, following)
                for statement in code.statements(body)
                if _is_vector(statement)
                and (following := code.after(statement.span)) is not None
                and _is_vector(following)
                and code.layout.begins_line(following.span.start)
            ]
            if not pairs:
                continue
            prefix = "AscendC::" if code.table.text(pairs[0][0].span).startswith("AscendC::") else ""
            added = tuple(code.line_before(following.span, prefix + WIDE) for _, following in pairs)
            yield Change(
                self.name,
                "no barrier instead of PIPE_ALL between vector calls",
                added,
                code.edit(pairs[0][1].span, ""),
                "$first;\n" + WIDE,
                "$first;",
                {"barriers": str(len(pairs))},
                ("between-vector-calls",),
            )

    def _narrowed(self, code: Code, matches: list[Match]) -> Change:
        changes = tuple(edit for match in matches for edit in edits(match, parse(NARROW)))
        return self._change(code, matches, changes, "PIPE_V")

    def _widened(self, code: Code, matches: list[Match]) -> Change:
        changes = tuple(edit for match in matches for edit in edits(match, parse(WIDE)))
        return self._change(code, matches, changes, "PIPE_V")

    def _change(
        self,
        code: Code,
        matches: list[Match],
        changes: tuple[TextEdit, ...],
        fast: str,
        before: str = WIDE,
        after: str = NARROW,
    ) -> Change:
        title = f"{fast} instead of PIPE_ALL between vector calls"
        if len(matches) > 1:
            title += f", {len(matches)} times in one function"
        return Change(
            self.name,
            title,
            changes,
            code.edit(matches[0].span, ""),
            before,
            after,
            {"barriers": str(len(matches))},
            ("between-vector-calls",),
        )


def _by_function(code: Code, barrier: str) -> Iterator[list[Match]]:
    """The barriers of each function that stand between vector instructions or queue calls."""
    groups: dict[Span, list[Match]] = {}
    for match in code.find(barrier):
        body = code.body_at(match.span.start)
        if body is not None and _is_narrow_place(code, match.span):
            groups.setdefault(body, []).append(match)
    for body in sorted(groups):
        yield groups[body]


def _is_narrow_place(code: Code, span: Span) -> bool:
    before, after = code.before(span), code.after(span)
    if before is None or after is None:
        return False
    if not (_is_vector(before) or _is_vector(after)):
        return False
    return all(_is_vector(one) or _is_queue_call(one) for one in (before, after))


def _between_vector_calls(code: Code, span: Span) -> bool:
    before, after = code.before(span), code.after(span)
    return before is not None and after is not None and _is_vector(before) and _is_vector(after)


def _is_vector(statement: Statement) -> bool:
    return statement.called in VECTOR_CALLS and "GetValue" not in statement.words


def _is_queue_call(statement: Statement) -> bool:
    """``queue.FreeTensor(x);``, ``LocalTensor<T> x = queue.DeQue<T>();``, ``... = buffer.Get<T>();``."""
    if statement.called in QUEUE_CALLS:
        return True
    words = statement.words
    return words[0] in ("LocalTensor", "auto") and bool({"Get", *QUEUE_CALLS} & set(words))
