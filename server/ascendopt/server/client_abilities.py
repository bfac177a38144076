"""What the client can take and asks for."""

from __future__ import annotations

from lsprotocol import types

from ascendopt.server.session import Session


def supports_document_changes(session: Session) -> bool:
    """Whether the client takes versioned edits."""
    workspace = session.capabilities.workspace
    edit = workspace.workspace_edit if workspace is not None else None
    return bool(edit is not None and edit.document_changes)


def covers(asked: types.CodeActionKind | str, kind: types.CodeActionKind) -> bool:
    """Whether who asks for actions of kind `asked` means `kind` too."""
    value = asked.value if isinstance(asked, types.CodeActionKind) else asked
    return value == "" or kind.value == value or kind.value.startswith(f"{value}.")
