"""The bank and the proposer that refinement works with, as options of several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ascendopt.bank.opening import open_bank
from ascendopt.harness.refine.experience import BankExperience, Experience

BankOption = Annotated[
    Path | None,
    typer.Option("--bank", metavar="DIR", help="folder of the bank; without it, your own in the data folder"),
]


def open_experience(bank: Path | None) -> Experience:
    """The bank as it is now: what is learnt meanwhile does not change a run. Raises BankError."""
    return BankExperience(open_bank(bank, frozen=True))
