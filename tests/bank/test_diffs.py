"""Unified diffs, lines that look like headers among them."""

from __future__ import annotations

from ascendopt.bank.diffs import diff_lines

TWO_FILES = """\
--- a/host.cpp
+++ b/host.cpp
@@ -1,3 +1,2 @@
 int n;
---n;
 use(n);
--- a/kernel.cpp
+++ b/kernel.cpp
@@ -7 +7 @@ class K {
-a();
\\ No newline at end of file
+++b;
"""


def test_a_decrement_is_no_file_header() -> None:
    lines = diff_lines(TWO_FILES)
    assert lines.removed == ("--n;", "a();")
    assert lines.added == ("++b;",)
    assert lines.context == ("int n;", "use(n);")
    assert [line.hunk for line in lines.lines] == [0, 0, 0, 1, 1]


def test_signed_lines_without_a_hunk_header() -> None:
    lines = diff_lines("--- a\n+++ b\n-old\n+new\n same\n")
    assert (lines.removed, lines.added) == (("old",), ("new",))


def test_text_that_is_no_diff_has_no_lines() -> None:
    assert diff_lines("").lines == diff_lines("hello\nworld").lines == ()
