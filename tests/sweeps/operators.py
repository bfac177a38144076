"""Runs the operators of the workload catalogue from a checkout of cann-ops: `operators.py CANN_OPS`.

Prints a line an operator: cases that pass, pass under a doubt, or fail, and the largest relative error.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

OPERATORS = (
    *("math/add_custom", "math/lerp", "math/sqrt", "math/xlogy", "activation/swi_glu"),
    *("foreach/foreach_exp", "foreach/foreach_add_list", "norm/rms_norm"),
)


def main(checkout: Path) -> int:
    failed = 0
    print(f"{'operator':28}{'cases':>6}{'right':>7}{'doubt':>7}{'wrong':>7}  dtypes, largest relative error")
    for name in OPERATORS:
        cases = run(checkout / "src" / name)
        right = [case for case in cases if case["correct"] and not case["as_meant"]]
        doubt = [case for case in cases if case["correct"] and case["as_meant"]]
        wrong = [case for case in cases if not case["correct"]]
        failed += len(wrong)
        dtypes = sorted({dtype for case in cases for dtype in case["dtypes"].values()})
        error = max((case["max_rel_error"] or 0.0 for case in cases), default=0.0)
        print(f"{name:28}{len(cases):6}{len(right):7}{len(doubt):7}{len(wrong):7}  {', '.join(dtypes)}, {error:.2g}")
        for case in wrong:
            print(f"    {case['name']}: {case['reason']}")
    return 1 if failed else 0


def run(operator: Path) -> list[dict[str, Any]]:
    command = [str(Path(sys.executable).parent / "ascendopt"), "run", str(operator), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stderr.strip())
    return json.loads(done.stdout)["cases"]


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "src").is_dir():
        sys.exit("usage: operators.py CANN_OPS, a checkout of cann-ops")
    sys.exit(main(Path(sys.argv[1])))
