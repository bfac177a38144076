"""Workspace edits: from the engine's edits and texts to LSP, with the versions that they hold for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from lsprotocol import types

from ascendopt.analysis.findings import Span
from ascendopt.server.text import Positions


@dataclass(frozen=True)
class Change:
    """Replace the bytes of `span` by `new_text`."""

    span: Span
    new_text: str


@dataclass(frozen=True)
class FileChange:
    """The changes of one file. `version` is the open document's, None for a file that is not open."""

    uri: str
    version: int | None
    positions: Positions
    changes: tuple[Change, ...]


def line_changes(before: bytes, after: str) -> tuple[Change, ...]:
    """The smallest runs of whole lines that turn `before` into `after`."""
    old = _lines(before)
    new = [line.decode("utf-8", "replace") for line in _lines(after.encode("utf-8", "surrogateescape"))]
    old_text = [line.decode("utf-8", "replace") for line in old]
    offsets = [0]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, old_text, new, autojunk=False)
    return tuple(
        Change(Span(offsets[i1], offsets[i2]), "".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


def workspace_edit(
    files: list[FileChange], label: str = "", description: str = "", *, versioned: bool = True
) -> types.WorkspaceEdit:
    """An edit of several files. `versioned` needs a client that supports document changes; all current ones do.

    With a `label` the edits carry one change annotation, which editors show in their refactoring preview.
    """
    if not versioned:
        return types.WorkspaceEdit(
            changes={file.uri: [_text_edit(file, change) for change in file.changes] for file in files}
        )
    annotation = "ascendopt" if label else None
    document_changes = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri=file.uri, version=file.version),
            [_annotated(file, change, annotation) for change in file.changes],
        )
        for file in files
    ]
    annotations: Mapping[str, types.ChangeAnnotation] | None = None
    if annotation is not None:
        annotations = {
            annotation: types.ChangeAnnotation(label=label, needs_confirmation=False, description=description)
        }
    return types.WorkspaceEdit(document_changes=document_changes, change_annotations=annotations)


def _text_edit(file: FileChange, change: Change) -> types.TextEdit:
    return types.TextEdit(file.positions.to_range(change.span), change.new_text)


def _annotated(file: FileChange, change: Change, annotation: str | None) -> types.TextEdit | types.AnnotatedTextEdit:
    if annotation is None:
        return _text_edit(file, change)
    return types.AnnotatedTextEdit(
        annotation_id=annotation, range=file.positions.to_range(change.span), new_text=change.new_text
    )


def _lines(data: bytes) -> list[bytes]:
    """Lines with their ends; only LF ends a line here, so that no other character is lost."""
    lines = data.split(b"\n")
    last = lines.pop()
    ended = [line + b"\n" for line in lines]
    return [*ended, last] if last else ended
