"""The pages under docs/rules say what the docstrings say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rule_pages", ROOT / "tools" / "rule_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_current() -> None:
    wanted: dict[str, str] = tool().pages()
    written = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert written == wanted, "run `make rules`"
