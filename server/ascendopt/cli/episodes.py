"""What the commands that run an episode share: folder, progress, cancelling, the result."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from ascendopt.cli.main import EXIT_CANCELLED, EXIT_FINDINGS, EXIT_OK, UserError
from ascendopt.cli.outcomes import Outcomes, show_result, show_summary, write_page
from ascendopt.cli.progress import Progress, preparation
from ascendopt.cli.work_order import work_order
from ascendopt.harness.cancelling import Cancelled, CancelToken
from ascendopt.harness.devices.base import Device
from ascendopt.harness.episode import Episode, EpisodeError
from ascendopt.harness.episode_result import EpisodeResult, TrialEvent
from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.journal.events import FILE_NAME
from ascendopt.harness.op_summary import read_op_summary
from ascendopt.harness.opening import Devices
from ascendopt.harness.target import Target, TargetError, open_device

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
ProfileOption = Annotated[
    Path | None,
    typer.Option("--profile", help="msprof's op_summary CSV: operators with most of its time to win come first"),
]

MakeEpisode = Callable[[Target, Device, Path], Episode]


@dataclass(frozen=True)
class Request:
    """What the user asked for, beside the operators: the same for each of them. ``name`` is the command's."""

    name: str
    budget: int
    out: Path | None
    resume: bool
    executors: Executors
    seconds: float | None
    device: str
    soc: str | None
    as_json: bool
    profile: Path | None = None
    explain: bool = False


def run_episodes(request: Request, operators: Sequence[Path], make: MakeEpisode) -> int:
    """Run the episodes that ``make`` builds, show their progress and results; the exit code."""
    profile = read_op_summary(request.profile) if request.profile is not None else None
    token = terminal_token()
    with Devices(request.device) as devices:
        targets = open_operators(devices, operators, request.soc)
        first = targets[0].sources.name
        folder = output_folder(request.out, first if len(targets) == 1 else request.name, request.resume)
        try:
            with interruptible(token):
                if profile is not None:
                    targets = work_order(targets, devices, profile, token)
                runs = _Runs(request, devices, token, make)
                if len(targets) == 1:
                    done = runs.run(targets[0], folder, request.resume)
                    show_result(targets[0], folder, done, request.as_json, request.explain)
                    return EXIT_OK
                outcomes = runs.run_all(targets, folder)
        except Cancelled:
            named = " ".join(map(str, operators))
            sys.stderr.write(f"cancelled; continue with: ascendopt {request.name} {named} --out {folder} --resume\n")
            return EXIT_CANCELLED
        except EpisodeError as error:
            sys.stderr.write(f"ascendopt: {error}\n")
            return EXIT_FINDINGS
    show_summary(outcomes, folder, request.as_json)
    return EXIT_FINDINGS if outcomes.left_out else EXIT_OK


def open_operators(devices: Devices, operators: Sequence[Path], soc: str | None) -> list[Target]:
    """The operators of one command, whose results go to folders with their names."""
    with preparation() as building:
        targets = [devices.open(operator, soc, None, building)[0] for operator in operators]
    names = [target.sources.name for target in targets]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"two of the operators are named {twice}; their results would go to one folder.")
    return targets


class _Runs:
    """Runs episodes of one request."""

    def __init__(self, request: Request, devices: Devices, token: CancelToken, make: MakeEpisode) -> None:
        self._request = request
        self._devices = devices
        self._token = token
        self._make = make

    def run(self, target: Target, folder: Path, resume: bool) -> EpisodeResult:
        """One episode. Raises Cancelled, EpisodeError, TargetError."""
        request = self._request
        device = self._devices.on(target.soc)
        episode = self._make(target, device, folder)
        with Progress(request.budget, f"{request.name} {target.sources.name}") as progress:
            shown = _Shown(progress)
            return episode.run(
                resume=resume,
                cancel=self._token,
                on_trial=shown.trial,
                on_phase=progress.say,
                executor=request.executors.factory(device, partial(open_device, request.device, target.soc)),
                seconds=request.seconds,
            )

    def run_all(self, targets: Sequence[Target], folder: Path) -> Outcomes:
        """One after the other, each in a folder below ``folder``; what can't run is left out. Raises Cancelled."""
        outcomes = Outcomes()
        for target in targets:
            name = target.sources.name
            place = folder / name
            started = self._request.resume and (place / FILE_NAME).is_file()
            try:
                outcomes.results[name] = self.run(target, place, started)
            except (EpisodeError, TargetError) as error:
                outcomes.left_out[name] = str(error)
                continue
            write_page(place)
        return outcomes


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
