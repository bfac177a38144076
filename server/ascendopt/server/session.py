"""The state of one client's session, in one object: documents, options, reports, active cases, searches, advice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types

from ascendopt.server.active_cases import ActiveCases
from ascendopt.server.adviser_process import AdviserProcess
from ascendopt.server.config import ClientOptions, Settings
from ascendopt.server.convert import uri_of
from ascendopt.server.documents import Document, DocumentStore
from ascendopt.server.engine import MOST_OPERATORS, Engine, Report
from ascendopt.server.known_advice import KnownAdvice
from ascendopt.server.refusals import ContentModified
from ascendopt.server.search import SearchRegistry
from ascendopt.server.text import Positions

DEBOUNCE_SECONDS = 0.12
_log = logging.getLogger(__name__)


@dataclass
class _Pending:
    """The analysis of one document that is scheduled or runs."""

    version: int
    task: asyncio.Task[None]


@dataclass
class Session:
    """What the features share. Only the event loop changes it.

    Facts are large: reports stay for the `MOST_OPERATORS` operators that were asked for last. The others are made again
    when somebody asks; their diagnostics are published and stand.

    `publish` sends a document's diagnostics; the server sets it. `background` is one thread: analyses are pure Python
    and would only take turns.
    """

    options: ClientOptions = field(default_factory=ClientOptions)
    settings: Settings = field(default_factory=Settings)
    capabilities: types.ClientCapabilities = field(default_factory=types.ClientCapabilities)
    documents: DocumentStore = field(default_factory=DocumentStore)
    engine: Engine = field(default_factory=Engine)
    active_cases: ActiveCases = field(default_factory=ActiveCases)
    searches: SearchRegistry = field(default_factory=SearchRegistry)
    adviser: AdviserProcess = field(default_factory=AdviserProcess)
    advice: KnownAdvice = field(default_factory=KnownAdvice)
    verifying: str | None = None
    publish: Callable[[Document, Report | None], None] = lambda _document, _report: None
    background: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="ascendopt-analysis")
    )
    _reports: dict[str, tuple[int, Report]] = field(default_factory=dict[str, tuple[int, Report]])
    _dropped: set[str] = field(default_factory=set[str])
    _pending: dict[str, _Pending] = field(default_factory=dict[str, _Pending])
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])

    # ------------------------------------------------------------------ analysis

    def schedule(self, document: Document, delay: float = DEBOUNCE_SECONDS) -> None:
        """Analyse `document` after `delay` seconds; an analysis of an older version is dropped."""
        pending = self._pending.pop(document.uri, None)
        if pending is not None:
            pending.task.cancel()
        task = asyncio.get_running_loop().create_task(self._analyse(document, delay))
        self._pending[document.uri] = _Pending(document.version, task)

    def schedule_related(self, document: Document, delay: float = DEBOUNCE_SECONDS) -> None:
        """Analyse `document` and the open documents of the same operator: host and kernel explain each other."""
        folder = self.engine.operator_folder(document.path)
        for other in self.documents:
            if other.uri == document.uri or (folder is not None and self.engine.operator_folder(other.path) == folder):
                self.schedule(other, delay)

    def macros(self, path: Path) -> Mapping[str, int | None]:
        """Preprocessor macros of the chip that `path` is analysed for."""
        return self.engine.macros(path, self.settings)

    def schedule_all(self) -> None:
        """Analyse every open document at once: settings or the disk changed."""
        self.documents.parse_again(self.macros)
        for document in self.documents:
            self.schedule(document, 0.0)

    def forget(self, document: Document) -> None:
        """Drop everything known about a closed document."""
        pending = self._pending.pop(document.uri, None)
        if pending is not None:
            pending.task.cancel()
        self._reports.pop(document.uri, None)
        self._dropped.discard(document.uri)

    async def report(self, uri: str) -> Report | None:
        """The report on the current version of a document; waits for it. None when the document is not for us."""
        document = self.documents.get(uri)
        if document is None or not document.is_ascendc:
            return None
        if uri in self._dropped:
            self._dropped.discard(uri)  # who asks meanwhile waits for the same analysis
            self.schedule(document, 0.0)
        pending = self._pending.get(uri)
        if pending is not None and pending.version == document.version:
            # Not awaited itself: a cancelled hover must not cancel the analysis behind it.
            await asyncio.wait({pending.task})
            if pending.task.cancelled():
                raise ContentModified
        report = self.current(document)
        if report is not None:
            self._keep(document, report)
        return report

    def _keep(self, document: Document, report: Report) -> None:
        """The report on the current version of `document`, and the operator that was asked for last."""
        self._dropped.discard(document.uri)
        self._reports.pop(document.uri, None)
        self._reports[document.uri] = (document.version, report)
        places = {uri: self._place(entry.path) for uri, (_, entry) in self._reports.items()}
        recent = list(dict.fromkeys(reversed(places.values())))[:MOST_OPERATORS]
        old = [uri for uri, place in places.items() if place not in recent]
        for uri in old:
            del self._reports[uri]
            self._dropped.add(uri)
        if old:
            self.background.submit(self.engine.free)

    def _place(self, path: Path) -> Path:
        """The operator's folder, or a file that belongs to none."""
        return self.engine.operator_folder(path) or path

    def current(self, document: Document) -> Report | None:
        """The finished report on exactly this version, if there is one."""
        version, report = self._reports.get(document.uri, (None, None))
        return report if version == document.version else None

    async def _analyse(self, document: Document, delay: float) -> None:
        if delay:
            await asyncio.sleep(delay)
        if not document.is_ascendc:
            return
        request = self.engine.request(
            document.source,
            {other.path: other.source for other in self.documents},
            self.settings,
            self.active_cases.get(self.engine.operator_folder(document.path)),
        )
        loop = asyncio.get_running_loop()
        try:
            report = await loop.run_in_executor(self.background, self.engine.analyse, request)
        except Exception:
            # One file that the analysis can't digest must not end the server; the log has the reason.
            _log.exception("analysis of %s failed", document.path)
            return
        now = self.documents.get(document.uri)
        if now is None or now.version != document.version:
            return
        self._keep(now, report)
        self.publish(now, report)

    # ------------------------------------------------------------------ files

    def text_of(self, path: Path) -> Positions | None:
        """The open document's text of a file, else the disk's; None when it can't be read."""
        document = self.documents.at(path)
        if document is not None:
            return document.positions
        try:
            return Positions.of(path.read_bytes())
        except OSError:
            return None

    def current_file(self, path: Path) -> tuple[str, int | None, bytes]:
        """URI, version (None: not open) and bytes of a file as the editor has it now. Raises OSError."""
        document = self.documents.at(path)
        if document is not None:
            return document.uri, document.version, document.source.data
        return uri_of(path), None, path.read_bytes()

    def overlay(self, folder: Path) -> dict[str, str]:
        """Texts of the open files below `folder`, by POSIX path relative to it. For a file: of its folder.

        Those that are saved too: the disk's may differ, in a byte order mark for instance.
        """
        folder = folder if folder.is_dir() else folder.parent
        return {
            document.path.relative_to(folder).as_posix(): document.source.data.decode("utf-8", "surrogateescape")
            for document in self.documents
            if document.path.is_relative_to(folder)
        }

    def keep_task(self, task: asyncio.Task[None]) -> None:
        """Hold a task that nobody awaits, until it ends."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """End everything that runs in the background."""
        for task in list(self._tasks):
            task.cancel()
        self.active_cases.cancel()
        self.adviser.close()
        for pending in self._pending.values():
            pending.task.cancel()
        self.background.shutdown(wait=False, cancel_futures=True)
