"""``reciprocal``: see ``Reciprocal``."""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import Code
from ascendopt.harness.structural.scalar_operand import FilledForm, filled_operand_edits, filled_operand_removal

SLOW = "Duplicate($t, $s, $n);\n$$between\nDiv($d, $x, $t, $n);"
FAST = "$$between\nMuls($d, $x, 1.0f / $s, $n);"
DIVIDED = FilledForm(SLOW, FAST, "Duplicate($t, $s, $n);\nDiv($d, $x, $t, $n);")
# The divisor is a named number that is itself 1 / something: rows are scaled by rstd, divided by the root.
INVERSE = FilledForm(
    "Duplicate($t, 1.0f / $s, $n);\n$$between\nDiv($d, $x, $t, $n);",
    "$$between\nMuls($d, $x, $s, $n);",
    "Duplicate($t, 1.0f / $s, $n);\nDiv($d, $x, $t, $n);",
)


class Reciprocal(StructuralOperator):
    """Multiplication by the reciprocal instead of a division by one number.

    What it does
        A vector that is divided by a tensor full of one number is multiplied by the reciprocal of the number, which is
        one scalar division.

    Before
        ``Duplicate(t, s, n); Div(y, x, t, n);``

    After
        ``Muls(y, x, 1.0f / s, n);``

    When
        The tensors are float (the reciprocal is rounded once more; the gates look at the values), nothing else reads
        the filled tensor, the number does not change in between. A removal takes a product with ``1.0f / s``, or with
        a variable that was computed as ``1 / ...``.

    Why it is faster
        A division takes several times the cycles of a product for each element, and the fill goes too.
    """

    name = "reciprocal"
    symptom = SymptomKind.SLOW_VECTOR_OP
    pipe = "vector"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Duplicate + Div to Muls; ``1.0f / s`` is not inverted twice."""
        for code in view.kernel_codes():
            taken: set[Span] = set()
            for form in (INVERSE, DIVIDED):
                for match in (*code.find(form.over_destination.slow), *code.find(form.slow)):
                    if match.span in taken or not self._is_float(code, match.text("d"), match.span):
                        continue
                    taken.add(match.span)
                    changes = filled_operand_edits(code, match, form.fast)
                    if changes:
                        yield self._change(code, match.span, changes, form)

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """Muls by a reciprocal to Duplicate + Div."""
        for code in view.kernel_codes():
            taken: set[Span] = set()
            for form in (DIVIDED, INVERSE):
                for match in code.find(form.call):
                    inverse = form is DIVIDED or _is_reciprocal(code, match.text("s"), match.span)
                    if match.span in taken or not inverse or not self._is_float(code, match.text("d"), match.span):
                        continue
                    changes = filled_operand_removal(code, match, form, "divisor")
                    if changes:
                        taken.add(match.span)
                        yield self._change(code, match.span, changes, form)

    def _is_float(self, code: Code, name: str, span: Span) -> bool:
        body = code.body_at(span.start)
        if body is None or not name.isidentifier():
            return False
        declared = code.find(f"LocalTensor<float> {name} = $from;", body)
        return any(match.span.start < span.start for match in declared)

    def _change(self, code: Code, span: Span, changes: tuple[TextEdit, ...], form: FilledForm) -> Change:
        return Change(
            self.name,
            "Muls by the reciprocal instead of Duplicate and Div",
            changes,
            code.edit(span, ""),
            form.slow,
            form.fast,
            {},
            ("dtype-float", "fill-used-once"),
        )


def _is_reciprocal(code: Code, name: str, span: Span) -> bool:
    """True when the variable is declared or computed as ``1 / ...`` or ``(float)1.0 / ...`` in this file."""
    if not name.isidentifier():
        return False
    body = code.body_at(span.start)
    own = [each for each in code.mentions(name, body) if each.start < span.start]
    for mention in own or code.mentions(name):
        index = code.table.first_from(mention.start)
        words = [token.text for token in code.table.tokens[index + 1 : index + 12]]
        if words[:1] != ["="]:
            continue
        head = [word for word in words[1:] if word not in ("(", ")", "float", "static_cast", "<", ">", "T")]
        if head[:1] and head[0] in ("1", "1.0", "1.0f", "1.f") and head[1:2] == ["/"]:
            return True
    return False
