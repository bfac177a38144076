"""``merged-copies``: see ``MergedCopies``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import IDENTIFIER, Code
from ascendopt.harness.structural.loops import loop_variants

STEP = 64
_NO_TERM = re.compile(r"[?&|=,<]|(?<!-)>|[\"']")
_PART = "$n - $i < $step ? $n - $i : $step"


@dataclass(frozen=True)
class CopyForm:
    """Many small copies and the one they make. ``tensors`` are the variables of the tensors in global memory."""

    what: str
    slow: str
    fast: str
    tensors: tuple[str, ...] = ("g",)
    alone: tuple[str, ...] = ()
    """Variables that nothing else in the function may mention: parameters that the rewrite changes."""
    is_removable: bool = True
    """False where the fast form does not tell the rows that the slow one would have."""


def copy_forms() -> tuple[CopyForm, ...]:
    """All forms, the more special first."""
    return (*_parameter_forms(), *_row_forms(), *_strided_forms(), *_count_forms(), *_adjacent_forms())


def _adjacent_forms() -> Iterator[CopyForm]:
    """``DataCopy`` of rows without a gap. Each is whole blocks, or the copies of one row would not be legal."""
    head = "for (uint32_t $i = 0; $i < $rows; ++$i) {\n    "
    for row in ("$i * $w", "$w * $i"):
        inner, far = f"$x[{row}]", f"$g[$offset + {row}]"
        yield CopyForm(
            "one copy of all rows in",
            f"{head}DataCopy({inner}, {far}, $w);\n}}",
            "DataCopy($x, $g[$offset], $rows * $w);",
            is_removable=False,
        )
        yield CopyForm(
            "one copy of all rows out",
            f"{head}DataCopy({far}, {inner}, $w);\n}}",
            "DataCopy($g[$offset], $x, $rows * $w);",
            is_removable=False,
        )


def _count_forms() -> Iterator[CopyForm]:
    """``DataCopy`` with a number of elements."""
    head = "for (uint32_t $i = 0; $i < $n; $i += $step) {\n    "
    yield CopyForm(
        "one copy in",
        f"{head}DataCopy($x[$i], $g[$offset + $i], {_PART});\n}}",
        "DataCopy($x, $g[$offset], $n);",
    )
    yield CopyForm(
        "one copy out",
        f"{head}DataCopy($g[$offset + $i], $x[$i], {_PART});\n}}",
        "DataCopy($g[$offset], $x, $n);",
    )


def _parameter_forms() -> Iterator[CopyForm]:
    """``DataCopyPad`` of one block whose bytes are ``n * sizeof(T)``."""
    head = "for (uint32_t $i = 0; $i < $n; $i += $step) {"
    part = f"    DataCopyExtParams $c{{1, static_cast<uint32_t>(({_PART}) * sizeof($T)), 0, 0, 0}};"
    whole = "DataCopyExtParams $c{1, static_cast<uint32_t>($n * sizeof($T)), 0, 0, 0};\n$$between"
    two = (
        "DataCopyPad($x[$i], $g[$offset + $i], $c, $pad);\n    DataCopyPad($y[$i], $h[$other + $i], $c, $pad);",
        "DataCopyPad($x, $g[$offset], $c, $pad);\nDataCopyPad($y, $h[$other], $c, $pad);",
        ("g", "h"),
    )
    calls = (
        two,
        ("DataCopyPad($x[$i], $g[$offset + $i], $c, $pad);", "DataCopyPad($x, $g[$offset], $c, $pad);", ("g",)),
        ("DataCopyPad($x[$i], $g[$i], $c, $pad);", "DataCopyPad($x, $g, $c, $pad);", ("g",)),
        ("DataCopyPad($g[$offset + $i], $x[$i], $c);", "DataCopyPad($g[$offset], $x, $c);", ("g",)),
    )
    for slow, fast, tensors in calls:
        yield CopyForm(
            "one padded copy", f"$$between\n{head}\n{part}\n    {slow}\n}}", f"{whole}\n{fast}", tensors, ("c",)
        )


def _row_forms() -> Iterator[CopyForm]:
    """``DataCopyPad`` of rows whose length is ``w * sizeof(T)``, parameters set field by field."""
    fast = "$p.blockLen = $w * sizeof($T);\n$p.blockCount = $rows;\n$$between\n"
    slow = "$p.blockLen = $w * sizeof($T);\n$p.blockCount = 1;\n$$between\nfor (uint32_t $i = 0; $i < $rows; ++$i) {\n"
    row = "$x[$i * (($w * sizeof($T) + 31) / 32 * 32 / sizeof($T))]"
    yield CopyForm(
        "one copy of all rows in",
        f"{slow}    DataCopyPad({row}, $g[$offset + $i * $w], $p, $pad);\n}}",
        f"{fast}DataCopyPad($x, $g[$offset], $p, $pad);",
        alone=("p",),
    )
    yield CopyForm(
        "one copy of all rows out",
        f"{slow}    DataCopyPad($g[$offset + $i * $w], {row}, $p);\n}}",
        f"{fast}DataCopyPad($g[$offset], $x, $p);",
        alone=("p",),
    )


def _strided_forms() -> Iterator[CopyForm]:
    """Rows with a gap in global memory, parameters given as a list: blocks of 32 bytes, or bytes with Pad."""
    units = (
        ("DataCopy", "$i * $len * 32 / sizeof($T)", "$i * ($len + $gap) * 32 / sizeof($T)", ""),
        (
            "DataCopyPad",
            "$i * (($len + 31) / 32 * 32 / sizeof($T))",
            "$i * ($len + $gap) / sizeof($T)",
            ", $pad",
        ),
    )
    loop = "for (uint32_t $i = 0; $i < $count; ++$i) {\n    "
    for call, local, far, pad in units:
        first = "$$between\nLocalTensor<$T> $x = $from;\n"
        second = "\n$$middle\nLocalTensor<$T> $y = $from2;\n"
        one_slow = f"{loop}{call}($x[{local}], $g[$offset + {far}], $p{pad});\n}}"
        two_slow = f"{loop}{call}($y[{local}], $g[$other + {far}], $p{pad});\n}}"
        head_slow, head_fast = (
            "DataCopyParams $p = {1, $len, 0, 0};\n",
            "DataCopyParams $p = {$count, $len, $gap, 0};\n",
        )
        yield CopyForm(
            "one strided copy each",
            f"{head_slow}{first}{one_slow}{second}{two_slow}",
            f"{head_fast}{first}{call}($x, $g[$offset], $p{pad});{second}{call}($y, $g[$other], $p{pad});",
            alone=("p",),
        )
        yield CopyForm(
            "one strided copy out",
            f"DataCopyParams $p = {{1, $len, 0, 0}};\n{first}{loop}{call}($g[$offset + {far}], $x[{local}], $p);\n}}",
            f"DataCopyParams $p = {{$count, $len, 0, $gap}};\n{first}{call}($g[$offset], $x, $p);",
            alone=("p",),
        )


class MergedCopies(StructuralOperator):
    """One copy instead of a loop of small ones.

    What it does
        A loop that copies a few elements, or a row, at a time becomes one ``DataCopy`` or ``DataCopyPad`` of
        all, with a number of blocks and a gap where rows are not adjacent.

    Before
        ``for (uint32_t i = 0; i < n; i += 64) { DataCopy(x[i], xGm[start + i], n - i < 64 ? n - i : 64); }``

    After
        ``DataCopy(x, xGm[start], n);``

    When
        The loop does nothing else, the pieces follow each other, one side is global memory, and nothing else uses the
        copy's parameters. ``blockCount`` holds at most 4095 rows.

    Why it is faster
        Every copy pays for its start and for the way to memory; small ones never fill it.
    """

    name = "merged-copies"
    symptom = SymptomKind.SMALL_BURST
    pipe = "mte2"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """A loop of copies to one copy."""
        for code in view.kernel_codes():
            for form in copy_forms():
                for match in (found for slow in loop_variants(form.slow) for found in code.find(slow)):
                    step = match.bindings.get("step")
                    whole_blocks = step is None or (step.text.isdigit() and int(step.text) % 32 == 0)
                    if whole_blocks and self._is_legal(view, code, form, match):
                        yield self._change(code, form, match, form.fast, {})

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """One copy to a loop of copies."""
        for code in view.kernel_codes():
            taken: set[int] = set()
            for form in (form for form in copy_forms() if form.is_removable):
                for match in code.find(form.fast):
                    if match.span.end not in taken and self._is_legal(view, code, form, match):
                        taken.add(match.span.end)
                        rows = "row" if "n" not in match.bindings else "start"
                        extra = {"i": _fresh(code, match, rows), "step": str(STEP)}
                        yield self._change(code, form, match, form.slow, extra)

    def _is_legal(self, view: OperatorView, code: Code, form: CopyForm, match: Match) -> bool:
        texts = {name: binding.text for name, binding in match.bindings.items()}
        terms = [texts[name] for name in ("n", "offset", "other", "w", "rows", "len", "gap", "count") if name in texts]
        if any(_NO_TERM.search(text) for text in terms):
            return False
        locals_ = [texts[name] for name in ("x", "y") if name in texts]
        if not all(text.isidentifier() for text in locals_):
            return False
        if not all(is_global_tensor(view, texts[name]) for name in form.tensors):
            return False
        body = code.body_at(match.span.start)
        if body is None or _is_parameter_struct(code, texts.get("n", "")):
            return False
        inside = match.span
        for name in form.alone:
            uses = code.mentions(texts[name], body)
            declared = 1 if "blockLen" in form.fast else 0
            outside = [use for use in uses if not (inside.start <= use.start < inside.end)]
            between = match.bindings["between"].span
            middle = match.bindings.get("middle", match.bindings["between"]).span
            if len(outside) > declared or code.mentions(texts[name], between) or code.mentions(texts[name], middle):
                return False
        return True

    def _change(self, code: Code, form: CopyForm, match: Match, to: str, extra: dict[str, str]) -> Change:
        return Change(
            self.name,
            f"{form.what} instead of a loop",
            edits(match, parse(to), extra),
            code.edit(match.span, ""),
            form.slow,
            form.fast,
            {"step": extra["step"]} if "$step" in form.slow and extra else {},
            ("loop", "copy-global"),
        )


def is_global_tensor(view: OperatorView, text: str) -> bool:
    """True when the last name of ``text`` is declared as a GlobalTensor somewhere in the kernel."""
    names = IDENTIFIER.findall(text)
    if not names or not re.fullmatch(r"(this\s*->\s*)?\w+", text.strip()):
        return False
    pattern = re.compile(rf"GlobalTensor\s*<[^;(){{}}]*>[\s&]*(?:\w+\s*,\s*)*{re.escape(names[-1])}\b")
    return any(pattern.search(code.source.data.decode("utf-8", "replace")) for code in view.kernel_codes())


def _is_parameter_struct(code: Code, name: str) -> bool:
    """True when the name is a ``DataCopyParams``, not a number of elements."""
    return any(
        re.search(rf"\b\w*Params\s+{re.escape(name)}\b", code.table.text(body))
        for body in code.bodies
        if name.isidentifier()
    )


def _fresh(code: Code, match: Match, name: str) -> str:
    """A loop variable that the function does not use."""
    body = code.body_at(match.span.start)
    return name if not code.mentions(name, body) else code.fresh(name)
