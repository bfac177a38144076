"""``scalar-loop``: see ``ScalarLoop``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.facts import ApiCall, ScalarAccess
from ascendopt.analysis.findings import Span
from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import Code
from ascendopt.harness.structural.loops import loop_variants
from ascendopt.harness.structural.scratch import declared_tensor

_BARRIER = "PipeBarrier<PIPE_ALL>();"
_FLOATS = frozenset(("float", "half"))
_PLAIN = frozenset(("float", "int32_t", "int"))


@dataclass(frozen=True)
class _Operation:
    """A vector call and what it does to one element; ``#`` stands for reading a tensor's element."""

    call: str
    element: str


_OPERATIONS = (
    _Operation("Add($d, $x, $y, $n);", "#x + #y"),
    _Operation("Sub($d, $x, $y, $n);", "#x - #y"),
    _Operation("Mul($d, $x, $y, $n);", "#x * #y"),
    _Operation("Div($d, $x, $y, $n);", "#x / #y"),
    _Operation("Max($d, $x, $y, $n);", "#x > #y ? #x : #y"),
    _Operation("Min($d, $x, $y, $n);", "#x < #y ? #x : #y"),
    _Operation("Adds($d, $x, $s, $n);", "#x + #s"),
    _Operation("Muls($d, $x, $s, $n);", "#x * #s"),
    _Operation("Relu($d, $x, $n);", "#x > 0 ? #x : 0"),
    _Operation("Duplicate($d, $s, $n);", "#s"),
)


@dataclass(frozen=True)
class LoopForm:
    """The loop as a removal writes it, then other ways to write it and without barriers; and the call."""

    call: str
    loops: tuple[str, ...]
    needs_type: bool


def loop_forms() -> Iterator[LoopForm]:
    """Every operation: on float and integers as it stands, on half through float."""
    for operation in _OPERATIONS:
        for cast in (False, True):
            if cast and "x" not in operation.call:
                continue
            element = operation.element
            for name in ("x", "y"):
                read = f"${name}.GetValue($i)"
                element = element.replace(f"#{name}", f"static_cast<float>({read})" if cast else read)
            element = element.replace("#s", "static_cast<float>($s)" if cast else "$s")
            if cast:
                element = f"static_cast<$T>({element})"
            loop = f"for (uint32_t $i = 0; $i < $n; ++$i) {{\n    $d.SetValue($i, {element});\n}}"
            fenced = f"{_BARRIER}\n{loop}\n{_BARRIER}"
            others = (*loop_variants(fenced), *loop_variants(loop))
            yield LoopForm(operation.call, (fenced, *others), cast)


class ScalarLoop(StructuralOperator):
    """One vector instruction instead of a loop over elements.

    What it does
        A loop of ``GetValue``, arithmetic and ``SetValue`` becomes the vector call that does the same, and the barriers
        around it go.

    Before
        ``for (uint32_t i = 0; i < n; ++i) { z.SetValue(i, x.GetValue(i) + y.GetValue(i)); }``

    After
        ``Add(z, x, y, n);``

    When
        The tensors are local, their element types are known and the call takes them (half, float; int32 where nothing
        is rounded), and the loop does nothing else.

    Why it is faster
        The scalar unit works on one element at a time, the vector unit on 256 bytes a cycle.
    """

    name = "scalar-loop"
    symptom = SymptomKind.SCALAR_LOOP
    pipe = "scalar"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Loop to call, barriers included where they are there."""
        for code in view.kernel_codes():
            if not code.has("SetValue"):
                continue
            done: set[int] = set()
            for form in loop_forms():
                for loop in form.loops:
                    for match in code.find(loop):
                        words = [piece.text for piece in match.pattern.pieces]
                        inner = match.places[words.index("SetValue")].start
                        legal = self._is_local(code, match) and _is_fixed_number(code, match)
                        if inner not in done and legal and self._types(view, code, match):
                            done.add(inner)
                            yield self._change(code, match, form, loop, form.call)

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """Call to loop, with a barrier of all pipes on both sides: a scalar access waits for nobody by itself."""
        for code in view.kernel_codes():
            done: set[Span] = set()
            for form in loop_forms():
                for match in code.find(form.call):
                    types = self._types(view, code, match)
                    fits = types <= _FLOATS if form.needs_type else types <= _PLAIN or "$x" not in form.call
                    if match.span in done or not types or not fits or match.text("n").strip() in ("0", "1"):
                        continue
                    tensor = declared_tensor(code, match.text("d"), match.span.start)
                    if (
                        tensor is None
                        or not self._is_local(code, match)
                        or not _is_fixed_number(code, match)
                        or ("Div" in form.call and types - _FLOATS)
                    ):
                        continue
                    done.add(match.span)
                    extra = {"i": _variable(code, match.span), "T": tensor.dtype}
                    yield self._change(code, match, form, form.loops[0], form.loops[0], extra)

    def _change(
        self, code: Code, match: Match, form: LoopForm, loop: str, to: str, extra: dict[str, str] | None = None
    ) -> Change:
        return Change(
            self.name,
            f"{form.call.partition('(')[0]} instead of a loop over elements",
            edits(match, parse(to), extra),
            code.edit(match.span, ""),
            loop,
            form.call,
            {},
            ("loop", "local-tensors"),
        )

    @staticmethod
    def _is_local(code: Code, match: Match) -> bool:
        names = [match.text(name) for name in ("d", "x", "y") if name in match.bindings]
        return all(declared_tensor(code, name, match.span.start) is not None for name in names)

    @staticmethod
    def _types(view: OperatorView, code: Code, match: Match) -> frozenset[str]:
        """Element types that the facts give the destination, over all instances; empty when one is not known."""
        types: set[str] = set()
        for instance in view.facts.kernel.instances:
            for event in instance.of(ApiCall):
                site = event.site
                inside = match.span.start <= site.span.start < match.span.end
                if site.path != code.source.path or not inside:
                    continue
                if isinstance(event, ScalarAccess):
                    tensor = event.receiver if event.name == "SetValue" else None
                else:
                    tensor = event.args[0].tensor if event.args else None
                if tensor is None:
                    continue
                if tensor.element not in _FLOATS | _PLAIN:
                    return frozenset()
                types.add(tensor.element)
        return frozenset(types)


def _is_fixed_number(code: Code, match: Match) -> bool:
    """True when the number operand is the same for all elements."""
    if "s" not in match.bindings:
        return True
    changing = {"GetValue", *(match.text(name) for name in ("i", "d") if name in match.bindings)}
    return not changing & code.names_in(match.text("s"))


def _variable(code: Code, span: Span) -> str:
    body = code.body_at(span.start)
    return next(name for name in ("i", "k", "element", "elementIndex") if not code.mentions(name, body))
