"""Code lens over each kernel entry: how much of UB it takes, and the search."""

from __future__ import annotations

from lsprotocol import types

from ascendopt.analysis.findings import Span
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.summary.ub_use import entry_use
from ascendopt.server.documents import Document
from ascendopt.server.engine import Report
from ascendopt.server.language_server import AscendServer
from ascendopt.server.protocol import COMMAND_TILING_SEARCH


def register(server: AscendServer) -> None:
    """Register the handler."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        session = server.session
        if not session.options.trusted or not session.settings.code_lens:
            return []
        report = await session.report(params.text_document.uri)
        document = session.documents.get(params.text_document.uri)
        if report is None or document is None:
            return []
        return lenses(document, report)


def lenses(document: Document, report: Report) -> list[types.CodeLens]:
    """Two lenses an entry: UB use (text only) and the search."""
    context = report.context
    found: list[types.CodeLens] = []
    for entry in context.kernel.entries:
        if entry.site.path != document.path:
            continue
        start = document.positions.to_range(Span(entry.name_span.start, entry.name_span.end))
        title = ub_title(context, entry.name)
        if title is not None:
            found.append(types.CodeLens(start, types.Command(title=title, command="")))
        search = types.Command("Search tiling", COMMAND_TILING_SEARCH, arguments=[document.uri])
        found.append(types.CodeLens(start, search))
    return found


def ub_title(context: Context, entry: str) -> str | None:
    """Use of UB in the entry's most demanding run, with the chip and the case; None when it takes no buffer."""
    use = entry_use(context, entry)
    if use is None:
        return None
    text = f"{use.text} on {use.chip}"
    return f"{text}, case {use.case}" if use.case is not None else text
