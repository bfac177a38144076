"""Random edits of an operator, and whether what was kept across them is what a fresh analysis gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendopt.analysis.facts import FactsCache
from ascendopt.analysis.operators import ParsedFiles
from ascendopt.analysis.quiet import QuietRules
from ascendopt.analysis.source import SourceFile

Files = dict[Path, SourceFile]
Analyse = Callable[[Files, FactsCache, ParsedFiles, QuietRules], object]
"""Facts and findings as something that compares by value."""
RESTART = 12
"""After so many edits the texts are as at first again, so that they stay near to an operator."""
_TEXTS = tuple(
    piece.encode()
    for piece in (
        *["1", "0", ";", "}", "{", "(", ")", "#", ",", "<", ">", "\\", '"', "'", "x", "::", "&", "*"],
        *("\n", "\r", "\r\n", "\f", "\v", "\t", " ", "\u2028", "\ufeff", "ä", "世界", "😀", "/* ", " */", "// ", 'R"('),
        *("#define ", "#define ROUND(n", "#if ", "#ifdef __NPU_ARCH__\n", "#else\n", "#endif\n", '#include "', "\\\n"),
        *(
            "TILING_KEY_IS(",
            "GET_TILING_DATA(",
            "BEGIN_TILING_DATA_DEF(",
            "END_TILING_DATA_DEF",
            "__aicore__ ",
            "__gm__",
        ),
        *(
            "template <",
            "typename T>",
            "if constexpr (",
            "for (;;",
            "return ",
            "class X : ",
            "op.",
            "this->",
            "<<<",
            ">>>",
        ),
        *(
            "DataCopy(",
            "pipe->InitBuffer(",
            "EnQue(",
            "length += 7;\n",
            "uint32_t extra = 4;\n",
            "CHECK(a, return 1);\n",
        ),
    )
)
PIECES: tuple[bytes, ...] = (*_TEXTS, b"\xff", b"\xc3", b"\0", b"\xed\xa0\x80")


@dataclass(frozen=True)
class Edit:
    """Bytes ``[start, end)`` of a file become ``text``; offsets beyond the text are clamped to it."""

    path: Path
    start: int
    end: int
    text: bytes

    def on(self, files: Files) -> None:
        """Apply it, in place of the snapshot before."""
        source = files[self.path]
        end = min(self.end, len(source.data))
        files[self.path] = source.with_edit(min(self.start, end), end, self.text)

    def __str__(self) -> str:
        return f"{self.path.name}: [{self.start}, {self.end}) -> {self.text!r}"


def random_edit(files: Files, rng: random.Random) -> Edit:
    """Insert, delete, replace, join lines, cut a line short, or repeat a block."""
    path = rng.choice(sorted(files))
    source = files[path]
    size = len(source.data)
    at = rng.randrange(size + 1)
    kind = rng.randrange(10)
    if kind < 5:
        if rng.random() < 0.5:
            at = source.lines.starts[source.lines.line_of(at)]
        return Edit(path, at, at, rng.choice(PIECES))
    if kind < 7:
        return Edit(path, at, min(size, at + rng.choice((1, 2, 5, 40))), rng.choice((b"", b"", rng.choice(PIECES))))
    if kind == 7:
        newline = source.data.find(b"\n", at)
        return Edit(path, newline, newline + 1, b" ") if newline >= 0 else Edit(path, at, at, b"\n")
    lines = source.lines.starts
    first = rng.randrange(len(lines))
    last = min(len(lines) - 1, first + rng.choice((1, 3, 12)))
    if kind == 8:
        return Edit(path, min(at, lines[last]), lines[last], b"")
    target = lines[rng.randrange(len(lines))]
    return Edit(path, target, target, source.data[lines[first] : lines[last]])


def difference(first: Files, edits: Sequence[Edit], analyse: Analyse) -> str | None:
    """What is not as in a fresh analysis after some of ``edits`` of ``first``; None when all is."""
    state = _State(first, analyse)
    return next((what for what in (state.after(edit) for edit in edits) if what), None)


def minimised(first: Files, edits: list[Edit], analyse: Analyse) -> list[Edit]:
    """As few of ``edits`` as still leave a difference, each as short as it can be."""
    kept = list(edits)
    for edit in edits:
        fewer = [one for one in kept if one is not edit]
        if fewer and difference(first, fewer, analyse):
            kept = fewer
    for index, edit in enumerate(kept):
        while len(edit.text) > 1:
            shorter = Edit(edit.path, edit.start, edit.end, edit.text[: len(edit.text) // 2])
            if not difference(first, [*kept[:index], shorter, *kept[index + 1 :]], analyse):
                break
            edit = kept[index] = shorter
    return kept


def run(first: Files, analyse: Analyse, seed: int, count: int) -> str | None:
    """``count`` edits from ``seed``; a sentence with the fewest edits that show a difference, or None."""
    rng = random.Random(seed)
    edits: list[Edit] = []
    state = _State(first, analyse)
    for done in range(1, count + 1):
        if len(edits) == RESTART:
            edits, state = [], _State(first, analyse)
        edits.append(random_edit(state.files, rng))
        if state.after(edits[-1]) is None:
            continue
        fewest = minimised(first, edits, analyse)
        shown = "\n".join(f"  {one}" for one in fewest)
        return f"seed {seed}, edit {done}: {difference(first, fewest, analyse)} differ(s) after\n{shown}"
    return None


class _State:
    """What an editor keeps while a text is edited."""

    def __init__(self, first: Files, analyse: Analyse) -> None:
        self.files = dict(first)
        self._analyse = analyse
        self._kept = (FactsCache(), ParsedFiles(), QuietRules())
        analyse(self.files, *self._kept)

    def after(self, edit: Edit) -> str | None:
        """Apply ``edit``; what is then not as in a fresh analysis."""
        edit.on(self.files)
        kept = self._analyse(self.files, *self._kept)
        fresh = {path: SourceFile.of(path, source.data, source.macros) for path, source in self.files.items()}
        for path, source in self.files.items():
            if _text(source) != _text(fresh[path]):
                return f"the masked text of {path.name}"
            if str(source.tree.root_node) != str(fresh[path].tree.root_node):
                return f"the syntax tree of {path.name}"
        same = kept == self._analyse(fresh, FactsCache(), ParsedFiles(), QuietRules())
        return None if same else "the facts or the findings"


def _text(source: SourceFile) -> object:
    return source.masked, source.lines.starts, source.dead
