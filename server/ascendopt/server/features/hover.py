"""Hover: a buffer's bytes and its share of UB; the page of a finding's rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lsprotocol import types

from ascendopt.analysis.facts.events import InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.findings import Span
from ascendopt.analysis.rules.pages import page
from ascendopt.analysis.rules.registry import UnknownRule
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.summary.sizes import kib, percent
from ascendopt.analysis.summary.ub_use import ub_use
from ascendopt.server.documents import Document
from ascendopt.server.engine import Report
from ascendopt.server.language_server import AscendServer

_WORD = re.compile(rb"[A-Za-z_]\w*")


def register(server: AscendServer) -> None:
    """Register the handler."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        session = server.session
        if not session.options.trusted:
            return None
        report = await session.report(params.text_document.uri)
        document = session.documents.get(params.text_document.uri)
        if report is None or document is None:
            return None
        offset = document.positions.to_byte(params.position)
        return hover_at(document, report, offset, session.engine.rule_pages.language)


def hover_at(document: Document, report: Report, offset: int, language: str = "en") -> types.Hover | None:
    """What there is to say at byte `offset`: about a buffer first, then about findings."""
    parts: list[str] = []
    span: Span | None = None
    buffer = _buffer_at(document, report, offset)
    if buffer is not None:
        parts.append(describe(report, buffer))
        span = buffer.span
    for finding in report.findings:
        if finding.path == document.path and finding.span.start <= offset < max(
            finding.span.end, finding.span.start + 1
        ):
            span = span or finding.span
            parts.append(_rule_text(finding.rule, language))
    text = "\n\n---\n\n".join(part for part in dict.fromkeys(parts) if part)
    if not text or span is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), document.positions.to_range(span))


@dataclass(frozen=True)
class BufferAt:
    """A buffer under the cursor, in the run of the kernel where it takes most."""

    event: InitBufferEvent
    instance: Instance
    context: Context
    span: Span


def _buffer_at(document: Document, report: Report, offset: int) -> BufferAt | None:
    context = report.context
    word, span = _word_at(document.source.data, offset)
    found: list[BufferAt] = []
    for instance in context.instances():
        for event in instance.of(InitBufferEvent):
            inside = event.site.path == document.path and event.site.span.start <= offset < event.site.span.end
            named = event.queue is not None and event.queue.name == word
            if inside or named:
                where = event.site.span if inside and not named else span
                found.append(BufferAt(event, instance, context, where))
    return max(found, key=lambda at: context.number(at.event.total) or -1, default=None)


def describe(report: Report, at: BufferAt) -> str:
    """Markdown about one buffer: bytes, share, what all buffers of the kernel take together."""
    context, event = at.context, at.event
    name = event.queue.name if event.queue is not None else event.queue_text
    kind = event.queue.kind if event.queue is not None else "buffer"
    positions = f"<{', '.join(event.queue.positions)}>" if event.queue is not None else ""
    total, count = context.number(event.total), context.number(event.num)
    limit = report.chip.usable_ub_bytes
    lines = [f"**{name}** `{kind}{positions}`", ""]
    if total is None:
        lines.append(f"Size: `{event.num.text} × {event.length_text}` bytes, symbolic: needs a case.")
    else:
        each = total // count if count else total
        factor = f"{count} × {each:,} = " if count is not None and count > 1 else ""
        lines.append(f"Size: {factor}{total:,} bytes (`{event.length_text}`)")
        if count is not None and count > 1:
            lines.append(f"\nBuffers: {count}{', double-buffered' if count == 2 else ''}")
        if limit:
            lines.append(f"\nShare: {percent(total, limit)} of the {kib(limit)} of UB on {report.chip.name}")
    whole = ub_use(context, at.instance)
    if whole is not None:
        lines.append(f"\nWhole kernel: {whole.text}")
    if len(context.kernel.instances) > 1:
        lines.append(f"\nIn: `{at.instance.label}`")
    if report.case is not None and context.case_of(event.total) is not None:
        lines.append(f"\nCase: {report.case.name}")
    return "\n".join(lines)


def _rule_text(code: str, language: str) -> str:
    try:
        return page(code, language)
    except UnknownRule:
        return ""


def _word_at(data: bytes, offset: int) -> tuple[str, Span]:
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    line = data[start : end if end >= 0 else len(data)]
    for match in _WORD.finditer(line):
        if match.start() <= offset - start <= match.end():
            return match.group().decode(), Span(start + match.start(), start + match.end())
    return "", Span(offset, offset)
