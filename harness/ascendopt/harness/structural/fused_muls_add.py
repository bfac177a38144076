"""``fused-muls-add``: see ``FusedMulsAdd``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.findings import Span
from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import Code


@dataclass(frozen=True)
class _FusedForm:
    slow: str
    fast: str
    adjacent: str
    """``slow`` without the statements between, as a removal writes it."""


def _form(types: str, fused_types: str, operands: str) -> _FusedForm:
    scale, add = f"Muls{types}($x, $x, $s, $n);", f"Add{types}({operands}, $n);"
    fused = f"Axpy{fused_types}($y, $x, $s, $n);"
    return _FusedForm(f"{scale}\n$$between\n{add}", f"$$between\n{fused}", f"{scale}\n{add}")


_FORMS = (
    _form("", "", "$y, $y, $x"),
    _form("", "", "$y, $x, $y"),
    _form("<$T>", "<$T, $T>", "$y, $y, $x"),
)


class FusedMulsAdd(StructuralOperator):
    """One instruction for y += s * x.

    What it does
        ``Muls`` in place followed by ``Add`` onto the other operand is ``Axpy``.

    Before
        ``Muls(x, x, s, n); Add(y, y, x, n);``

    After
        ``Axpy(y, x, s, n);``

    When
        Nothing in the function reads the scaled x afterwards; in between, neither tensor is mentioned.

    Why it is faster
        One pass of the vector unit over the tile instead of two.
    """

    name = "fused-muls-add"
    symptom = SymptomKind.SLOW_VECTOR_OP
    pipe = "vector"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Muls + Add to Axpy."""
        for code in view.kernel_codes():
            for form in _FORMS:
                for match in code.find(form.slow):
                    between = match.bindings["between"].span
                    names = [match.text(name) for name in ("x", "y")]
                    untouched = not any(code.mentions(name, between) for name in names if name.isidentifier())
                    if untouched and code.is_stable(match.text("s"), between) and _is_free(code, match):
                        yield self._change(code, match, form, form.fast)

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """Axpy to Muls + Add."""
        for code in view.kernel_codes():
            for form in (_FORMS[0], _FORMS[2]):
                for match in code.find(form.fast.removeprefix("$$between\n")):
                    if _is_free(code, match):
                        yield self._change(code, match, form, form.adjacent)

    def _change(self, code: Code, match: Match, form: _FusedForm, to: str) -> Change:
        return Change(
            self.name,
            "Axpy instead of Muls and Add",
            edits(match, parse(to)),
            code.edit(match.span, ""),
            form.slow,
            form.fast,
            {},
            ("vector-call", "operand-used-once"),
        )


def _is_free(code: Code, match: Match) -> bool:
    """True when the rest of the function does nothing with x but free it."""
    x, y = match.text("x"), match.text("y")
    body = code.body_at(match.span.start)
    if body is None or x == y or not (x.isidentifier() and y.isidentifier()):
        return False
    rest = Span(match.span.end, body.end)
    freed = [found.span for found in code.find(f"$q.FreeTensor({x});", rest)]
    uses = code.mentions(x, rest)
    return all(any(span.start <= use.start < span.end for span in freed) for use in uses)
