"""The results of episodes on stdout: one operator in full, several in one table."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ascendopt.harness.episode_result import EpisodeResult
from ascendopt.harness.report.html import render_html
from ascendopt.harness.report.model import read_report
from ascendopt.harness.report.terminal import explain_rejections, gain_text, print_report
from ascendopt.harness.target import Target

PAGE = "report.html"


@dataclass
class Outcomes:
    """By operator in the order of the runs: results, and why others could not be run."""

    results: dict[str, EpisodeResult] = field(default_factory=dict[str, EpisodeResult])
    left_out: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def speedup(self) -> float:
        """Geometric mean over the operators that were run; 1 without any."""
        gains = [speedup_of(result) for result in self.results.values()]
        return exp(sum(map(log, gains)) / len(gains)) if gains else 1.0

    def to_json(self) -> dict[str, Any]:
        """``operators``: the objects that a run of each alone prints."""
        return {
            "operators": [result.to_json() for result in self.results.values()],
            "left_out": self.left_out,
            "speedup": self.speedup,
        }


def speedup_of(result: EpisodeResult) -> float:
    """Of the winner; 1 without one."""
    return (result.best.speedup if result.best else None) or 1.0


def write_page(folder: Path) -> None:
    """The report of the journal in ``folder`` as a page beside it."""
    (folder / PAGE).write_text(render_html(read_report(folder)), encoding="utf-8")


def show_result(target: Target, folder: Path, result: EpisodeResult, as_json: bool, explain: bool = False) -> None:
    """One operator; also writes its page. ``explain``: with why candidates were rejected."""
    write_page(folder)
    if as_json:
        _print_json(result.to_json())
        return
    console = Console(highlight=False)
    report = read_report(folder)
    print_report(report, console)
    if explain:
        console.print(explain_rejections(report))
    if result.ended:
        console.print(f"Ended early: {result.ended}", markup=False)
    for note in target.notes:
        console.print(f"Note: {note}.", markup=False)
    if result.patch:
        console.print(f"Patch: {folder / 'best.patch'}", markup=False, soft_wrap=True)
    console.print(f"Report: {folder / PAGE}", markup=False, soft_wrap=True)


def show_summary(outcomes: Outcomes, folder: Path, as_json: bool) -> None:
    """Several operators."""
    if as_json:
        _print_json(outcomes.to_json())
        return
    console = Console(highlight=False, emoji=False)
    table = Table()
    table.add_column("operator", no_wrap=True)
    for header in ("before us", "after us", "speed-up [95 %]", "attempts"):
        table.add_column(header, justify="right", no_wrap=True)
    for name, result in outcomes.results.items():
        interval = result.best.interval if result.best else None
        gain = gain_text(speedup_of(result), interval)
        table.add_row(
            Text(name), f"{result.baseline_us:.2f}", f"{result.best_us:.2f}", gain, str(result.budget.attempts)
        )
    console.print(table)
    if outcomes.results:
        label = "modelled" if next(iter(outcomes.results.values())).modelled else "measured"
        console.print(f"Geometric mean: {outcomes.speedup:.3f}x {label}.", markup=False)
    for name, reason in outcomes.left_out.items():
        console.print(Text(f"left out: {name}: {reason}"))
    console.print(f"Reports and patches: {folder}/<operator>/", markup=False, soft_wrap=True)


def _print_json(content: dict[str, Any]) -> None:
    json.dump(content, sys.stdout, indent=1)
    sys.stdout.write("\n")
