"""Findings as text for people: the place, an excerpt with a caret, the other places, and how to mend it."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ascendopt.analysis.findings import Finding, Severity, Span
from ascendopt.cli.checker import Report
from ascendopt.cli.places import Places, shown

TAB = 4
WIDEST = 140
_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.PERF: "1;36", Severity.INFO: "1;34"}
_QUIET = "2;36"


@dataclass(frozen=True)
class Style:
    """Colours, where the reader is a terminal that wants them."""

    colours: bool

    @staticmethod
    def of(out: TextIO) -> Style:
        """Colours for a terminal, unless NO_COLOR says otherwise (https://no-color.org)."""
        return Style(out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours else text


def write_text(report: Report, out: TextIO) -> None:
    """Each finding with its excerpt, then the summary."""
    places, style = Places(dict(report.texts)), Style.of(out)
    for finding in report.findings:
        out.write(_head(finding, places, style))
        out.writelines(f"{line}\n" for line in _body(finding, places, style))
        out.write("\n")
    _summary(report, out)


def write_concise(report: Report, out: TextIO) -> None:
    """One line a finding, then the summary."""
    places, style = Places(dict(report.texts)), Style.of(out)
    out.writelines(_head(finding, places, style) for finding in report.findings)
    _summary(report, out)


def _head(finding: Finding, places: Places, style: Style) -> str:
    region = places.region(finding.path, finding.span)
    fixable = " [*]" if finding.fix is not None and finding.fix.safe else ""
    level = style(finding.severity.value, _COLOURS[finding.severity])
    place = f"{shown(finding.path)}:{region.line}:{region.column}"
    return f"{place}: {level} {style(finding.rule, '1')}{fixable} {finding.message}\n"


def _body(finding: Finding, places: Places, style: Style) -> Iterator[str]:
    spots = [(finding.path, finding.span), *((one.path, one.span) for one in finding.related)]
    width = max(len(str(places.region(path, span).line)) for path, span in spots)
    pad = " " * width
    bar = style(f"{pad} |", _QUIET)
    yield bar
    yield from _excerpt(places, finding.path, finding.span, width, style)
    for related in finding.related:
        region = places.region(related.path, related.span)
        where = style(f"{pad}::: {shown(related.path)}:{region.line}:{region.column}", _QUIET)
        yield f"{where}: {related.message}"
        yield from _excerpt(places, related.path, related.span, width, style)
    yield bar
    if finding.fix is not None:
        how = "--fix applies it" if finding.fix.safe else "not safe for --fix: look at it first"
        yield f"{style(f'{pad} =', _QUIET)} help: {finding.fix.title} ({how})"


def _excerpt(places: Places, path: Path, span: Span, width: int, style: Style) -> Iterator[str]:
    region = places.region(path, span)
    line = places.line(path, region.line)
    start = region.column - 1
    end = region.end_column - 1 if region.end_line == region.line else len(line)
    line, start, end = _window(line, start, max(end, start + 1))
    marks = " " * _cells(line[:start]) + "^" * max(1, _cells(line[start:end]))
    yield f"{style(f'{region.line:>{width}} |', _QUIET)} {_expanded(line)}".rstrip()
    yield f"{style(' ' * width + ' |', _QUIET)} {style(marks, '1')}"


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Of a very long line only what is around the mark."""
    if len(line) <= WIDEST:
        return line, start, end
    first = max(0, min(start - WIDEST // 4, len(line) - WIDEST))
    part = line[first : first + WIDEST]
    shift = first
    if first:
        part, shift = f"...{part}", first - 3
    return (f"{part}..." if first + WIDEST < len(line) else part), start - shift, min(end - shift, len(part))


def _expanded(text: str) -> str:
    """Tabs as spaces; what would move the cursor as a blank."""
    return "".join(" " * TAB if one == "\t" else one if one.isprintable() else " " for one in text)


def _cells(text: str) -> int:
    """Columns that ``text`` takes in a terminal: two for wide characters, none for combining ones."""
    return sum(
        TAB if one == "\t" else 2 if unicodedata.east_asian_width(one) in "WF" else not unicodedata.combining(one)
        for one in text
    )


def _summary(report: Report, out: TextIO) -> None:
    for entry, count in report.gone:
        times = f" ({count} times)" if count > 1 else ""
        out.write(f"baseline: {entry.rule} does not occur any more in {entry.file}{times}: {entry.code}\n")
    counts = ", ".join(f"{report.count(level)} {level.value}" for level in Severity)
    out.write(f"{counts} in {len(report.files)} files of {report.operators} operators, for {report.soc}\n")
    if report.suppressed:
        out.write(f"{len(report.suppressed)} silenced by comments\n")
    if report.baseline is not None:
        old = f"; {sum(count for _, count in report.gone)} gone: --write-baseline drops them" if report.gone else ""
        out.write(f"{len(report.known)} known from {shown(report.baseline)}{old}\n")
    fixes = sum(finding.fix is not None and finding.fix.safe for finding in report.findings)
    if fixes:
        out.write(f"[*] {fixes} can be fixed with --fix\n")
