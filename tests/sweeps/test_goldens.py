"""Which golden belongs to which operator, what it needs, and how the rows of its cases are judged."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("golden_files")


@pytest.fixture
def goldens(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return importlib.import_module("goldens")


def golden(root: Path, folder: str, text: str = "") -> Path:
    file = root / folder / "tests" / "assets" / "golden.py"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_golden_belongs_to_the_folder_above_its_tests(files: Any, tmp_path: Path) -> None:
    shallow = golden(tmp_path / "one", "math/blend")
    golden(tmp_path / "one", "experimental/math/blend")
    golden(tmp_path / "two", "math/blend")
    other = golden(tmp_path / "two", "norm/center")
    (tmp_path / "two" / "golden.py").write_text("", encoding="utf-8")
    assert files.find_goldens([tmp_path / "one", tmp_path / "two"]) == {"blend": shallow, "center": other}


TABLE = "__golden__ = {'kernel': {'blend': 'blend_golden'}}\n"
CALLED = "def helper(x):\n    from torch.nn import functional\n    return functional.silu(x)\n"


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("import numpy as np\nimport torch.nn as nn\n" + TABLE + "def blend_golden(x): return x\n", {"numpy", "torch"}),
        (TABLE + CALLED + "def blend_golden(x): return helper(x)\n", {"torch"}),
        # The kernel's function does not call the other one.
        (TABLE + CALLED + "def blend_golden(x): return x\n", set()),
        (TABLE + "def blend_golden(x):\n    if x.ndim > 3:\n        import torch\n    return x\n", set()),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\n" + TABLE, set()),
        # Two functions that call each other, and a table that has to be worked out.
        (TABLE + "def a(x): return blend_golden(x)\ndef blend_golden(x): return a(x)\n", set()),
        ("import os\n__golden__ = {'kernel': dict(blend='blend_golden')}\n", {"os"}),
    ],
)
def test_what_a_golden_needs(files: Any, tmp_path: Path, text: str, needed: set[str]) -> None:
    assert files.needed_modules(golden(tmp_path, "math/blend", text), "blend") == needed


def case(state: str = "ok", reason: str = "", name: str = "c") -> dict[str, Any]:
    return {"name": name, "correct": state == "ok", "state": state, "reason": reason}


@pytest.mark.parametrize(
    ("row", "judgement"),
    [
        ({"cases": [case(), case()]}, ("agrees", "2 cases")),
        ({"cases": [case("failed", "stuck"), case("incorrect", "y[0] is 1, not 2"), case()]},
         ("disagrees", "1 of 3 cases: y[0] is 1, not 2")),
        ({"cases": [case("violation", "out of bounds"), case()]}, ("not run", "1 of 2 cases: out of bounds")),
        ({"cases": [case("reference", "it failed: ModuleNotFoundError: No module named 'torch'.")]},
         ("needs", "torch")),
        ({"cases": [case("reference", "it failed: ModuleNotFoundError: No module named 'hidden'.")]},
         ("not run", "1 of 1 cases: it failed: ModuleNotFoundError: No module named 'hidden'.")),
        ({"stage": "kernel", "reason": "no member named Foo"}, ("not run", "kernel: no member named Foo")),
    ],
)  # fmt: skip
def test_judging(goldens: Any, row: dict[str, Any], judgement: tuple[str, str]) -> None:
    assert goldens.judged(row) == judgement


def test_a_golden_that_needs_a_framework_starts_nothing(goldens: Any, tmp_path: Path) -> None:
    file = golden(tmp_path / "goldens", "math/blend", "import torch\n" + TABLE)
    broken = golden(tmp_path / "goldens", "math/broken", "def broken(:\n")
    row = goldens.compared(tmp_path / "src" / "math" / "blend", file)
    assert (row.operator, row.golden, row.verdict, row.reason) == ("math/blend", "goldens/math/blend", "needs", "torch")
    assert goldens.compared(tmp_path / "src" / "math" / "broken", broken).verdict == "not run"


def test_the_summary_counts_each_verdict(goldens: Any) -> None:
    rows = [
        goldens.Row("math/a", "x/math/a", "agrees"),
        goldens.Row("math/b", "x/math/b", "disagrees"),
        goldens.Row("math/c", "x/math/c", "needs", "torch"),
        goldens.Row("math/d", "x/math/d", "needs", "torch"),
    ]
    text = "4 of 9 operators have a golden: 1 agrees, 1 disagrees, 0 not run, 2 need torch"
    assert goldens.summary(rows, 9) == text
