"""Deletions take the statement with them, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.findings import Finding, Fix, Severity, Span, TextEdit
from ascendopt.analysis.fixing import apply_fixes, whole_statements

FILE = Path("kernel.cpp")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a();\n    q.FreeTensor(x);\nb();\n", "a();\nb();\n"),
        ("a();\r\n    q.FreeTensor(x) ;\r\nb();\r\n", "a();\r\nb();\r\n"),
        ("a(); q.FreeTensor(x);\nb();\n", "a(); \nb();\n"),
        ("    q.FreeTensor(x); // why\nb();\n", "     // why\nb();\n"),
        ("#if DEBUG\n    q.FreeTensor(x);\n#endif\n", "#if DEBUG\n#endif\n"),
        ("case 3: q.FreeTensor(x); break;\n", "case 3:  break;\n"),
        # What a condition or a loop holds becomes empty, not the statement behind it.
        ("if (a) q.FreeTensor(x);\nb();\n", "if (a) ;\nb();\n"),
        ("if (a) {\n} else\n    q.FreeTensor(x);\nb();\n", "if (a) {\n} else\n    ;\nb();\n"),
        # What is no statement stays.
        ("f(q.FreeTensor(x), 1);\n", None),
        ("return q.FreeTensor(x);\n", None),
        ("auto y = q.FreeTensor(x);\n", None),
    ],
)
def test_a_deleted_call_takes_its_statement(text: str, expected: str | None) -> None:
    data = text.encode()
    start = data.index(b"q.Free")
    edit = TextEdit(FILE, Span(start, start + len("q.FreeTensor(x)")), "")
    finding = Finding("ASC-QUE001", Severity.ERROR, FILE, edit.span, "", fix=Fix("remove", (edit,)))
    [whole] = whole_statements([finding], {FILE: data})
    fixed = apply_fixes([whole.fix], {FILE: data})[FILE].decode() if whole.fix is not None else None
    assert fixed == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("private:\n  TQue<VECIN, 2> q;\n", "private:\n  TQue<VECIN, 1> q;\n"),
        ("a; TQue<VECIN, N + 1> q; TQue<VECIN, 2> r;\n", "a; TQue<VECIN, 1> q; TQue<VECIN, 2> r;\n"),
        ("TQue<VECIN, 2> q, r;\n", None),  # r would change as well
        ("auto& q = other;\n", None),
    ],
)
def test_a_pattern_says_where_in_the_statement(text: str, expected: str | None) -> None:
    data = text.encode()
    start = data.index(b"q;" if b"q;" in data else b"q")
    edit = TextEdit(FILE, Span(start, start + 1), "1", r"TQue<\w+, ([^<>]+)>\s*q\s*$")
    finding = Finding("ASC-QUE006", Severity.PERF, FILE, edit.span, "", fix=Fix("depth", (edit,)))
    [whole] = whole_statements([finding], {FILE: data})
    assert (apply_fixes([whole.fix], {FILE: data})[FILE].decode() if whole.fix else None) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    a = q.Get(0);\n", "    wait();\n    a = q.Get(0);\n"),
        (
            "{ // first\n  float a = (float)(q.Get(0) + 1);\n",
            "{ // first\n  wait();\n  float a = (float)(q.Get(0) + 1);\n",
        ),
        ("if (q.Get(0)) b();\n", None),
        ("FOR_EACH(i, n)\n    q.Get(0);\n", None),
        ("for (int i = 0; i < q.Get(0); ++i) b();\n", None),
        ("for (int i = 0; i < n; q.Get(0)) b();\n", None),
    ],
)
def test_an_insertion_goes_before_the_whole_statement(text: str, expected: str | None) -> None:
    data = text.encode()
    at = data.index(b"q.Get")
    edit = TextEdit(FILE, Span(at, at), "wait();\n")
    finding = Finding("ASC-SYN009", Severity.INFO, FILE, Span(at, at + 8), "", fix=Fix("wait", (edit,)))
    [whole] = whole_statements([finding], {FILE: data})
    assert (apply_fixes([whole.fix], {FILE: data})[FILE].decode() if whole.fix else None) == expected


def test_new_text_may_take_groups_of_the_pattern() -> None:
    data = b"p.blockLen = a + b;\n"
    edit = TextEdit(FILE, Span(0, 10), r"(\1) / 32", r"=\s*(.+)")
    finding = Finding("ASC-MEM006", Severity.ERROR, FILE, edit.span, "", fix=Fix("blocks", (edit,)))
    [whole] = whole_statements([finding], {FILE: data})
    assert whole.fix is not None
    assert apply_fixes([whole.fix], {FILE: data})[FILE] == b"p.blockLen = (a + b) / 32;\n"
