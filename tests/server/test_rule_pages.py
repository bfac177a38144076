"""Pages of the rules follow the locale of the client."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from ascendopt.server.rule_pages import RulePages


def text_at(address: str | None) -> str:
    assert address is not None
    return Path(unquote(urlparse(address).path)).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("locale", "heading"),
    [
        ("zh-cn", "## 规则说明"),
        ("zh_TW", "## 规则说明"),
        ("zh", "## 规则说明"),
        ("en-US", "## What it says"),
        ("de", "## What it says"),
        (None, "## What it says"),
    ],
)
def test_a_page_is_in_the_language_of_the_client(tmp_path: Path, locale: str | None, heading: str) -> None:
    pages = RulePages(tmp_path)
    pages.speak(locale)
    assert heading in text_at(pages.address("ASC-MEM001"))


def test_a_change_of_language_counts(tmp_path: Path) -> None:
    pages = RulePages(tmp_path)
    assert "Severity: error" in text_at(pages.address("ASC-MEM001"))
    pages.speak("zh-cn")
    assert "级别：错误（error）" in text_at(pages.address("ASC-MEM001"))
    assert pages.address("ASC-XXX999") is None
