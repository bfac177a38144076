"""What starts quickly must not import what is heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("lancedb", "openai", "numpy", "pyarrow", "optuna")


@pytest.mark.parametrize(
    "module",
    [
        "ascendopt.server",
        "ascendopt.bank.motif",
        "ascendopt.bank.retrieval",
        "ascendopt.bank.packs",
        "ascendopt.cli.bank",
    ],
)
def test_importing_it_imports_nothing_heavy(module: str) -> None:
    code = f"import {module}, sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert run.stdout.split() == []
