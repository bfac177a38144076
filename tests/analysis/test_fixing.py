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
        ("f(q.FreeTensor(x), 1);\n", "f(, 1);\n"),
    ],
)
def test_a_deleted_call_takes_its_statement(text: str, expected: str) -> None:
    data = text.encode()
    start = data.index(b"q.Free")
    edit = TextEdit(FILE, Span(start, start + len("q.FreeTensor(x)")), "")
    finding = Finding("ASC-QUE001", Severity.ERROR, FILE, edit.span, "", fix=Fix("remove", (edit,)))
    [whole] = whole_statements([finding], {FILE: data})
    assert whole.fix is not None
    assert apply_fixes([whole.fix], {FILE: data})[FILE].decode() == expected
