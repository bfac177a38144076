"""A patch keeps every character; colours follow comments over lines on both sides."""

from __future__ import annotations

import pytest

from ascendopt.harness.report.highlight import Part, patch_lines

PATCH = """\
diff --git a/k.cpp b/k.cpp
--- a/k.cpp
+++ b/k.cpp
@@ -1,4 +1,4 @@
 /* one
-   old end */ int x = 3;
+   new */ constexpr int y = 0x40;  // <b>
 #include "a.h"
@@ -20 +20 @@
-a
\\ No newline at end of file
+b
"""


def test_nothing_is_lost_and_lines_have_their_kind() -> None:
    lines = patch_lines(PATCH)
    assert "\n".join("".join(part.text for part in line.parts) for line in lines) == PATCH
    assert [line.kind for line in lines] == [
        *("file", "file", "file", "hunk", "", "del", "add", "", "hunk", "del", "hunk", "add", ""),
    ]


def test_a_comment_over_lines_ends_on_each_side_for_itself() -> None:
    lines = patch_lines(PATCH)
    assert lines[4].parts == (Part("", " "), Part("comment", "/* one"))
    assert lines[5].parts[:3] == (Part("", "-"), Part("comment", "   old end */"), Part("", " "))
    assert Part("keyword", "int") in lines[5].parts and Part("number", "3") in lines[5].parts
    assert lines[6].parts[1] == Part("comment", "   new */") and lines[6].parts[-1] == Part("comment", "// <b>")


@pytest.mark.parametrize("text", ["", "no patch", "+", "-\n+\n \n", "+/* never closed\n+x\n-y", "+\"\n+\x00\t\n-'"])
def test_any_text_comes_back(text: str) -> None:
    assert "\n".join("".join(part.text for part in line.parts) for line in patch_lines(text)) == text
