"""The answer format: search/replace blocks that must match exactly once. Strict; nothing is guessed or normalised.

A block:

    <<<<<<< SEARCH op_kernel/add.cpp
    text of the file, exactly
    =======
    the text that takes its place
    >>>>>>> REPLACE

All blocks of an answer refer to the same text, the one that the model was shown. The only liberty is the line end: the
lines of a block are joined as the file joins its own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ascendopt.harness.llm.fences import hidden, one_line

MAX_EDITS = 24
MAX_EDIT_CHARS = 24_000
MAX_GROWTH = 64_000
MAX_TITLE = 120

SEARCH = "<<<<<<< SEARCH"
DIVIDER = "======="
REPLACE = ">>>>>>> REPLACE"
TITLE = "CHANGE:"

_THINKING = re.compile(r"\s*<think>.*?</think>", re.S)
_OWN_COMMENT = "ascendopt:"

# Path -> the half-open ranges of characters that may change; None: the whole file.
Regions = Mapping[str, Sequence[tuple[int, int]] | None]


class EditError(ValueError):
    """An answer that is refused. The message is one sentence for the model's next round."""


@dataclass(frozen=True)
class Edit:
    """One block, its lines without line ends."""

    path: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """A parsed answer. ``title`` is one printable line, empty when the model gave none."""

    title: str
    edits: tuple[Edit, ...]


@dataclass
class _Block:
    path: str
    old: list[str] = field(default_factory=list[str])
    new: list[str] | None = None


def parse_answer(text: str) -> Answer:
    """The blocks of an answer; everything outside of them is talk. Raises EditError."""
    thinking = _THINKING.match(text)
    title, edits = "", list[Edit]()
    block: _Block | None = None
    for line in text[thinking.end() if thinking else 0 :].split("\n"):
        line = line.removesuffix("\r")
        mark = line.rstrip()
        if mark == SEARCH or mark.startswith(SEARCH + " "):
            if block is not None:
                raise EditError(f"block {len(edits) + 1} starts another block before its line '{REPLACE}'.")
            block = _Block(mark[len(SEARCH) :].strip())
        elif mark == DIVIDER:
            if block is None or block.new is not None:
                raise EditError(f"there is a line '{DIVIDER}' that divides no block (after block {len(edits)}).")
            block.new = []
        elif mark == REPLACE:
            if block is None or block.new is None:
                raise EditError(f"there is a line '{REPLACE}' that ends no block (after block {len(edits)}).")
            edits.append(Edit(block.path, tuple(block.old), tuple(block.new)))
            block = None
        elif block is not None:
            (block.old if block.new is None else block.new).append(line)
        elif line.startswith(TITLE) and not title:
            title = one_line(line[len(TITLE) :], MAX_TITLE)
    if block is not None:
        raise EditError(f"block {len(edits) + 1} is not finished: it has no line '{REPLACE}'.")
    if not edits:
        raise EditError(f"the answer holds no block that starts with '{SEARCH} <file>'.")
    if len(edits) > MAX_EDITS:
        raise EditError(f"the answer has {len(edits)} blocks; at most {MAX_EDITS} are taken.")
    return Answer(title, tuple(edits))


def apply_edits(texts: Mapping[str, str], edits: Sequence[Edit], regions: Regions) -> dict[str, str]:
    """The new texts of the files that the blocks change. ``texts`` are the operator's files. Raises EditError."""
    places: dict[str, list[tuple[int, int, str]]] = {}
    for number, edit in enumerate(edits, 1):
        _check_path(number, edit.path, texts, regions)
        start, end, new = _place(number, edit, texts[edit.path])
        ranges = regions[edit.path]
        if ranges is not None and not any(low <= start and end <= high for low, high in ranges):
            raise EditError(f"block {number} changes lines of {edit.path} that are not among the ones that may change.")
        places.setdefault(edit.path, []).append((start, end, new))
    changed: dict[str, str] = {}
    for path, found in places.items():
        text = texts[path]
        found.sort()
        for (_, end, _), (start, _, _) in itertools.pairwise(found):
            if start < end:
                raise EditError(f"two blocks change the same text of {path}; put them into one.")
        for start, end, new in reversed(found):
            text = text[:start] + new + text[end:]
        if text != texts[path]:
            changed[path] = text
    if not changed:
        raise EditError("the blocks together change nothing.")
    growth = sum(len(text) - len(texts[path]) for path, text in changed.items())
    if growth > MAX_GROWTH:
        raise EditError(f"the blocks add {growth} characters; at most {MAX_GROWTH} are taken.")
    return changed


def _check_path(number: int, path: str, texts: Mapping[str, str], regions: Regions) -> None:
    shown = one_line(path, 80)
    if not path:
        raise EditError(f"block {number} names no file; write '{SEARCH} <file>'.")
    pure = PurePosixPath(path)
    if pure.is_absolute() or "\\" in path or re.match(r"[A-Za-z]:", path):
        raise EditError(
            f"block {number} names '{shown}'; only files of the operator, by their relative names, may change."
        )
    if ".." in pure.parts:
        raise EditError(f"block {number} names '{shown}', which leaves the operator's folder.")
    if path not in texts:
        raise EditError(f"block {number} names '{shown}', which is no file of the operator.")
    if path not in regions:
        raise EditError(f"block {number} changes '{shown}', which must stay as it is here.")


def _place(number: int, edit: Edit, text: str) -> tuple[int, int, str]:
    """Where a block matches, and its new text with the line ends of the file. Raises EditError."""
    breaks = text.count("\n")
    ending = "\r\n" if breaks and text.count("\r\n") == breaks else "\n"
    old, new = ending.join(edit.old), ending.join(edit.new)
    if not old.strip():
        raise EditError(f"block {number} ({edit.path}) has no text to search for.")
    if old == new and len(edit.old) == len(edit.new):
        raise EditError(f"block {number} ({edit.path}) replaces a text by itself.")
    if max(len(old), len(new)) > MAX_EDIT_CHARS:
        raise EditError(f"block {number} ({edit.path}) is longer than {MAX_EDIT_CHARS} characters.")
    _check_new(number, edit)
    start = text.find(old)
    if start < 0:
        raise EditError(
            f"block {number} ({edit.path}): its text is not in the file; copy the lines exactly, with all white space."
        )
    if text.find(old, start + 1) >= 0:
        raise EditError(
            f"block {number} ({edit.path}): its text is there more than once; add lines that tell which is meant."
        )
    end = start + len(old)
    whole_lines = (start == 0 or text[start - 1] == "\n") and text.startswith(ending, end)
    if not edit.new and whole_lines:
        end += len(ending)  # lines that go leave no empty line
    return start, end, new


def _check_new(number: int, edit: Edit) -> None:
    """What no optimisation needs: characters that a reader of the patch can't see, and orders to our own checks."""
    old, new = "\n".join(edit.old), "\n".join(edit.new)
    if any(hidden(letter) and letter not in old for letter in new):
        raise EditError(f"block {number} ({edit.path}) adds control or invisible characters.")
    if new.count(_OWN_COMMENT) > old.count(_OWN_COMMENT):
        raise EditError(
            f"block {number} ({edit.path}) adds an '{_OWN_COMMENT}' comment; those are for people to write."
        )
