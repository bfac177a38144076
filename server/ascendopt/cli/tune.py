"""`ascendopt tune`: the tiling search."""

from __future__ import annotations

from ascendopt.cli.episodes import (
    DEFAULT_BUDGET,
    BudgetOption,
    ExplainOption,
    OutOption,
    ResumeOption,
    SecondsOption,
    SeedOption,
    run_episode,
)
from ascendopt.cli.options import DeviceName, Json, Operator, Soc, Workers
from ascendopt.harness.tiling import tiling_episode


def command(
    operator: Operator,
    budget: BudgetOption = DEFAULT_BUDGET,
    seconds: SecondsOption = None,
    seed: SeedOption = 0,
    out: OutOption = None,
    resume: ResumeOption = False,
    explain: ExplainOption = False,
    workers: Workers = 1,
    device: DeviceName = "model",
    soc: Soc = None,
    as_json: Json = False,
) -> int:
    """Search better values for the numbers in an operator's tiling (tile bytes, buffer counts, core split
    ...).

    Writes journal, report and best.patch to the output folder; never the operator's own files.
    Exit code 1 when the operator fails a gate as it is, 2 when the request is wrong, 130 when cancelled.
    """
    return run_episode(
        "tune",
        operator,
        lambda target, where, folder: tiling_episode(target, where, folder, budget, seed),
        budget=budget,
        out=out,
        resume=resume,
        workers=workers,
        seconds=seconds,
        device=device,
        soc=soc,
        as_json=as_json,
        explain=explain,
    )
