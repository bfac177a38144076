"""`make bench`: every figure with its target. Arguments choose parts: `run.py replay timing`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
os.chdir(ROOT)

from bench import compile, evaluation, functional, keystroke, replay, reproducible, rewrites, timing  # noqa: E402

PARTS = (compile, timing, replay, functional, evaluation, rewrites, reproducible, keystroke)


def main() -> int:
    met = True
    chosen = [part for part in PARTS if not sys.argv[1:] or part.__name__.removeprefix("bench.") in sys.argv[1:]]
    for part in chosen:
        for line in part.lines():
            print(line, flush=True)
            met &= line.met
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
