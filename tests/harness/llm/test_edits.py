"""The answer format: what is taken, and the sentence for what is not."""

from __future__ import annotations

import pytest
from harness.llm.scripted_server import block
from hypothesis import given
from hypothesis import strategies as st

from ascendopt.harness.llm.edits import Answer, Edit, EditError, Regions, apply_edits, parse_answer

TEXTS = {
    "op_host/a.cpp": "int tile = 512;\nint core = 1;\nint tile2 = 512;\n",
    "op_kernel/a.cpp": "one\r\n  two\r\nthree\r\n",
}
ALL: Regions = dict.fromkeys(TEXTS)


def applied(*blocks: str, regions: Regions = ALL) -> dict[str, str]:
    return apply_edits(TEXTS, parse_answer("".join(blocks)).edits, regions)


def test_a_block_with_a_title_and_talk() -> None:
    text = (
        "Sure!\nCHANGE: bigger\x1b[31m tile\n```cpp\n"
        + block("op_host/a.cpp", "tile = 512", "tile = 1024")
        + "```\nBye"
    )
    answer = parse_answer(text)
    assert answer == Answer("bigger [31m tile", (Edit("op_host/a.cpp", ("tile = 512",), ("tile = 1024",)),))
    assert apply_edits(TEXTS, answer.edits, ALL) == {
        "op_host/a.cpp": "int tile = 1024;\nint core = 1;\nint tile2 = 512;\n"
    }


def test_several_blocks_refer_to_the_text_as_it_was() -> None:
    # Swapped: one after the other the second block would find the first one's result.
    changed = applied(
        block("op_host/a.cpp", "int core = 1;", "int tile = 512;"),
        block("op_host/a.cpp", "int tile = 512;", "int core = 1;"),
        block("op_kernel/a.cpp", "three", "3"),
    )
    assert changed == {
        "op_host/a.cpp": "int core = 1;\nint tile = 512;\nint tile2 = 512;\n",
        "op_kernel/a.cpp": "one\r\n  two\r\n3\r\n",
    }


def test_blocks_take_the_line_ends_of_the_file() -> None:
    assert applied(block("op_kernel/a.cpp", "one\n  two", "a\nb\nc"))["op_kernel/a.cpp"] == "a\r\nb\r\nc\r\nthree\r\n"
    crlf = block("op_host/a.cpp", "int core = 1;", "int core = 2;\nint x;").replace("\n", "\r\n")
    assert applied(crlf)["op_host/a.cpp"] == "int tile = 512;\nint core = 2;\nint x;\nint tile2 = 512;\n"


def test_lines_that_go_leave_no_empty_line() -> None:
    assert (
        applied(block("op_host/a.cpp", "int core = 1;", ""))["op_host/a.cpp"] == "int tile = 512;\nint tile2 = 512;\n"
    )
    assert applied(block("op_kernel/a.cpp", "  two", ""))["op_kernel/a.cpp"] == "one\r\nthree\r\n"


def test_what_a_model_thinks_aloud_is_no_answer() -> None:
    draft = block("op_host/a.cpp", "int core = 1;", "int core = 9;")
    final = block("op_host/a.cpp", "int core = 1;", "int core = 2;")
    assert "core = 2" in applied(f"<think>\n{draft}</think>\n{final}")["op_host/a.cpp"]


HOST = "op_host/a.cpp"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing to do", "holds no block"),
        ("", "holds no block"),
        (block("", "int core = 1;", "x"), "names no file"),
        (block("/etc/passwd", "root", "x"), "only files of the operator"),
        (block("C:\\x", "root", "x"), "only files of the operator"),
        (block("op_host\\a.cpp", "int core = 1;", "x"), "only files of the operator"),
        (block("../other/a.cpp", "x", "y"), "leaves the operator's folder"),
        (block("op_host/../op_host/a.cpp", "int core = 1;", "y"), "leaves the operator's folder"),
        (block("op_host/new.cpp", "x", "y"), "no file of the operator"),
        (block("./op_host/a.cpp", "int core = 1;", "y"), "no file of the operator"),
        (block(HOST, "int  core = 1;", "y"), "not in the file"),
        (block(HOST, " int core = 1;", "y"), "not in the file"),
        (block(HOST, "int core = 1; ", "y"), "not in the file"),
        (block(HOST, "= 512", "= 1"), "more than once"),
        (block(HOST, "", "y"), "no text to search"),
        (block(HOST, " ", "y"), "no text to search"),
        (block(HOST, "int core = 1;", "int core = 1;"), "by itself"),
        (block(HOST, "tile = 512", "tile = 1") + block(HOST, "int tile = 512;", "y"), "two blocks change the same"),
        (block(HOST, "int core = 1;", "int core = 2;\x1b[2J"), "control or invisible"),
        (block(HOST, "int core = 1;", "int core = 2; // \u202e x"), "control or invisible"),
        (block(HOST, "int core = 1;", "int core = 2; // ascendopt: ignore[ASC-MEM001]"), "for people to write"),
        (block(HOST, "int core = 1;", "y" * 30_000), "longer than 24000"),
        (block(HOST, "int core = 1;", "y") * 25, "has 25 blocks"),
        (f"<<<<<<< SEARCH {HOST}\nint core = 1;\n=======\nint core = 2;\n", "not finished"),
        (f"<<<<<<< SEARCH {HOST}\nint core = 1;\n", "not finished"),
        (f"<<<<<<< SEARCH {HOST}\nint core = 1;\n>>>>>>> REPLACE\n", "ends no block"),
        (f"<<<<<<< SEARCH {HOST}\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", "divides no block"),
        (f"<<<<<<< SEARCH {HOST}\na\n<<<<<<< SEARCH {HOST}\n", "starts another block"),
        ("=======\n", "divides no block"),
        (">>>>>>> REPLACE\n", "ends no block"),
    ],
)
def test_what_is_refused_and_why(text: str, says: str) -> None:
    with pytest.raises(EditError, match=says) as caught:
        applied(text)
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


def test_blocks_that_cancel_each_other_change_nothing() -> None:
    texts = {HOST: "ab\n"}
    edits = (Edit(HOST, ("a",), ("",)), Edit(HOST, ("b",), ("ab",)))
    with pytest.raises(EditError, match="change nothing"):
        apply_edits(texts, edits, {HOST: None})


def test_an_occurrence_that_overlaps_itself_counts() -> None:
    with pytest.raises(EditError, match="more than once"):
        apply_edits({HOST: "aaa"}, (Edit(HOST, ("aa",), ("b",)),), {HOST: None})


def test_only_the_lines_that_may_change() -> None:
    regions: Regions = {HOST: [(0, 15)]}  # "int tile = 512;"
    assert "tile = 64" in applied(block(HOST, "tile = 512", "tile = 64"), regions=regions)[HOST]
    with pytest.raises(EditError, match="not among the ones that may change"):
        applied(block(HOST, "core = 1", "core = 2"), regions=regions)
    with pytest.raises(EditError, match="not among"):
        applied(block(HOST, "tile = 512;\nint core", "x"), regions=regions)
    with pytest.raises(EditError, match="must stay as it is"):
        applied(block("op_kernel/a.cpp", "one", "1"), regions=regions)


@given(st.text(alphabet="<>=SEARCHREPLACE \n\r/.aop_hstc", max_size=200))
def test_any_text_is_an_answer_or_a_refusal(text: str) -> None:
    try:
        changed = applied(text)
    except EditError:
        return
    assert changed and set(changed) <= set(TEXTS)
