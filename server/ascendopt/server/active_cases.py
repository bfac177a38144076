"""The active case of each operator: what the harness's run of the host tiling gave, by operator folder."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ascendopt.analysis.active_case import ActiveCase


@dataclass
class ActiveCases:
    """Cases that are known, and the runs that are under way."""

    _known: dict[Path, ActiveCase] = field(default_factory=dict[Path, ActiveCase])
    _running: dict[Path, asyncio.Task[None]] = field(default_factory=dict[Path, asyncio.Task[None]])

    def get(self, folder: Path | None) -> ActiveCase | None:
        """The case of the operator in `folder`, if one is known."""
        return self._known.get(folder) if folder is not None else None

    def put(self, folder: Path, case: ActiveCase) -> bool:
        """Keep a new case; False when it says nothing new."""
        changed = self._known.get(folder) != case
        self._known[folder] = case
        return changed

    def drop(self, folder: Path) -> None:
        """Forget a case that does not hold any more."""
        self._known.pop(folder, None)

    def start(self, folder: Path, task: asyncio.Task[None]) -> None:
        """Remember the run for `folder`, ending an older one: its sources are out of date."""
        older = self._running.pop(folder, None)
        if older is not None:
            older.cancel()
        self._running[folder] = task

        def ended(done: asyncio.Task[None]) -> None:
            if self._running.get(folder) is done:
                self._running.pop(folder)

        task.add_done_callback(ended)

    def cancel(self) -> None:
        """End every run."""
        for task in list(self._running.values()):
            task.cancel()


def case_from_json(data: dict[str, Any]) -> ActiveCase:
    """The case that a worker sent."""
    fields = cast("dict[str, int | float | list[int | float]]", data["tiling"])
    tiling = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return ActiveCase(data["name"], data["soc"], tiling, data["dtypes"], data["block_dim"], data["tiling_key"])
