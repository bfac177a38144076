"""`make bench`: every figure with its target."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
os.chdir(ROOT)

from bench import compile, evaluation, keystroke  # noqa: E402


def main() -> int:
    met = True
    for part in (compile, evaluation, keystroke):
        for line in part.lines():
            print(line, flush=True)
            met &= line.met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
