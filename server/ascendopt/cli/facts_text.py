"""The facts of an operator as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from ascendopt.analysis.findings import Span
from ascendopt.analysis.summary import Buffer, Copy, Field, Quantity, Run, Summary
from ascendopt.cli.places import Places, shown
from ascendopt.harness.search.tunables import Tunable

MOST_VALUES = 3
LONGEST = 90


def write_facts(summary: Summary, tunables: Sequence[Tunable], notes: Iterable[str], out: TextIO) -> None:
    """Write one section a kind of fact; what there is none of is left out."""
    out.writelines(f"{line}\n" for line in _Text(summary).lines(tunables, notes))


class _Text:
    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._places = Places({})

    def lines(self, tunables: Sequence[Tunable], notes: Iterable[str]) -> Iterator[str]:
        summary, operator, chip = self._summary, self._summary.facts.operator, self._summary.chip
        yield f"{operator.name} ({shown(operator.root)}) on {chip.name}: {chip.usable_ub_bytes} bytes of UB, " + (
            f"{chip.vector_cores} vector cores"
        )
        for note in notes:
            yield f"  {note}"
        for number in summary.cases:
            case = number.case
            yield f"  case {case.name}: block dim {case.block_dim}, tiling key {case.tiling_key}"
        for launch in summary.launches:
            where = self._where(launch.site.path, launch.site.span)
            yield f"{_LAUNCHES.get(launch.name, launch.name)}: {_value(launch.value, launch.text)}  {where}"
        if summary.fields:
            yield ""
            yield "tiling fields"
            for field in summary.fields:
                yield from self._field(field)
        for run in summary.runs:
            yield ""
            yield from self._run(run)
        if tunables:
            yield ""
            yield "tunables"
        for one in tunables:
            where = self._where(Path(one.sites[0].path), Span(one.sites[0].start, one.sites[0].end))
            more = f" and {len(one.sites) - 1} more" if len(one.sites) > 1 else ""
            yield f"  {one.name} = {one.value} ({one.role}), {_domain(one.domain)}  {where}{more}"
        if summary.symptoms:
            yield ""
            yield "symptoms"
        for symptom in summary.symptoms:
            where = self._where(symptom.places[0].path, symptom.places[0].span) if symptom.places else ""
            yield f"  {symptom.kind.value} ({symptom.pipe}): {symptom.text}  {where}"

    def _field(self, field: Field) -> Iterator[str]:
        type_text = field.type or "?"
        length = "" if field.length == 1 else f"[{field.length if field.length is not None else '?'}]"
        values = _cases(field.by_case)
        yield f"  {type_text} {field.name}{length}{values}"
        for one in field.sets:
            perhaps = " in a branch" if one.conditional else ""
            yield f"    set{perhaps} to {one.text}  {self._where(one.site.path, one.site.span)}"
        if field.reads:
            lines = list(dict.fromkeys(self._where(site.path, site.span) for site in field.reads))
            more = f" and {len(lines) - MOST_VALUES} more" if len(lines) > MOST_VALUES else ""
            yield f"    read at {', '.join(lines[:MOST_VALUES])}{more}"

    def _run(self, run: Run) -> Iterator[str]:
        instance = run.instance
        key = f", tiling key {instance.key}" if instance.key is not None else ""
        types = ", ".join(f"{name}={dtype}" for name, dtype in instance.dtypes)
        partial = "" if instance.complete else ", not followed to its end"
        yield f"run {instance.label}{key}{f', {types}' if types else ''}{partial}"
        if run.ub is not None:
            yield f"  {run.ub.text}"
        for name, use in run.ub_by_case.items():
            if run.ub is not None and not run.ub.complete:
                yield f"    {use.text} in case {name}"
        for buffer in run.buffers:
            yield f"  {self._buffer(buffer)}"
        for copy in run.copies:
            yield f"  {self._copy(copy)}"

    def _buffer(self, buffer: Buffer) -> str:
        positions = ", ".join(buffer.positions)
        where = self._where(buffer.site.path, buffer.site.span)
        several = f"{_value(buffer.num)} x " if buffer.num.value != 1 else ""
        size = f"{several}{_value(buffer.length)} bytes"
        return f"{buffer.kind}<{positions}> {buffer.queue}: {size}  {where}"

    def _copy(self, copy: Copy) -> str:
        ends = {"in": f"{copy.argument or 'GM'} -> {copy.local or 'local'}"}
        ends["out"] = f"{copy.local or 'local'} -> {copy.argument or 'GM'}"
        bursts = ""
        if copy.bursts is not None and copy.burst_bytes is not None and copy.bursts.value != 1:
            bursts = f" in {_value(copy.bursts)} bursts of {_value(copy.burst_bytes)}"
        times = f", {_value(copy.rounds)} times" if copy.rounds is not None and copy.loop_depth else ""
        times = times or (", in a loop" if copy.loop_depth else "")
        where = self._where(copy.site.path, copy.site.span)
        size = f"{_value(copy.bytes)} bytes" if copy.bytes is not None else "unknown size"
        return f"{copy.api} {ends.get(copy.direction, copy.direction)}: {size}{bursts}{times}  {where}"

    def _where(self, path: Path, span: Span) -> str:
        region = self._places.region(path, span)
        return f"{shown(path)}:{region.line}"


_LAUNCHES = {"SetBlockDim": "block dim", "SetTilingKey": "tiling key"}


def _value(quantity: Quantity | None, fallback: str = "?") -> str:
    """The number, else the closed form with the numbers of the first cases."""
    if quantity is None:
        return fallback
    if quantity.value is not None:
        return str(quantity.value)
    text = quantity.text if len(quantity.text) <= LONGEST else f"{quantity.text[:LONGEST]}..."
    return f"{text}{_cases(quantity.by_case or {})}"


def _cases(by_case: Mapping[str, object]) -> str:
    pairs = list(by_case.items())
    if not pairs:
        return ""
    if len({str(value) for _, value in pairs}) == 1:
        return f" (= {pairs[0][1]} in {'all cases' if len(pairs) > 1 else pairs[0][0]})"
    some = ", ".join(f"{value} in {name}" for name, value in pairs[:MOST_VALUES])
    return f" (= {some}{', ...' if len(pairs) > MOST_VALUES else ''})"


def _domain(domain: Sequence[int]) -> str:
    if len(domain) <= 8:
        return f"one of {', '.join(map(str, domain))}"
    return f"{domain[0]} to {domain[-1]}, {len(domain)} values"
