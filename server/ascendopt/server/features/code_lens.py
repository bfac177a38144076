"""Code lens over each kernel entry: how much of UB it takes, and the search."""

from __future__ import annotations

from lsprotocol import types

from ascendopt.analysis.findings import Span
from ascendopt.analysis.rules.mem001 import Budget, budget
from ascendopt.analysis.rules.rule import Context
from ascendopt.server.documents import Document
from ascendopt.server.engine import Report
from ascendopt.server.features.hover import usage
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
        title = ub_title(report, context, entry.short_name)
        if title is not None:
            found.append(types.CodeLens(start, types.Command(title=title, command="")))
        search = types.Command("Search tiling", COMMAND_TILING_SEARCH, arguments=[document.uri])
        found.append(types.CodeLens(start, search))
    return found


def ub_title(report: Report, context: Context, entry: str) -> str | None:
    """Use of UB in the entry's most demanding run, with the chip and the case; None when it takes no buffer."""
    budgets = [budget(context, instance) for instance in context.instances() if instance.entry == entry]
    budgets = [used for used in budgets if used.buffers]
    if not budgets:
        return None
    worst = max(budgets, key=_demand)
    text = f"{usage(report, worst)} on {report.chip.name}"
    totals = [event.total for event in worst.buffers]
    case = context.case_of(*totals)
    return f"{text}, case {case}" if case is not None else text


def _demand(used: Budget) -> tuple[bool, int]:
    """Symbolic ones first: a number for one run must not hide that another one is not known."""
    return (not used.complete, used.total)
