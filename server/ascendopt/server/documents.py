"""Open documents: immutable snapshots of our own `SourceFile`, never pygls' text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from ascendopt.analysis.source.detect import is_ascendc
from ascendopt.analysis.source.source_file import SourceFile
from ascendopt.server.text import Positions

MacrosOf = Callable[[Path], Mapping[str, "int | None"]]


@dataclass(frozen=True)
class Document:
    """One version of an open document."""

    uri: str
    path: Path
    version: int
    source: SourceFile

    @property
    def positions(self) -> Positions:
        """Conversion of positions in this version."""
        return Positions(self.source.data, self.source.lines)

    @property
    def is_ascendc(self) -> bool:
        """Whether this is a file for us; all others are left to other servers."""
        return is_ascendc(self.source.data.decode("utf-8", "replace"), self.path)


class DocumentStore:
    """The open documents by URI. Only the event loop changes it; snapshots go to other threads."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def open(self, item: types.TextDocumentItem, macros: MacrosOf) -> Document | None:
        """Take a document up. None for one that is not a file on disk (a diff, an untitled buffer).

        `macros` gives the macros of the chip that a file is analysed for.
        """
        name = to_fs_path(item.uri)
        if name is None:
            return None
        # A lone surrogate can't be UTF-8; `?` keeps its width of one UTF-16 unit.
        data = item.text.encode("utf-8", "replace")
        path = Path(name)
        document = Document(item.uri, path, item.version, SourceFile.of(path, data, macros(path)))
        self._documents[item.uri] = document
        return document

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> Document | None:
        """Apply edits in order; None when the document is not open."""
        document = self._documents.get(uri)
        if document is None:
            return None
        source = document.source
        for change in changes:
            source = _changed(source, change)
        document = replace(document, version=version, source=source)
        self._documents[uri] = document
        return document

    def parse_again(self, macros: MacrosOf) -> None:
        """The chip may have changed, and with it which branches of `#if` are alive."""
        for uri, document in self._documents.items():
            wanted = macros(document.path)
            if wanted != document.source.macros:
                source = SourceFile.of(document.path, document.source.data, wanted)
                self._documents[uri] = replace(document, source=source)

    def close(self, uri: str) -> Document | None:
        """Forget a document."""
        return self._documents.pop(uri, None)

    def get(self, uri: str) -> Document | None:
        """The current version of an open document."""
        return self._documents.get(uri)

    def at(self, path: Path) -> Document | None:
        """The open document of a file."""
        return next((document for document in self._documents.values() if document.path == path), None)

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._documents.values()))


def _changed(source: SourceFile, change: types.TextDocumentContentChangeEvent) -> SourceFile:
    data = change.text.encode("utf-8", "replace")
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return SourceFile.of(source.path, data, source.macros)
    span = Positions(source.data, source.lines).to_span(change.range)
    return source.with_edit(span.start, max(span.start, span.end), data)
