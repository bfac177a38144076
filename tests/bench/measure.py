"""CPU time of this process, of its children, and of a process by number."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Line:
    """One figure. ``at_most`` says which side of ``target`` is good."""

    what: str
    value: float
    unit: str
    target: float
    at_most: bool
    note: str = ""

    @property
    def met(self) -> bool:
        return self.value <= self.target if self.at_most else self.value >= self.target

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        state = "ok" if self.met else "short"
        figures = f"{self.value:10.3g} {self.unit:<12} target {sign} {self.target:g}"
        return f"{self.what:58}{figures:40}{state:8}{self.note}"


def children_cpu_s() -> float:
    """CPU seconds of children that have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def process_cpu_s(pid: int | None) -> float:
    """CPU seconds of a process and of its own ended children (Linux); none before it was started."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(fields[i]) for i in (11, 12, 13, 14)) / _TICKS


def percentile(values: list[float], share: float) -> float:
    """The value that ``share`` of ``values`` do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
