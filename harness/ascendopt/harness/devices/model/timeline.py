"""The timeline of one modelled run as Chrome's trace format, which Perfetto and chrome://tracing open.

The core that runs longest is shown: one track a pipe, one span an instruction or transfer, and the waits between them.
Cores with the same trace take the same time, so one of them stands for all. Where the cores of an AI Core wait for each
other, all of them are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

_Row = tuple[int, float, float, str, int, int, int, int]
PIPES = ("scalar", "vector", "cube", "mte1", "mte2", "mte3", "fixpipe")
_AWAITED = (*PIPES, "the shared cube core", "other cores")
_CORES = ("", "cube core", "vector core 0", "vector core 1")


@dataclass(frozen=True)
class Span:
    """One span in microseconds. ``size`` is bytes of a transfer, else repeats; ``waits_for`` names the pipe or cores.

    ``core`` is which of the AI Core's, empty where one core is shown alone.
    """

    pipe: str
    start_us: float
    duration_us: float
    name: str
    place: tuple[str, int] | None
    size: int
    waits_for: str | None
    core: str = ""

    @property
    def track(self) -> tuple[str, str, bool]:
        """Core, pipe, and whether it waits: a thread of the trace."""
        return self.core, self.pipe, self.waits_for is not None


@dataclass(frozen=True)
class Timeline:
    """Spans of one case; ``total`` counts those that were left off too."""

    spans: tuple[Span, ...]
    total: int
    latency_us: float
    launch_us: float


def read_timeline(answer: dict[str, Any], place: Callable[[int], tuple[str, int] | None]) -> Timeline:
    """The timeline of a server's answer; ``place`` gives file and line of a call site."""
    spans = tuple(
        Span(
            PIPES[pipe],
            start,
            duration,
            name,
            place(site),
            size,
            _AWAITED[waits] if waits >= 0 else None,
            _CORES[core + 1],
        )
        for pipe, start, duration, name, site, size, waits, core in cast("list[_Row]", answer["timeline"])
    )
    return Timeline(spans, answer["timeline_spans"], answer["latency_us"], answer["launch_us"])


def chrome_trace(operator: str, soc: str, timelines: Sequence[tuple[str, Timeline]]) -> dict[str, Any]:
    """The JSON object: one process a case, one thread a pipe, and a second one for its waits."""
    events: list[dict[str, Any]] = []
    for number, (case, timeline) in enumerate(timelines, 1):
        events.append(_name("process_name", number, 0, f"{case}: the core that runs longest (modelled)"))
        for track in sorted({span.track for span in timeline.spans}, key=_thread):
            core, pipe, waits = track
            name = (f"{core}: " if core else "") + pipe + (" waits" if waits else "")
            events.append(_name("thread_name", number, _thread(track), name))
        events += [_event(span, number) for span in timeline.spans]
    left_off = sum(timeline.total - len(timeline.spans) for _, timeline in timelines)
    about = {"operator": operator, "soc": soc, "times": "modelled, not measured", "spans left off": left_off}
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": about}


def _thread(track: tuple[str, str, bool]) -> int:
    core, pipe, waits = track
    return 2 * (len(PIPES) * _CORES.index(core) + PIPES.index(pipe)) + waits


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}


def _event(span: Span, process: int) -> dict[str, Any]:
    args: dict[str, Any] = {}
    if span.place is not None:
        args["line"] = f"{span.place[0]}:{span.place[1]}"
    if span.waits_for is None:
        args["bytes" if span.name in ("load", "store") else "repeats"] = span.size
    return {
        "ph": "X",
        "name": span.name if span.waits_for is None else f"waits for {span.waits_for}",
        "cat": span.pipe,
        "ts": round(span.start_us, 6),
        "dur": round(span.duration_us, 6),
        "pid": process,
        "tid": _thread(span.track),
        "args": args,
    }
