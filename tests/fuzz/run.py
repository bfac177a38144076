"""`make fuzz`: random edits of an operator, each compared with a fresh analysis: `run.py [COUNT [SEED]]`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "analysis/facts")]

from fuzz.edits import run  # noqa: E402
from test_incremental import OPERATOR, analysed, opened_files  # noqa: E402


def main(count: int, seed: int) -> int:
    with TemporaryDirectory() as folder:
        opened = Path(folder) / "op_kernel/demo.cpp"
        files = opened_files(Path(folder), OPERATOR)
        failed = run(files, lambda files, *kept: analysed(files, opened, *kept), seed, count)
    print(failed or f"{count} edits from seed {seed}: each as a fresh analysis")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in (*sys.argv[1:], *("10000", "1")[len(sys.argv) - 1 :]))))
