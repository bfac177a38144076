"""`ascendopt refine`: rewrites of the kernel."""

from __future__ import annotations

from ascendopt.cli.episodes import (
    DEFAULT_BUDGET,
    BudgetOption,
    OutOption,
    ProfileOption,
    Request,
    ResumeOption,
    SecondsOption,
    SeedOption,
    run_episodes,
)
from ascendopt.cli.experience import (
    BankOption,
    BaseUrlOption,
    ModelOption,
    ProposerKind,
    ProposerOption,
    TokensOption,
    model_session,
    open_experience,
)
from ascendopt.cli.options import DeviceName, ExecutorName, Json, Operators, Soc, Workers
from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.refine.episodes import refine_episode


def command(
    operators: Operators,
    budget: BudgetOption = DEFAULT_BUDGET,
    seconds: SecondsOption = None,
    seed: SeedOption = 0,
    bank: BankOption = None,
    proposer: ProposerOption = ProposerKind.STRUCTURAL,
    base_url: BaseUrlOption = None,
    model: ModelOption = None,
    tokens: TokensOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    workers: Workers = None,
    executor: ExecutorName = "local",
    profile: ProfileOption = None,
    device: DeviceName = "model",
    soc: Soc = None,
    as_json: Json = False,
) -> int:
    """Rewrite a kernel by measured experience (Stage I): symptoms, retrieved motifs, gates, the best so far as base.

    Writes journal, report and best.patch to the output folder, of several operators to one folder each below it; never
    the operator's own files.
    Exit code 1 when the operator fails a gate as it is, 2 when the request is wrong, 130 when cancelled.
    """
    where = Executors(executor, workers)
    experience = open_experience(bank)
    with model_session(proposer, base_url, model, tokens) as session:
        request = Request("refine", budget, out, resume, where, seconds, device, soc, as_json, profile)
        return run_episodes(
            request,
            operators,
            lambda target, where, folder: refine_episode(target, where, folder, budget, seed, experience, session),
        )
