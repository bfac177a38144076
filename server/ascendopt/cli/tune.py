"""`ascendopt tune`: the tiling search."""

from __future__ import annotations

from ascendopt.cli.episodes import (
    DEFAULT_BUDGET,
    BudgetOption,
    ExplainOption,
    OutOption,
    ProfileOption,
    Request,
    ResumeOption,
    SecondsOption,
    SeedOption,
    run_episodes,
)
from ascendopt.cli.options import DeviceName, ExecutorName, Json, Operators, Soc, Workers
from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.tiling import tiling_episode


def command(
    operators: Operators,
    budget: BudgetOption = DEFAULT_BUDGET,
    seconds: SecondsOption = None,
    seed: SeedOption = 0,
    out: OutOption = None,
    resume: ResumeOption = False,
    explain: ExplainOption = False,
    workers: Workers = None,
    executor: ExecutorName = "local",
    profile: ProfileOption = None,
    device: DeviceName = "model",
    soc: Soc = None,
    as_json: Json = False,
) -> int:
    """Search better values for the numbers in an operator's tiling (tile bytes, buffer counts, core split
    ...).

    Writes journal, report and best.patch to the output folder, of several operators to one folder each below it; never
    the operator's own files.
    Exit code 1 when the operator fails a gate as it is, 2 when the request is wrong, 130 when cancelled.
    """
    where = Executors(executor, workers)
    request = Request("tune", budget, out, resume, where, seconds, device, soc, as_json, profile, explain)
    return run_episodes(
        request,
        operators,
        lambda target, where, folder: tiling_episode(target, where, folder, budget, seed),
    )
