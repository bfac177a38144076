"""`ascendopt bench`: methods compared over operators under one budget."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ascendopt.cli.episodes import OutOption, SeedOption, interruptible, open_operators, output_folder, terminal_token
from ascendopt.cli.experience import BankOption, open_experience
from ascendopt.cli.main import EXIT_CANCELLED, EXIT_FINDINGS, EXIT_OK, UserError
from ascendopt.cli.options import DeviceName, ExecutorName, Soc, Workers
from ascendopt.cli.progress import Progress
from ascendopt.harness.bench.bench import bench
from ascendopt.harness.bench.methods import methods
from ascendopt.harness.bench.results import PAGE_NAME, BenchPlan, BenchResult
from ascendopt.harness.cancelling import Cancelled
from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.gates.profile import MARGIN
from ascendopt.harness.opening import Devices
from ascendopt.harness.refine.experience import NoExperience
from ascendopt.harness.report.model import LEVELS, EpisodeReport
from ascendopt.harness.target import open_device

DEFAULT_METHODS = "full,stage1,no-experience,stage2,best-of-n"


def command(
    operators: Annotated[list[Path], typer.Argument(metavar="PATH...", help="operators")],
    chosen: Annotated[str, typer.Option("--methods", help="with commas")] = DEFAULT_METHODS,
    budget: Annotated[int, typer.Option("--budget", min=1, help="attempts an operator and method")] = 60,
    seed: SeedOption = 0,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="runs an operator and method: SEED, SEED + 1, ...")] = 1,
    bank: BankOption = None,
    out: OutOption = None,
    workers: Workers = None,
    executor: ExecutorName = "local",
    margin: Annotated[float, typer.Option("--margin", min=0.1, help="per cent by which faster counts")] = MARGIN * 100,
    device: DeviceName = "model",
    soc: Soc = None,
) -> int:
    """Run methods on operators, each on its own budget; writes metrics.json and report.html.

    Runs that are there already are read, stopped ones resumed. Exit code 1 when an operator could not be run,
    2 when the request is wrong, 130 when cancelled.
    """
    names = _methods(chosen)
    executors = Executors(executor, workers)
    devices = Devices(device)
    targets = open_operators(devices, operators, soc)
    if len({target.soc for target in targets}) > 1:
        raise UserError("the operators name different chips; choose one with --soc.")
    folder = output_folder(out, "bench", False)
    experience = open_experience(bank) if any(methods()[name].retrieves for name in names) else NoExperience()
    where = devices.on(targets[0].soc)
    factory = executors.factory(where, partial(open_device, device, targets[0].soc))
    plan = BenchPlan(tuple(names), budget, tuple(range(seed, seed + seeds)), margin / 100)
    token = terminal_token()
    try:
        with Progress(len(targets) * len(names) * seeds, "bench") as progress, interruptible(token):

            def done(operator: str, method: str, seed: int, report: EpisodeReport | None) -> None:
                gain = f"{report.speedup:.3f}x" if report is not None else "nothing to change"
                progress.advance(f"{operator}, {method}, seed {seed}: {gain}")

            result = bench(targets, where, plan, experience, folder, cancel=token, on_run=done, executor=factory)
    except Cancelled:
        sys.stderr.write("cancelled; the same command with the same --out goes on\n")
        return EXIT_CANCELLED
    finally:
        devices.close()
    console = Console(highlight=False, emoji=False)
    print_bench(result, console)
    console.print(f"Report: {folder / PAGE_NAME}", markup=False, soft_wrap=True)
    return EXIT_FINDINGS if result.left_out else EXIT_OK


def _methods(text: str) -> list[str]:
    known = methods()
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise UserError(f"there is no method '{', '.join(unknown)}'; known are {', '.join(known)}.")
    return names


def print_bench(result: BenchResult, console: Console) -> None:
    """Methods, each against each, and what was left out."""
    table = Table()
    table.add_column("method", no_wrap=True)
    for header in ("n", "geometric mean [95 %]", *(f"> {level}x" for level in LEVELS)):
        table.add_column(header, justify="right", no_wrap=True)
    for name, one in result.metrics.items():
        shares = (f"{one.fast[level]:.0%}" for level in LEVELS)
        table.add_row(name, str(one.n), _with_interval(one.gm, one.interval), *shares)
    console.print(table)
    if result.comparisons:
        console.print(_against_each_other(result))
    for name, reason in result.left_out.items():
        console.print(Text(f"left out: {name}: {reason}"))


def _against_each_other(result: BenchResult) -> Table:
    table = Table()
    table.add_column("method", no_wrap=True)
    table.add_column("against", no_wrap=True)
    table.add_column("ratio [95 %]", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("operators better, equal, worse", justify="right")
    for one in result.comparisons:
        counts = f"{one.better}, {one.equal}, {one.worse}"
        table.add_row(one.method, one.other, _with_interval(one.ratio, one.interval), one.verdict, counts)
    return table


def _with_interval(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.3f}x [{interval[0]:.3f}, {interval[1]:.3f}]"
