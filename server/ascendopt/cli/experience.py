"""The bank and the proposer that refinement works with, as options of several commands."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ascendopt.bank.opening import open_bank
from ascendopt.cli.main import UserError
from ascendopt.harness.llm.client import ChatModel
from ascendopt.harness.llm.session import ModelSession
from ascendopt.harness.llm.settings import ModelSettings
from ascendopt.harness.refine.experience import BankExperience, Experience


class ProposerKind(str, Enum):
    """Who writes candidates."""

    STRUCTURAL = "structural"
    LLM = "llm"


BankOption = Annotated[
    Path | None,
    typer.Option("--bank", metavar="DIR", help="folder of the bank; without it, your own in the data folder"),
]
ProposerOption = Annotated[ProposerKind, typer.Option("--proposer", help="who writes the rewrites")]
BaseUrlOption = Annotated[
    str | None, typer.Option("--base-url", help="OpenAI-compatible server [ASCENDOPT_BASE_URL], for --proposer llm")
]
ModelOption = Annotated[str | None, typer.Option("--model", help="its model [ASCENDOPT_MODEL]")]
TokensOption = Annotated[int | None, typer.Option("--tokens", min=1, help="cap of tokens, in and out together")]


def open_experience(bank: Path | None) -> Experience:
    """The bank as it is now: what is learnt meanwhile does not change a run. Raises BankError."""
    return BankExperience(open_bank(bank, frozen=True))


@contextmanager
def model_session(
    proposer: ProposerKind, base_url: str | None, model: str | None, tokens: int | None
) -> Generator[ModelSession | None, None, None]:
    """The connection to a language model, None for the structural proposer. Raises UserError, ModelSettingsError."""
    if proposer is ProposerKind.STRUCTURAL:
        yield None
        return
    place = base_url or os.environ.get("ASCENDOPT_BASE_URL", "")
    name = model or os.environ.get("ASCENDOPT_MODEL", "")
    if not place or not name:
        raise UserError("--proposer llm needs --base-url and --model (or ASCENDOPT_BASE_URL and ASCENDOPT_MODEL).")
    with ChatModel(ModelSettings(place, name)) as chat:
        yield ModelSession(chat, tokens)
