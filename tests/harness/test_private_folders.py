"""Private folders go with their process; what a killed one left goes when the next is made."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from ascendopt.harness.private_folders import PrivateFolder

HARNESS = Path(__file__).parents[2] / "harness"
KILLED = """
    import os, signal, sys
    from pathlib import Path
    sys.path.append(sys.argv[2])
    from ascendopt.harness.private_folders import PrivateFolder
    folder = PrivateFolder(Path(sys.argv[1]))
    (folder.path / "inner").mkdir()
    (folder.path / "inner" / "file").write_text("left")
    if sys.argv[3] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def child(base: Path, ending: str) -> int:
    command = [sys.executable, "-c", textwrap.dedent(KILLED), base, HARNESS, ending]
    return subprocess.run([str(part) for part in command], timeout=60, check=False).returncode


def test_a_folder_goes_at_the_end_of_the_block(tmp_path: Path) -> None:
    with PrivateFolder(tmp_path) as folder:
        (folder / "file").write_text("x")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_a_folder_goes_with_its_process(tmp_path: Path) -> None:
    assert child(tmp_path, "end") == 0
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_goes_and_nothing_else(tmp_path: Path) -> None:
    with PrivateFolder(tmp_path) as living:
        (tmp_path / "ascendopt-notes").mkdir()
        (tmp_path / "ascendopt-notes" / "mine").write_text("kept")
        assert child(tmp_path, "kill") == -9
        (left,) = tmp_path.glob("ascendopt-*/inner")
        with PrivateFolder(tmp_path) as other:
            assert not left.exists()
            assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {
                "ascendopt-notes",
                living.name,
                other.name,
            }
    assert [path.name for path in tmp_path.iterdir()] == ["ascendopt-notes"]
