"""`make measurements`: published kernel times against the model device, family by family.

Every point with parameters is a kernel of ours with those parameters, compiled and run on the model device
(`tests/harness/model/published`). `--json` writes every point; `--table` writes what `ascendopt device doctor` shows.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from harness.model.published.measure import POINTS, Bench, Result, Row, read_points, rows  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=Path, default=POINTS, help="file of published points")
    parser.add_argument("--families", default="", help="only these, comma separated")
    parser.add_argument("--samples", type=int, default=200, help="parameter sets of the interval")
    parser.add_argument("--json", type=Path, help="write every point here")
    parser.add_argument("--table", type=Path, help="write the table of the doctor here")
    arguments = parser.parse_args()
    points = read_points(arguments.points)
    if arguments.families:
        wanted = arguments.families.split(",")
        points = [point for point in points if point["family"] in wanted]
    bench = Bench(arguments.samples)
    try:
        results = bench.points(points)
    finally:
        bench.close()
    table = rows(results)
    for line in _lines(table, results):
        print(line)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n")
    if arguments.table:
        arguments.table.write_text(_doctor(table))
    return 0


def _lines(table: list[Row], results: list[Result]) -> list[str]:
    lines = [f"{'family':18} {'driven':>8} {'median':>7} {'p90':>7} {'worst':>7} {'order':>10} {'in 95 %':>8}"]
    lines += [
        f"{row.family:18} {f'{row.driven}/{row.points}':>8} {row.median:7.1%} {row.p90:7.1%} {row.worst:7.1%} "
        f"{f'{row.right_order}/{row.pairs}':>10} {f'{row.covered}/{row.driven}':>8}"
        for row in table
        if row.driven
    ]
    reasons: dict[str, int] = {}
    for result in results:
        if result.modelled is None:
            reasons[result.why] = reasons.get(result.why, 0) + 1
    return [*lines, *(f"not driven: {count}, {why}" for why, count in sorted(reasons.items()))]


def _doctor(table: list[Row]) -> str:
    families = [
        {
            "family": row.family,
            "points": row.driven,
            "median": round(row.median, 4),
            "p90": round(row.p90, 4),
            "right_order": row.right_order,
            "pairs": row.pairs,
            "covered": row.covered,
        }
        for row in table
        if row.driven
    ]
    head = json.dumps({"date": datetime.date.today().isoformat()})[:-1]
    body = ",\n  ".join(json.dumps(family) for family in families)
    return f'{head}, "families": [\n  {body}\n]}}\n'


if __name__ == "__main__":
    sys.exit(main())
