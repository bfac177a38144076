"""The rules of the house that no linter knows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE_ROOTS = ("server", "analysis", "bank", "harness")


def tracked() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, timeout=60).stdout
    return [ROOT / name for name in names.decode().split("\0") if name]


def test_the_namespace_stays_open() -> None:
    """An `ascendopt/__init__.py` would hide the other three source roots."""
    assert not [root for root in SOURCE_ROOTS if (ROOT / root / "ascendopt" / "__init__.py").exists()]


def test_every_top_level_folder_says_what_it_is() -> None:
    missing = [
        name
        for name in (*SOURCE_ROOTS, "tests", "samples", "vscode-client")
        if not (ROOT / name / "README.md").exists()
    ]
    assert missing == []


def test_no_lock_file_names_a_registry() -> None:
    """Downloads come from wherever the user's tools are set up to get them."""
    locks = [path for path in tracked() if path.name in ("package-lock.json", "constraints.txt", ".npmrc")]
    assert locks
    assert not [path for path in locks if re.search(r"https?://", path.read_text())]
