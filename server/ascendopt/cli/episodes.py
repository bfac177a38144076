"""What the commands that run an episode share: folder, progress, cancelling, the result."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from ascendopt.cli.main import EXIT_CANCELLED, EXIT_FINDINGS, EXIT_OK, UserError
from ascendopt.cli.progress import Progress, preparation
from ascendopt.harness.cancelling import Cancelled, CancelToken
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeError
from ascendopt.harness.episode_result import EpisodeResult, TrialEvent
from ascendopt.harness.executors.choice import executors
from ascendopt.harness.opening import Devices
from ascendopt.harness.report.html import render_html
from ascendopt.harness.report.model import read_report
from ascendopt.harness.report.terminal import explain_rejections, print_report
from ascendopt.harness.target import Target, open_device

RUNS = "ascendopt-runs"
DEFAULT_BUDGET = 210

BudgetOption = Annotated[int, typer.Option("--budget", min=1, help="attempts: tries that reach compile")]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", min=0.001, help="begin no attempt after so many; runs then differ from each other"),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="equal seeds give equal runs")]
OutOption = Annotated[Path | None, typer.Option("--out", help=f"folder for the results [{RUNS}/<operator>-<n>]")]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="say why candidates were rejected, by reason, with the numbers concerned")
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="continue the stopped run in --out")]


def run_episode(
    name: str,
    operator: Path,
    make: Callable[[Target, Device, Path], Episode],
    *,
    budget: int,
    out: Path | None,
    resume: bool,
    workers: int,
    seconds: float | None,
    device: str,
    soc: str | None,
    as_json: bool,
    explain: bool = False,
) -> int:
    """Run the episode that ``make`` builds, show its progress and its result; the exit code."""
    token = terminal_token()
    devices = Devices(device)
    with preparation() as building:
        target, where = devices.open(operator, soc, None, building)
    folder = output_folder(out, target.sources.name, resume)
    try:
        episode = make(target, where, folder)
        with Progress(budget, f"{name} {target.sources.name}") as progress, interruptible(token):
            shown = _Shown(progress)
            result = episode.run(
                resume=resume,
                cancel=token,
                on_trial=shown.trial,
                on_phase=progress.say,
                executor=executors(workers, partial(open_device, device, target.soc)),
                seconds=seconds,
            )
    except Cancelled:
        sys.stderr.write(f"cancelled; continue with: ascendopt {name} {operator} --out {folder} --resume\n")
        return EXIT_CANCELLED
    except EpisodeError as error:
        sys.stderr.write(f"ascendopt: {error}\n")
        return EXIT_FINDINGS
    finally:
        devices.close()
    _finish(target, folder, result, as_json, explain)
    return EXIT_OK


class _Shown:
    """Turns trial events into progress: attempts advance the bar, free rejections do not."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._attempts = 0

    def trial(self, event: TrialEvent) -> None:
        state = f"{event.evaluation.speedup:.3f}x" if event.evaluation.timed else event.evaluation.state.value
        best = event.baseline_us / event.best_us
        self._progress.advance(f"{state} (best {best:.3f}x) {event.note}", event.attempts - self._attempts)
        self._attempts = event.attempts


def _finish(target: Target, folder: Path, result: EpisodeResult, as_json: bool, explain: bool) -> None:
    report = read_report(folder)
    (folder / "report.html").write_text(render_html(report), encoding="utf-8")
    if as_json:
        json.dump(result.to_json(), sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    console = Console(highlight=False)
    print_report(report, console)
    if explain:
        console.print(explain_rejections(report))
    if result.ended:
        console.print(f"Ended early: {result.ended}", markup=False)
    for note in target.notes:
        console.print(f"Note: {note}.", markup=False)
    if result.patch:
        console.print(f"Patch: {folder / 'best.patch'}", markup=False, soft_wrap=True)
    console.print(f"Report: {folder / 'report.html'}", markup=False, soft_wrap=True)


def output_folder(out: Path | None, name: str, resume: bool) -> Path:
    """The output folder; without --out the first free number, or with --resume the last one used."""
    if out is not None:
        if out.exists() and not out.is_dir():
            raise UserError(f"{out} is a file; --out needs a folder.")
        return out
    number = 1
    while (Path(RUNS) / f"{name}-{number}").exists():
        number += 1
    if resume:
        if number == 1:
            raise UserError(f"there is no run of {name} under {RUNS}/ to resume; name its folder with --out.")
        number -= 1
    return Path(RUNS) / f"{name}-{number}"


def terminal_token() -> CancelToken:
    """A token for ``interruptible``: a run that rests stops this process, so that a shell gets its terminal back."""
    return CancelToken(on_pause=lambda: os.kill(os.getpid(), signal.SIGSTOP))


@contextmanager
def interruptible(token: CancelToken) -> Generator[None, None, None]:
    """The first Ctrl-C interrupts what is evaluated and cleans up, the second does not clean up.

    Ctrl-Z (SIGTSTP) lets the running attempts end and stops then; fg, bg or SIGCONT go on. Attempts are bounded in
    time, so they can't just be stopped where they are.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        token.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def rest(_number: int, _frame: FrameType | None) -> None:
        token.pause()

    def go_on(_number: int, _frame: FrameType | None) -> None:
        token.resume()

    handlers = {signal.SIGINT: stop, signal.SIGTERM: stop, signal.SIGTSTP: rest, signal.SIGCONT: go_on}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
