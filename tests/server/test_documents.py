"""Documents and positions against an independent model: the text as a list of UTF-16 code units."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from ascendopt.analysis.findings import Span
from ascendopt.server.documents import DocumentStore
from ascendopt.server.text import Positions

URI = "file:///w/kernel.cpp"
# Everything that str.splitlines splits at and LSP does not, plus characters of one to four UTF-8 bytes.
ALPHABET = "ab{};_ \n\r\f\v\x1c\x85\u2028\u00e9\u6f22\U0001f600"


def no_macros(_path: Path) -> dict[str, int | None]:
    return {}


def units(text: str) -> list[int]:
    data = text.encode("utf-16-le")
    return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]


def text_of(code_units: list[int]) -> str:
    return b"".join(unit.to_bytes(2, "little") for unit in code_units).decode("utf-16-le")


def offset_in(code_units: list[int], line: int, character: int) -> int:
    """The specification, literally: walk the lines, clamp the column to the line's end without its terminator."""
    at = 0
    for _ in range(line):
        while at < len(code_units) and code_units[at] not in (10, 13):
            at += 1
        if at == len(code_units):
            return at
        at += 2 if code_units[at : at + 2] == [13, 10] else 1
    end = at
    while end < len(code_units) and code_units[end] not in (10, 13):
        end += 1
    return min(at + character, end)


def open_document(text: str) -> DocumentStore:
    store = DocumentStore()
    assert store.open(types.TextDocumentItem(URI, "cpp", 1, text), no_macros) is not None
    return store


def partial(start: tuple[int, int], end: tuple[int, int], text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(types.Range(types.Position(*start), types.Position(*end)), text)


def current(store: DocumentStore) -> str:
    document = store.get(URI)
    assert document is not None
    return document.source.data.decode()


def test_form_feed_is_no_line_end() -> None:
    store = open_document("int a;\fint b;\nint c;\n")
    store.change(URI, 2, [partial((1, 4), (1, 5), "d")])
    assert current(store) == "int a;\fint b;\nint d;\n"


def test_columns_count_utf16_units() -> None:
    store = open_document("// \U0001f600 x\nint a;\n")
    store.change(URI, 2, [partial((0, 6), (0, 7), "y")])
    assert current(store) == "// \U0001f600 y\nint a;\n"


def test_changes_of_one_message_apply_in_order() -> None:
    store = open_document("abc\n")
    document = store.change(URI, 7, [partial((0, 0), (0, 1), "xx"), partial((0, 1), (0, 2), "\n")])
    assert current(store) == "x\nbc\n"
    assert document is not None and document.version == 7


def test_whole_text_replaces() -> None:
    store = open_document("abc\n")
    store.change(URI, 2, [types.TextDocumentContentChangeWholeDocument("new")])
    assert current(store) == "new"


def test_untitled_buffers_are_not_taken_up() -> None:
    assert DocumentStore().open(types.TextDocumentItem("untitled:Untitled-1", "cpp", 1, ""), no_macros) is None


places = st.tuples(st.integers(0, 6), st.integers(0, 12))


@settings(max_examples=60, deadline=None)
@given(st.text(ALPHABET, max_size=40), st.lists(st.tuples(places, places, st.text(ALPHABET, max_size=5)), max_size=4))
def test_edits_equal_the_model(text: str, edits: list[tuple[tuple[int, int], tuple[int, int], str]]) -> None:
    store = open_document(text)
    model = units(text)
    for number, (one, two, new) in enumerate(edits):
        start, end = sorted((one, two))
        low, high = offset_in(model, *start), offset_in(model, *end)
        # A client never names the middle of a surrogate pair.
        if any(0 < at < len(model) and 0xDC00 <= model[at] <= 0xDFFF for at in (low, high)):
            continue
        model[low:high] = units(new)
        store.change(URI, number + 2, [partial(start, end, new)])
    assert current(store) == text_of(model)


@settings(max_examples=60, deadline=None)
@given(st.text(ALPHABET, max_size=40))
def test_every_character_round_trips(text: str) -> None:
    positions = Positions.of(text.encode())
    at = 0
    for character in text:
        place = positions.to_position(at)
        assert positions.to_byte(place) == at or character == "\n", (text, at)
        at += len(character.encode())
    assert positions.to_span(positions.to_range(Span(0, at))) == Span(0, at) or text.endswith(("\n", "\r"))
