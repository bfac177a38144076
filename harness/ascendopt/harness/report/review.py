"""The review card of a patch: what gates can't see and a person should look at (DESIGN section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ascendopt.harness.dtypes import packed_bytes
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.gates.evaluator import EvaluatorSettings
from ascendopt.harness.report.model import EpisodeReport

BLOCK_BYTES = 32

# Calls and types that say how values are accumulated, and words that say what happens at the end of a row or a core.
_ACCUMULATION = re.compile(
    r"\b(?:\w*Reduce\w*|Mmad|Matmul\w*|IterateAll|Cast|Axpy|MulAddDst|FusedMulAdd\w*|PairReduceSum|RepeatReduceSum|"
    r"SetAtomicAdd|SetAtomicType|half|float|bfloat16_t|float16_t|float32_t)\b"
)
_COMMENT = re.compile(r"//.*|/\*.*?(?:\*/|$)")
_TAIL = re.compile(r"(?i)\b\w*(?:tail|remain|align|pad|ceil|last)\w*\b|%")


@dataclass(frozen=True)
class Point:
    """One line of the card. ``look`` says that a person should look at it, not only know it."""

    title: str
    text: str
    look: bool


_TRACES = Point(
    "How far the times can be trusted",
    "The model times a trace that the candidate's own process recorded. The time of the run whose values were checked "
    "agrees with it; code that writes into memory that is not its own could still forge both: look for raw pointers "
    "and assembly in the patch.",
    False,
)


def review_card(report: EpisodeReport) -> tuple[Point, ...]:
    """The card of a winner; empty without one."""
    if report.best is None:
        return ()
    changed = [_COMMENT.sub("", line[1:]) for line in report.patch.split("\n") if _is_change(line)]
    return (
        _accumulation(report, changed),
        _tails(report, changed),
        _boundaries(report),
        _coverage(report),
        _unseen(report),
        *([_TRACES] if report.modelled else []),
    )


def _is_change(line: str) -> bool:
    return line[:1] in "+-" and not line.startswith(("+++ ", "--- ")) and len(line) > 1


def _accumulation(report: EpisodeReport, changed: Sequence[str]) -> Point:
    words = _words(_ACCUMULATION, changed)
    named = f"Changed lines name {words}." if words else "No changed line names a reduction, a cast or a float type."
    before, after = _largest_error(report.baseline), _largest_error(report.best)
    same = before == after
    errors = (
        f"The largest relative error is the same to the last digit ({after:.3g})."
        if same
        else f"The largest relative error was {before:.3g} and is {after:.3g}: values are rounded differently."
    )
    return Point("Accumulation: type and order", f"{named} {errors}", bool(words) or not same)


def _tails(report: EpisodeReport, changed: Sequence[str]) -> Point:
    words = _words(_TAIL, changed)
    named = f"Changed lines name {words}." if words else "No changed line names a tail, a padding or an alignment."
    sizes = [size for case in report.cases for size in _input_bytes(case)]
    odd = sum(size % BLOCK_BYTES != 0 for size in sizes)
    tried = f"{odd} of {len(sizes)} input tensors of the workload end within a block of {BLOCK_BYTES} bytes."
    return Point("Tails and unaligned paths", f"{named} {tried}", bool(words) or not odd)


def _boundaries(report: EpisodeReport) -> Point:
    limit = EvaluatorSettings(soc=report.soc).extreme_limit
    small = [case for case in report.cases if _elements(case) <= limit]
    notes = report.baseline.notes if report.baseline else ()
    left_out = sum("boundary inputs left out" in note for note in notes)
    tried = len(small) - left_out
    text = f"Infinities, NaN, denormals, extremes and zeros were tried in {tried} of {len(report.cases)} cases"
    reasons: list[str] = []
    if left_out:
        reasons.append(f"in {left_out} the original does not pass them itself")
    if len(report.cases) > len(small):
        reasons.append(f"{len(report.cases) - len(small)} are larger than {limit} elements")
    return Point("Extreme inputs", f"{text}{': ' if reasons else ''}{'; '.join(reasons)}.", tried == 0)


def _coverage(report: EpisodeReport) -> Point:
    inputs = [spec for case in report.cases for spec in case["inputs"]]
    dtypes = ", ".join(dict.fromkeys(spec["dtype"] for spec in inputs))
    shapes = [shape for spec in inputs for shape in spec["shapes"]]
    ranks = sorted({len(shape) for shape in shapes})
    counts = sorted(prod(shape) for shape in shapes) or [0]
    text = (
        f"Run: {dtypes}; rank {', '.join(map(str, ranks))}; {counts[0]} to {counts[-1]} elements a tensor. "
        "Other types, ranks, attributes and sizes were not."
    )
    return Point("Not covered", text, True)


def _unseen(report: EpisodeReport) -> Point:
    if report.unseen is None:
        return Point("Shapes that the search did not see", "None could be derived from this workload.", True)
    before = report.unseen_before
    limit = 1.0 + report.margin
    slower = [
        case.name
        for case in report.unseen.cases
        if case.latency_us is not None and case.latency_us > limit * before.get(case.name, case.latency_us)
    ]
    text = f"{len(report.unseen_names)} were run: all correct."
    if slower:
        text += f" Slower than before on {len(slower)}: {', '.join(slower[:6])}{', ...' if len(slower) > 6 else ''}."
    return Point("Shapes that the search did not see", text, bool(slower))


def _words(pattern: re.Pattern[str], lines: Sequence[str]) -> str:
    found = list(dict.fromkeys(match for line in lines for match in pattern.findall(line)))
    return ", ".join(found[:6]) + (", ..." if len(found) > 6 else "")


def _largest_error(evaluation: Evaluation | None) -> float:
    return max((case.max_rel_error or 0.0 for case in evaluation.cases), default=0.0) if evaluation else 0.0


def _input_bytes(case: Mapping[str, Any]) -> Iterator[int]:
    for spec in case["inputs"]:
        for shape in spec["shapes"]:
            yield packed_bytes(spec["dtype"], tuple(shape))


def _elements(case: Mapping[str, Any]) -> int:
    return sum(prod(shape) for spec in (*case["inputs"], *case["outputs"]) for shape in spec["shapes"])
