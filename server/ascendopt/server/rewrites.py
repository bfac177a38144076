"""Rewrites of an operator as the server keeps them: which of them stand at a place, and the edits that they are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from ascendopt.analysis.findings import Span
from ascendopt.server.edits import Change, FileChange, workspace_edit
from ascendopt.server.text import Positions

MOST_OFFERED = 5
# Gives URI, version (None: not open) and bytes of a file as the editor has it now.
CurrentFile = Callable[[Path], tuple[str, "int | None", bytes]]


class MovedOn(Exception):
    """A file is not what the rewrites were made for. The message is one sentence for the user."""


@dataclass(frozen=True)
class Place:
    """Bytes of a file, by its path relative to the operator's folder."""

    file: str
    span: Span

    def meets(self, file: str, span: Span) -> bool:
        """True when the two share a byte or touch: a cursor at the end of a word still stands on it."""
        return self.file == file and self.span.start <= span.end and span.start <= self.span.end


@dataclass(frozen=True)
class Edit:
    """Replace the bytes of a place."""

    place: Place
    new_text: str


@dataclass(frozen=True)
class OneChange:
    """A rewrite at one of the places where it applies. `place` is where a light bulb stands for it."""

    title: str
    place: Place
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Rewrite:
    """One kind of rewrite, the evidence for it in words, and where the symptom shows that it treats."""

    evidence: str
    places: tuple[Place, ...]
    changes: tuple[OneChange, ...]

    def change_at(self, file: str, span: Span) -> int | None:
        """The change that is meant at a place: the one that stands there, else one that edits there; where only the
        symptom shows, the first. None when nothing of this rewrite is there."""
        for at, change in enumerate(self.changes):
            if change.place.meets(file, span):
                return at
        for at, change in enumerate(self.changes):
            if any(edit.place.meets(file, span) for edit in change.edits):
                return at
        return 0 if any(place.meets(file, span) for place in self.places) else None


@dataclass(frozen=True)
class Offer:
    """What one action does. `identity` finds it again in the advice that it comes from."""

    identity: str
    title: str
    evidence: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Advice:
    """The rewrites of one operator, best first, and the digests of the texts that they are edits of."""

    identity: str
    root: Path
    operator: Path
    rewrites: tuple[Rewrite, ...]
    digests: Mapping[str, str]

    @staticmethod
    def of(identity: str, operator: Path, answer: Mapping[str, Any]) -> Advice:
        """The adviser's answer about `operator`."""
        root = operator if operator.is_dir() else operator.parent
        return Advice(identity, root, operator, tuple(map(_rewrite, answer["rewrites"])), answer["digests"])

    def at(self, path: Path, span: Span) -> list[Offer]:
        """What to offer at a place of a file: one for each rewrite that stands there, at most `MOST_OFFERED`."""
        if not path.is_relative_to(self.root):
            return []
        file = path.relative_to(self.root).as_posix()
        offers: list[Offer] = []
        for number, rewrite in enumerate(self.rewrites):
            chosen = rewrite.change_at(file, span)
            if chosen is not None:
                offers.append(self._offer(number, chosen))
        return offers[:MOST_OFFERED]

    def offer(self, identity: str) -> Offer:
        """The offer of that identity. Raises MovedOn when it comes from other texts."""
        advice, _, rest = identity.partition("/")
        number, _, change = rest.partition("/")
        if advice != self.identity:
            raise MovedOn("The operator was changed since this was offered; open the light bulb again.")
        return self._offer(int(number), int(change))

    def _offer(self, number: int, chosen: int) -> Offer:
        rewrite = self.rewrites[number]
        change = rewrite.changes[chosen]
        identity = f"{self.identity}/{number}/{chosen}"
        return Offer(identity, change.title, rewrite.evidence, change.edits)

    def edit(self, offer: Offer, current: CurrentFile, *, versioned: bool) -> types.WorkspaceEdit:
        """The offer against the files as they are now. Raises MovedOn when one of them is another text."""
        files: list[FileChange] = []
        for path, edits in _by_file(offer).items():
            uri, version, data = self._unchanged(path, current)
            changes = tuple(Change(edit.place.span, edit.new_text) for edit in edits)
            files.append(FileChange(uri, version, Positions.of(data), changes))
        return workspace_edit(files, offer.title, offer.evidence, versioned=versioned)

    def changed_texts(self, offer: Offer, current: CurrentFile) -> dict[str, str]:
        """Whole new texts of the files that the offer changes, by relative path. Raises MovedOn."""
        texts: dict[str, str] = {}
        for path, edits in _by_file(offer).items():
            data = self._unchanged(path, current)[2]
            for edit in sorted(edits, key=lambda edit: edit.place.span, reverse=True):
                span = edit.place.span
                data = data[: span.start] + edit.new_text.encode("utf-8", "surrogateescape") + data[span.end :]
            texts[path] = data.decode("utf-8", "surrogateescape")
        return texts

    def check(self, current: CurrentFile) -> None:
        """Raises MovedOn when a file of the operator is another text than the one that the rewrites are for."""
        for path in self.digests:
            self._unchanged(path, current)

    def _unchanged(self, path: str, current: CurrentFile) -> tuple[str, int | None, bytes]:
        name = Path(path).name
        try:
            uri, version, data = current(self.root / path)
        except OSError as error:
            raise MovedOn(f"{name} can't be read any more: {error.strerror}.") from error
        if hashlib.sha256(data).hexdigest() != self.digests[path]:
            raise MovedOn(f"{name} was changed since this was offered; open the light bulb again.")
        return uri, version, data


def _by_file(offer: Offer) -> dict[str, list[Edit]]:
    files: dict[str, list[Edit]] = {}
    for edit in offer.edits:
        files.setdefault(edit.place.file, []).append(edit)
    return files


def _rewrite(data: Mapping[str, Any]) -> Rewrite:
    changes = tuple(
        OneChange(
            change["title"],
            _place(change["place"]),
            tuple(Edit(_place(edit[:3]), edit[3]) for edit in change["edits"]),
        )
        for change in data["changes"]
    )
    places = tuple(_place(place) for place in data["places"])
    return Rewrite(data["evidence"], places, changes)


def _place(data: Sequence[Any]) -> Place:
    return Place(data[0], Span(data[1], data[2]))
