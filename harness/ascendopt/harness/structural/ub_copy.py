"""``ub-copy``: see ``UbCopy``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.facts import ApiCall
from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import Code
from ascendopt.harness.structural.scratch import (
    Spare,
    Tensor,
    declared_tensor,
    is_private_buffer,
    spare_like,
    without_tensor,
)

_OPERATIONS = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Adds", "Muls", "Exp", "Ln", "Sqrt", "Abs", "Cast")
_COPIES = (
    "Adds($d, $t, static_cast<$T>(0), $n);",
    "Adds($d, $t, 0.0f, $n);",
    "Muls($d, $t, 1.0f, $n);",
    "DataCopy($d, $t, $n);",
)
_ARITHMETIC = frozenset(("float", "half", "int32_t", "int"))


@dataclass(frozen=True)
class _CopyForm:
    slow: str
    fast: str
    restored: str


def _forms(operation: str) -> Iterator[_CopyForm]:
    fast = f"{operation}($d, $$operands, $n);"
    for copy in _COPIES:
        head = f"{operation}($t, $$operands, $n);\n"
        yield _CopyForm(f"{head}$$between\n{copy}", f"{fast}\n$$between", head + copy)


class UbCopy(StructuralOperator):
    """The result is computed where it is needed.

    What it does
        A vector call that writes a work buffer, from which a second pass copies the result to the output tensor, writes
        the output tensor itself; the work buffer goes when nothing else uses it.

    Before
        ``Add(t, a, b, n); Adds(y, t, static_cast<T>(0), n);``

    After
        ``Add(y, a, b, n);``

    When
        Nothing else reads the work buffer, and neither tensor is touched between the two calls. The buffer may also be
        an operand that is only freed afterwards.

    Why it is faster
        One pass over the tile less on the vector pipe, and UB for larger tiles.
    """

    name = "ub-copy"
    symptom = SymptomKind.EXTRA_COPY
    pipe = "vector"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Call + copy to the call alone."""
        for code in view.kernel_codes():
            for operation in _OPERATIONS:
                for form in _forms(operation):
                    for match in code.find(form.slow):
                        changes = self._direct(code, match, form)
                        if changes:
                            yield self._change(code, match.span, operation, changes, form)

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """The call that fills an output tensor goes through a work buffer."""
        for code in view.kernel_codes():
            for operation in _OPERATIONS:
                form = next(_forms(operation))
                for match in code.find(f"{operation}($d, $$operands, $n);"):
                    tensor = self._output(view, code, match)
                    if tensor is None:
                        continue
                    operand = self._over_operand(view, code, match)
                    spare = Spare(operand, ()) if operand else spare_like(code, tensor, "result")
                    if spare is not None:
                        rewritten = edits(match, parse(form.restored), {"t": spare.tensor, "T": tensor.dtype})
                        yield self._change(code, match.span, operation, (*rewritten, *spare.edits), form)

    def _over_operand(self, view: OperatorView, code: Code, match: Match) -> str | None:
        """An operand that nothing needs afterwards, of the destination's types: it can take the result."""
        body = code.body_at(match.span.start)
        if body is None:
            return None
        for operand in (part.strip() for part in match.text("operands").split(",")):
            spent = operand != match.text("d") and _is_spent(code, operand, Span(match.span.end, body.end))
            declared = spent and declared_tensor(code, operand, match.span.start) is not None
            if declared and _same_types(view, code, match.span, operand):
                return operand
        return None

    def _direct(self, code: Code, match: Match, form: _CopyForm) -> tuple[TextEdit, ...]:
        name, target = match.text("t"), match.text("d")
        tensor = declared_tensor(code, name, match.span.start)
        body = code.body_at(match.span.start)
        if tensor is None or body is None or not target.isidentifier():
            return ()
        between = match.bindings["between"].span
        if code.mentions(name, between) or code.mentions(target, between):
            return ()
        if name in code.names_in(match.text("operands")):
            spent = _is_spent(code, name, Span(match.span.end, body.end))
            return edits(match, parse(form.fast)) if spent else ()
        if not is_private_buffer(code, tensor) or code.mentions(name, Span(match.span.end, body.end)):
            return ()
        gone = [Span(match.span.start, between.start or match.span.end), Span(between.end, match.span.end)]
        if between.start == between.end:
            gone = [match.span]
        return (*edits(match, parse(form.fast)), *without_tensor(code, tensor, gone))

    def _output(self, view: OperatorView, code: Code, match: Match) -> Tensor | None:
        """The tensor written, when it comes from a queue and goes back into it right after, types permitting."""
        name = match.text("d")
        tensor = declared_tensor(code, name, match.span.start)
        body = code.body_at(match.span.start)
        if tensor is None or body is None or not tensor.call.endswith("AllocTensor"):
            return None
        rest = Span(match.span.end, body.end)
        uses = code.mentions(name, rest)
        queued = [
            found
            for text in (f"$q.EnQue({name});", f"$q.EnQue<$T>({name});", f"$q.template EnQue<$T>({name});")
            for found in code.find(text, rest)
        ]
        others = [use for use in uses if not any(q.span.start <= use.start < q.span.end for q in queued)]
        # Writes in other arms of a branch (their first argument) are fine; reads are not.
        if not queued or any(not _is_destination(code, use) for use in others):
            return None
        if match.text("n").strip() in ("0", "1") or "=" in match.text("operands"):
            return None
        types = _element_types(view, code, match.span)
        return tensor if types and types <= _ARITHMETIC else None

    def _change(self, code: Code, span: Span, operation: str, changes: tuple[TextEdit, ...], form: _CopyForm) -> Change:
        return Change(
            self.name,
            f"{operation} writes its result where it is needed",
            changes,
            code.edit(span, ""),
            form.slow,
            form.fast,
            {},
            ("vector-call", "copy-local"),
        )


def _is_spent(code: Code, name: str, rest: Span) -> bool:
    """True when the rest of the function only frees the tensor."""
    if not name.isidentifier():
        return False
    texts = (f"$q.FreeTensor({name});", f"$q.template FreeTensor({name});")
    freed = [found.span for text in texts for found in code.find(text, rest)]
    harmless = [*freed, *code.other_arms(rest.start - 1)]
    uses = code.mentions(name, rest)
    return bool(freed) and all(any(span.start <= use.start < span.end for span in harmless) for use in uses)


def _same_types(view: OperatorView, code: Code, span: Span, operand: str) -> bool:
    """True when the operand has the destination's element type in every instance."""
    for instance in view.facts.kernel.instances:
        for event in instance.of(ApiCall):
            if event.site.path != code.source.path or not span.start <= event.site.span.start < span.end:
                continue
            elements = {
                argument.tensor.element
                for index, argument in enumerate(event.args)
                if argument.tensor is not None and (index == 0 or argument.text.strip() == operand)
            }
            if len(elements) != 1:
                return False
    return True


def _is_destination(code: Code, use: Span) -> bool:
    """True for the first argument of a call."""
    tokens = code.table.tokens
    index = code.table.first_from(use.start)
    return index > 1 and tokens[index - 1].text == "(" and tokens[index + 1].text == ","


def _element_types(view: OperatorView, code: Code, span: Span) -> frozenset[str]:
    """Element types that the destination of a call has, over all instances."""
    return frozenset(
        event.args[0].tensor.element or "?"
        for instance in view.facts.kernel.instances
        for event in instance.of(ApiCall)
        if event.site.path == code.source.path
        and span.start <= event.site.span.start < span.end
        and event.args
        and event.args[0].tensor is not None
    )
