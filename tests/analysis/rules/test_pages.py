"""The pages under docs/rules say what the docstrings say, and the translations are those of the docstrings of today."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from ascendopt.analysis.rules import pages
from ascendopt.analysis.rules.registry import codes

ROOT = Path(__file__).parents[3]


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rule_pages", ROOT / "tools" / "rule_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_current() -> None:
    wanted: dict[str, str] = tool().pages()
    folder = ROOT / "docs" / "rules"
    written = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    assert written == wanted, "run `make rules`"


def test_every_rule_is_translated_and_nothing_else() -> None:
    assert sorted(pages.translations()) == sorted(codes())


def test_translations_are_those_of_the_docstrings_of_today() -> None:
    stale = [code for code in codes() if pages.translations()[code].of != pages.fingerprint(code)]
    assert not stale, (
        f"the docstrings of {', '.join(stale)} have changed: change their translations in "
        "analysis/.../data/pages_zh, then run `python tools/rule_pages.py --translated CODE ...` and `make rules`"
    )


@pytest.mark.parametrize("code", codes())
def test_a_chinese_page_is_whole(code: str) -> None:
    text = pages.page(code, "zh")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == list(pages.ZH_HEADINGS)
    for heading, part in zip(pages.ZH_HEADINGS, re.split(r"^## .+\n", text, flags=re.MULTILINE)[1:], strict=True):
        assert part.strip(), heading
        if heading != "示例" and "```" not in part:
            assert re.search("[\u4e00-\u9fff]", part), f"{heading} is not Chinese"
    assert re.search("[\u4e00-\u9fff]", pages.title(code, "zh"))
    # The code of the example is that of the docstring; every comment has its place.
    bare = [re.sub(r"//.*", "//", pages.sections(code)["Example"]), re.sub(r"//.*", "//", text)]
    assert bare[0] in bare[1]
    comments = re.findall(r"//\s*\S", pages.sections(code)["Example"])
    assert len(pages.translations()[code].comments) in (0, len(comments))
    # Names in code of the prose are names of the docstring.
    names = set(re.findall(r"``([^`]+)``", text.replace("```", "")))
    known = pages.docstring(code)
    assert all(name in known.replace("\n", " ") for name in names), [name for name in names if name not in known]


def test_an_edited_docstring_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = pages.fingerprint("MEM001")
    from ascendopt.analysis.rules import mem001

    monkeypatch.setattr(mem001, "__doc__", f"{mem001.__doc__} More.")
    assert pages.fingerprint("MEM001") != before == pages.translations()["ASC-MEM001"].of
