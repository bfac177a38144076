"""Patterns: what they match, what they change, and that the way back restores every byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.findings import Fix, Span, TextEdit
from ascendopt.analysis.fixing import apply_fixes
from ascendopt.analysis.patterns import Match, PatternError, edits, instantiate, match, parse
from ascendopt.analysis.source.source_file import SourceFile

PATH = Path("k.cpp")


def source(text: str) -> SourceFile:
    return SourceFile.of(PATH, text.encode())


def apply(text: str, changes: tuple[TextEdit, ...]) -> str:
    return apply_fixes([Fix("", changes)], {PATH: text.encode()}).get(PATH, text.encode()).decode()


def only(text: str, pattern: str) -> Match:
    (found,) = match(source(text), parse(pattern))
    return found


def rewrite(text: str, before: str, after: str, **bindings: str) -> str:
    return apply(text, edits(only(text, before), parse(after), bindings))


KERNEL = """\
__aicore__ inline void Compute(int32_t n)
{
    LocalTensor<float> a = in.DeQue<float>();
    // scale first
    Duplicate(t, 2.0f, n);
    PipeBarrier<PIPE_V>();  // t is ready
    Mul(a, a, t, n);
    in.FreeTensor(a);
}
"""


# ------------------------------------------------------------------ matching


@pytest.mark.parametrize(
    ("text", "pattern", "bound"),
    [
        ("void f() { x = g(a + b, c[1]); }", "g($a, $b)", {"a": "a + b", "b": "c[1]"}),
        ("void f() { g(h(1, 2), {3, 4}); }", "g($a, $b);", {"a": "h(1, 2)", "b": "{3, 4}"}),
        ("void f() { g(); }", "g($$all);", {"all": ""}),
        ("void f() { g(1, /* two */ 2, 3); }", "g($a, $$rest);", {"a": "1", "rest": "2, 3"}),
        ("constexpr uint32_t N = 4;", "constexpr $type $name = $value;", {"type": "uint32_t", "value": "4"}),
        ("class C { TQue<QuePosition::VECIN, 1> q; };", "TQue<$pos, 1> $q;", {"pos": "QuePosition::VECIN", "q": "q"}),
        ("void f() { auto t = b.Get<float>(); }", "$b.Get<$type>()", {"b": "b", "type": "float"}),
        ("void f() { x = a[1][2]; }", "$a[2]", {"a": "a[1]"}),
        ("void f() { AscendC::Add(d, x, y, n); }", "Add($d, $$args);", {"d": "d", "args": "x, y, n"}),
        ("void f() { for (int i = 0; i < n; i++) { a(); b(); } }", "for ($$head) { $$body }", None),
    ],
)
def test_binds(text: str, pattern: str, bound: dict[str, str] | None) -> None:
    if bound is None:
        assert match(source(text), parse(pattern)) == []  # a loop head is no run of arguments: spell it out
        return
    found = only(text, pattern)
    assert {name: found.text(name) for name in bound} == bound
    for binding in found.bindings.values():
        assert text.encode()[binding.span.start : binding.span.end].decode() == binding.text


def test_equal_names_bind_equal_text() -> None:
    text = "void f() { Mul(a[ i ], a[i], b, n); Mul(a, c, b, n); Mul(x /* in */ + 1, x+1, y, n); }"
    found = match(source(text), parse("Mul($d, $d, $s, $n);"))
    assert [each.text("d") for each in found] == ["a[ i ]", "x /* in */ + 1"]


def test_statements_are_whole_and_of_one_block() -> None:
    text = "void f() { if (a) { p(); } q(); r(); }"
    assert match(source(text), parse("p();\nq();")) == []
    assert only(text, "q();\nr();").span == Span(text.index("q()"), text.index(" }", text.index("r()")))
    assert only("void f() { a(1); b(); c(); d(1); }", "a($x);\n$$between\nd($x);").text("between") == "b(); c();"


def test_an_operand_is_a_whole_expression() -> None:
    # a * b + c is (a * b) + c: there is no node b + c in it.
    assert [m.text("x") for m in match(source("void f() { y = a * b + c; }"), parse("$x + c"))] == ["a * b"]


def test_within() -> None:
    text = "void f() { g(1); } void h() { g(2); }"
    found = match(source(text), parse("g($x);"), Span(text.index("void h"), len(text)))
    assert [each.text("x") for each in found] == ["2"]


def test_masked_words_belong_to_their_declaration() -> None:
    text = "class C {\n    __aicore__ inline void Go() { a(); }\n};\n"
    found = only(text, "__aicore__ inline void $name() { $$body }")
    assert found.text("body") == "a();"
    assert text[found.span.start :].startswith("__aicore__")


def test_dead_branches_are_not_seen() -> None:
    text = (
        "#if defined(__CCE_AICORE__) && __CCE_AICORE__ == 100\nvoid f() { g(1); }\n#else\nvoid f() { g(2); }\n#endif\n"
    )
    live = SourceFile.of(PATH, text.encode(), {"__CCE_AICORE__": 220})
    assert [each.text("x") for each in match(live, parse("g($x);"))] == ["2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("Add($d, $x", "bracket open"),
        ("Add($d))", "not open"),
        ("Add($, $x);", "without a name"),
        ("Add($a, $$a);", "both"),
        ("for if else;", "neither"),
    ],
)
def test_wrong_patterns_raise_one_error(text: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        parse(text)


def test_a_run_alone_is_a_template_but_finds_nothing() -> None:
    with pytest.raises(PatternError, match="everything"):
        match(source("void f() { g(); }"), parse("$$all"))
    arms = "if (a) {\n        // first\n        g();\n        // on\n        h();\n    } else {\n        k();\n    }"
    text = f"void f() {{\n    {arms}\n}}\n"
    left = "void f() {\n    // first\n    g();\n    // on\n    h();\n}\n"
    assert rewrite(text, "if ($c) {\n    $$all\n} else {\n    k();\n}", "$$all") == left


def test_unbound_template_names_are_an_error() -> None:
    with pytest.raises(PatternError, match=r"\$s"):
        edits(only("void f() { Add(a, b, n); }", "Add($a, $b, $n);"), parse("Adds($a, $b, $s, $n);"))


# ------------------------------------------------------------------ rewriting

SLOW = "Duplicate($t, $s, $n);\n$$between\nMul($d, $x, $t, $n);"
FAST = "$$between\nMuls($d, $x, $s, $n);"


def test_statement_goes_with_its_line_and_the_rest_stays() -> None:
    expected = KERNEL.replace("    Duplicate(t, 2.0f, n);\n", "").replace("Mul(a, a, t, n)", "Muls(a, a, 2.0f, n)")
    assert rewrite(KERNEL, SLOW, FAST) == expected
    assert "// scale first" in expected and "// t is ready" in expected


ROUND_TRIPS = [
    (KERNEL, SLOW.replace("$$between", "$barrier;"), FAST.replace("$$between", "$barrier;"), {"t": "t"}),
    ("constexpr int32_t BUFFER_NUM = 1;  // queues\n", "constexpr $t $n = 1;", "constexpr $t $n = 2;", {}),
    ("void f() {\n    PipeBarrier< PIPE_ALL >( );\n}\n", "PipeBarrier<PIPE_ALL>();", "PipeBarrier<PIPE_V>();", {}),
    ("void f()\n{\n\tMaxs(y, x, 0.0f, n);\n}\n", "Maxs($d, $x, 0.0f, $n);", "Relu($d, $x, $n);", {}),
    ("void f() {\n    Relu(y, x, n);\n}\n", "Relu($d, $x, $n);", "Maxs($d, $x, 0.0f, $n);", {}),
    (
        "void f() {\n  a = 1;\n  Add(y, x, z, n);\n  b = 1;\n}\n",
        "Add($d, $x, $y, $n);",
        "for (uint32_t i = 0; i < $n; ++i) {\n    $d.SetValue(i, $x.GetValue(i) + $y.GetValue(i));\n}",
        {},
    ),
    (
        "void f() {\n    Fill(t, 1);\n    for (int i = 0; i < n; ++i) {\n        // use\n        Go(t, i);\n    }\n}\n",
        "Fill($t, $c);\nfor ($type $i = $low; $i < $n; ++$i) {\n    $$body\n}",
        "for ($type $i = $low; $i < $n; ++$i) {\n    Fill($t, $c);\n    $$body\n}",
        {},
    ),
    (
        "void f() {\n    Copy(a,\n         b[0],\n         4);\n    // done\n    Done();\n}\n",
        "Copy($a, $b, $n);\n$$rest\nDone();",
        "for (int i = 0; i < $n; ++i) {\n    Copy($a, $b, $n);\n    $$rest\n    Done();\n}",
        {},
    ),
    ("void f() { Add(a, b, c, n); Use(a); }\n", "Add($d, $x, $y, $n);", "Sub($d, $y, $x, $n);", {}),
    ("uint32_t n = ub / 4;\n", "$ub / 4", "$ub / 4 / 2", {}),
]


@pytest.mark.parametrize(("text", "before", "after", "extra"), ROUND_TRIPS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_there_and_back_restores_every_byte(
    text: str, before: str, after: str, extra: dict[str, str], newline: str
) -> None:
    text = text.replace("\n", newline)
    changed = rewrite(text, before, after)
    assert changed != text
    assert rewrite(changed, after, before, **extra) == text
    assert newline == "\n" or changed.count("\n") == changed.count("\r\n")


def test_moved_statements_take_the_indentation_of_their_block() -> None:
    text = "void f() {\n  Copy(a, b);\n  // then\n  Use(a,\n      b);\n}\n"
    after = "if (ready) {\n    Copy($a, $b);\n    Use($a, $b);\n}"
    assert rewrite(text, "Copy($a, $b);\nUse($a, $b);", after) == (
        "void f() {\n  if (ready) {\n    Copy(a, b);\n    // then\n    Use(a,\n        b);\n  }\n}\n"
    )


def test_qualified_names_stay_qualified() -> None:
    text = "void f() {\n    AscendC::Adds(y, x, s, n);\n}\n"
    slow = rewrite(text, "Adds($d, $x, $s, $n);", "Duplicate($t, $s, $n);\nAdd($d, $x, $t, $n);", t="t")
    assert slow == "void f() {\n    AscendC::Duplicate(t, s, n);\n    AscendC::Add(y, x, t, n);\n}\n"
    assert rewrite(slow, "Duplicate($t, $s, $n);\nAdd($d, $x, $t, $n);", "Adds($d, $x, $s, $n);") == text


def test_edits_are_small() -> None:
    text = "void f() {\n    Adds(y, x, s, n);  // shift\n}\n"
    changes = edits(only(text, "Adds($d, $x, $s, $n);"), parse("Muls($d, $x, $s, $n);"))
    assert [(text[e.span.start : e.span.end], e.new_text) for e in changes] == [("Adds", "Muls")]


def test_bytes_of_any_encoding_survive() -> None:
    data = b'void f() { g("\xff\xe9", n); }\n'
    found = match(SourceFile.of(PATH, data), parse("g($a, $n);"))[0]
    text = instantiate(parse("h($n, $a);"), {name: binding.text for name, binding in found.bindings.items()})
    assert text.encode("utf-8", "surrogateescape") == b'h(n, "\xff\xe9");'


def test_instantiate_indents_and_qualifies() -> None:
    template = parse("for (int i = 0; i < $n; ++i) {\n    Add($d, $d, $x[i], 8);\n}")
    text = instantiate(template, {"n": "4", "d": "y", "x": "x"}, indent="\t", newline="\r\n", step="\t", qualified=True)
    assert text == "for (int i = 0; i < 4; ++i) {\r\n\t\tAscendC::Add(y, y, x[i], 8);\r\n\t}"
