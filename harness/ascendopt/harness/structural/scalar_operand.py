"""``scalar-operand``: see ``ScalarOperand``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import Code
from ascendopt.harness.structural.scratch import declared_tensor, is_private_buffer, spare_like, without_tensor
from ascendopt.harness.structural.vocabulary import SCALAR_FORMS


@dataclass(frozen=True)
class FilledForm:
    """A call that needs a filled tensor, and the one that takes the number itself."""

    slow: str
    fast: str
    restored: str
    """``slow`` without the statements between, as a removal writes it."""

    @property
    def over_destination(self) -> FilledForm:
        """The same with the destination itself as the filled tensor: no work buffer is needed."""
        return FilledForm(self.slow.replace("$t", "$d"), self.fast, self.restored.replace("$t", "$d"))

    @property
    def call(self) -> str:
        """The fast call alone."""
        return self.fast.removeprefix("$$between\n")


def filled_form(slow_call: str, fast_call: str, fill: str = "$s") -> FilledForm:
    """The pattern pair of two calls whose filled operand is ``$t``."""
    return FilledForm(
        f"Duplicate($t, {fill}, $n);\n$$between\n{slow_call};",
        f"$$between\n{fast_call};",
        f"Duplicate($t, {fill}, $n);\n{slow_call};",
    )


class ScalarOperand(StructuralOperator):
    """Number as operand instead of a filled tensor.

    What it does
        ``Adds``, ``Muls``, ``Maxs`` and ``Mins`` take a number where ``Add``, ``Mul``, ``Max`` and ``Min`` need a
        tensor that ``Duplicate`` has filled with it. The fill goes, and its buffer when nothing else uses it.

    Before
        ``Duplicate(t, s, n); Add(y, x, t, n);``

    After
        ``Adds(y, x, s, n);``

    When
        Nothing reads the filled tensor afterwards, and nothing that the number is made of changes in between. A
        removal fills the destination, or, where that is an operand, a new buffer as large as an operand's.

    Why it is faster
        One vector instruction less for each tile, one operand less to read, and UB for larger tiles.
    """

    name = "scalar-operand"
    symptom = SymptomKind.EXTRA_FILL
    pipe = "vector"

    def forms(self) -> Iterator[tuple[str, FilledForm]]:
        """Title and patterns of each operation."""
        for vector, scalar in SCALAR_FORMS.items():
            title = f"{scalar} instead of Duplicate and {vector}"
            yield title, filled_form(f"{vector}($d, $x, $t, $n)", f"{scalar}($d, $x, $s, $n)")

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Duplicate + operation to the scalar form."""
        for code in view.kernel_codes():
            for title, form in self.forms():
                swapped = form.slow.replace("($d, $x, $t, $n)", "($d, $t, $x, $n)")
                own = form.over_destination
                for match in (*code.find(own.slow), *code.find(form.slow), *code.find(swapped)):
                    changes = filled_operand_edits(code, match, form.fast)
                    if changes:
                        yield self._change(code, match.span, title, changes, form)

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """The scalar form to Duplicate + operation, with a new work buffer."""
        for code in view.kernel_codes():
            for title, form in self.forms():
                for match in code.find(form.call):
                    changes = filled_operand_removal(code, match, form, "scalar")
                    if changes:
                        yield self._change(code, match.span, title, changes, form)

    def _change(self, code: Code, span: Span, title: str, changes: tuple[TextEdit, ...], form: FilledForm) -> Change:
        return Change(
            self.name, title, changes, code.edit(span, ""), form.slow, form.fast, {}, ("vector-call", "fill-used-once")
        )


def filled_operand_edits(code: Code, match: Match, fast: str) -> tuple[TextEdit, ...]:
    """From a filled tensor to the number, when nothing else needs the tensor; else nothing."""
    body = code.body_at(match.span.start)
    between = match.bindings["between"].span
    if body is None or not code.is_stable(match.text("s"), between):
        return ()
    if "t" not in match.bindings:
        target = match.text("d")
        if target == match.text("x") or not target.isidentifier() or code.mentions(target, between):
            return ()
        return edits(match, parse(fast))
    name = match.text("t")
    tensor = declared_tensor(code, name, match.span.start)
    if tensor is None or name in (match.text("x"), match.text("d")) or code.mentions(name, between):
        return ()
    if not is_private_buffer(code, tensor) or code.mentions(name, Span(match.span.end, body.end)):
        return ()
    changes = edits(match, parse(fast))
    return (*changes, *without_tensor(code, tensor, _statements_of(match)))


def filled_operand_removal(code: Code, match: Match, form: FilledForm, name: str) -> tuple[TextEdit, ...]:
    """From the number to a filled tensor: the destination where it is no operand, else a new work buffer."""
    if match.text("n").strip() in ("0", "1") or code.body_at(match.span.start) is None:
        return ()
    target, operand = match.text("d"), match.text("x")
    if target != operand and target.isidentifier() and operand.isidentifier() and target not in match.text("s"):
        return edits(match, parse(form.over_destination.restored))
    for tensor in (target, operand):
        like = declared_tensor(code, tensor, match.span.start)
        spare = spare_like(code, like, name) if like is not None else None
        if spare is not None:
            return (*edits(match, parse(form.restored), {"t": spare.tensor}), *spare.edits)
    return ()


def _statements_of(match: Match) -> list[Span]:
    """The spans of the first and the last statement of a match."""
    between = match.bindings["between"].span
    if between.start == between.end:
        return [match.span]
    return [Span(match.span.start, between.start), Span(between.end, match.span.end)]
