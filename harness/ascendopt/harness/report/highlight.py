"""A patch as coloured lines: the sides of each hunk are read as C++ by Pygments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pygments.lexers.c_cpp import CppLexer  # pyright: ignore[reportMissingTypeStubs]
from pygments.token import Comment, Keyword, Literal, Name, Number, String

# The classes of the style sheet by the token's type; of types that contain each other, the inner one first.
_CLASSES = (
    (Comment.Preproc, "macro"),
    (Comment.PreprocFile, "string"),
    (Comment, "comment"),
    (Keyword, "keyword"),
    (Number, "number"),
    (String, "string"),
    (Literal, "number"),
    (Name.Function, "function"),
)


@dataclass(frozen=True)
class Part:
    """Characters of one line with the same colour; ``kind`` is a class of the style sheet or empty."""

    kind: str
    text: str


@dataclass(frozen=True)
class PatchLine:
    """One line of a patch: ``kind`` is ``file``, ``hunk``, ``add``, ``del`` or empty."""

    kind: str
    parts: tuple[Part, ...]


def patch_lines(patch: str) -> list[PatchLine]:
    """The lines of a unified diff, coloured. Whatever is in it comes back as text, nothing is lost or added."""
    out: list[PatchLine] = []
    hunk: list[str] = []
    for line in patch.split("\n"):
        kind = _kind(line)
        if kind in ("file", "hunk") or not line:
            out += _coloured(hunk)
            hunk = []
            out.append(PatchLine(kind, (Part("", line),)))
        else:
            hunk.append(line)
    return [*out, *_coloured(hunk)]


def _kind(line: str) -> str:
    if line.startswith(("diff ", "--- ", "+++ ", "new file", "deleted file", "index ")):
        return "file"
    return {"+": "add", "-": "del", "@": "hunk", "\\": "hunk"}.get(line[:1], "")


def _coloured(hunk: Sequence[str]) -> Iterator[PatchLine]:
    # A comment that begins in one line may end in the next: each side is read as a whole.
    old = _side([line[1:] for line in hunk if line[0] != "+"])
    new = _side([line[1:] for line in hunk if line[0] != "-"])
    for line in hunk:
        # A line that both sides have is taken from both, to keep them in step.
        before = () if line[0] == "+" else next(old)
        after = () if line[0] == "-" else next(new)
        yield PatchLine(_kind(line), (Part("", line[0]), *(after or before)))


def _side(lines: Sequence[str]) -> Iterator[tuple[Part, ...]]:
    """The parts of each line of one side, in order."""
    lexer = CppLexer(stripnl=False, ensurenl=False)
    parts: list[Part] = []
    for token, text in lexer.get_tokens("\n".join(lines)):
        kind = _class(token)
        for index, piece in enumerate(text.split("\n")):
            if index:
                yield tuple(parts)
                parts = []
            if piece and parts and parts[-1].kind == kind:
                parts[-1] = Part(kind, parts[-1].text + piece)
            elif piece:
                parts.append(Part(kind, piece))
    yield tuple(parts)


def _class(token: tuple[str, ...]) -> str:
    """A token's type is the path to it: ("Comment", "Preproc") lies in Comment."""
    return next((name for kind, name in _CLASSES if token[: len(kind)] == tuple(kind)), "")
