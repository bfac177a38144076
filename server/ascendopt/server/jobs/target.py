"""The operator that a job works on, with the editor's texts, and the bank that it learns from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.target import Target, open_target


def target_of(operator: Path, soc: str, overlay: Mapping[str, str]) -> Target:
    """The operator with the editor's texts in place of the disk's. `soc` empty: the chip of its workload."""
    target = open_target(operator, soc or None)
    return replace(target, sources=overlaid(target.sources, overlay))


def overlaid(sources: OperatorSources, overlay: Mapping[str, str]) -> OperatorSources:
    """`sources` with those texts of `overlay` that are theirs."""
    known = {path: text for path, text in overlay.items() if path in sources.texts}
    return OperatorSources(sources.root, sources.target, {**sources.texts, **known})


def bank_folder(setting: str) -> Path | None:
    """The folder that the setting names; None: the user's own. Raises ValueError."""
    if not setting:
        return None
    folder = Path(setting).expanduser()
    if not folder.is_absolute():
        raise ValueError(f"The setting ascendopt.bank.folder is no absolute path: {setting}.")
    return folder
