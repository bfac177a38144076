"""Same-length rewrites that make AscendC text parse as C++.

Every pass looks at most ``REACH`` bytes to either side of the place that it rewrites, so after an edit only a
window around the edit has to be masked again (``remask``). No pass changes the length, a line break or a
byte of UTF-8 text outside the words it knows: positions in the tree are positions in the file.
"""

from __future__ import annotations

import re

from ascendopt.analysis.source.words import Words

REACH = 2048
_LAUNCH = re.compile(rb"(?<!<)<<<[^;{}<>]{0,300}(?:<[^;{}<>]{0,100}>[^;{}<>]{0,100}){0,2}>>>")
_TEMPLATE = re.compile(rb"(?:\.|->)\s{0,40}(template)\s{1,40}[A-Za-z_]\w{0,80}\s{0,40}\(")
_EMPTY_DEFAULT = re.compile(rb"=\s{0,40}\{\s{0,40}\}(?=\s{0,40}[,)])")
_VARIADIC = re.compile(rb"(?<=[(, \t])([A-Za-z_]\w{0,80})(?=[ \t]?\.\.\.[ \t]?\))")
_DEFINE = re.compile(rb"[ \t]*#[ \t]*define\b")
_TILING = re.compile(
    rb"(?<![A-Za-z0-9_])(?:(BEGIN_TILING_DATA_DEF)\s{0,20}\(\s{0,20}\w{1,120}\s{0,20}(\))"
    rb"|(TILING_DATA_FIELD_DEF|TILING_DATA_FIELD_DEF_STRUCT)\s{0,20}\(\s{0,20}[\w:<>]{1,120}\s{0,20}(,)"
    rb"\s{0,60}\w{1,120}\s{0,20}(\))"
    rb"|(TILING_DATA_FIELD_DEF_ARR)\s{0,20}\(\s{0,20}[\w:<>]{1,120}\s{0,20}(,[^,;(){}]{1,120},)"
    rb"\s{0,60}\w{1,120}\s{0,20}(\))"
    rb"|(END_TILING_DATA_DEF)(?![A-Za-z0-9_])"
    rb"|(REGISTER_TILING_DATA_CLASS)\s{0,20}\([^;(){}]{0,240}\))"
)
_LINE = rb"^(?<!\\\n)(?<!\\\r\n)[ \t]{0,80}"  # not a continued line: bodies of macros stay as they are
_DECLARING = re.compile(
    _LINE + rb"([A-Z][A-Z0-9_]{0,60}(?:OPDEF|OP_DEF|DECLARE|DEFINE|PREPARE|REGISTER)[A-Z0-9_]{0,60}[ \t]?"
    rb"\([^;{}()#]{0,400}\))(?=[ \t]{0,80}\r?\n\s{0,400}(?:[A-Z}#]|\Z))",
    re.MULTILINE,
)
_LONE_WORD = re.compile(
    _LINE + rb"([A-Z][A-Z0-9_]{2,60})(?=[ \t]{0,8}\r?\n[ \t]{0,40}"
    rb"(?:class|struct|template|inline|static|constexpr|void)[\s<])",
    re.MULTILINE,
)
_EMPTY_ARGUMENT = re.compile(rb",(?=\s{0,40},)")
_NAME_BEFORE = re.compile(rb"([A-Z][A-Z0-9_]{2,80})\s{0,8}\Z")
_RETURN = re.compile(rb"return(?![A-Za-z0-9_])")
_SEMICOLON = re.compile(rb";(?=\s{0,38}[,)])")
_MARK = re.compile(rb"[(){};]")
_LONGEST_CALL = 1200  # and the name before it stays within REACH
_BLANKED = bytes(c if c in b"\r\n" else 0x20 for c in range(256))


def mask(data: bytes, words: Words) -> bytearray:
    """Apply every pass to ``data``; the result has the same length and the same line breaks."""
    out = bytearray(data)
    _attributes(out, words)
    if b"TILING_DATA" in out:
        _tiling_structs(out)
    for name, replacement in words.core_conditions:
        _replace_word(out, name, replacement)
    if b"<<<" in out:
        _blank_matches(out, _LAUNCH, 0)
    if b"template" in out:
        _blank_matches(out, _TEMPLATE, 1)
    if b"->*" in out:
        out[:] = out.replace(b"->*", b"->_")
    _blank_matches(out, _EMPTY_DEFAULT, 0)
    if b"..." in out:
        _variadics(out)
    _blank_matches(out, _DECLARING, 1)
    _blank_matches(out, _LONE_WORD, 1)
    _macro_arguments(out, words)
    return out


def remask(old_masked: bytes, data: bytes, start: int, old_end: int, new_end: int, words: Words) -> bytes:
    """Masked form of ``data``, given that of the text before ``[start, old_end)`` became ``[start,
    new_end)``."""
    keep_head = max(0, start - REACH)
    keep_tail = min(len(data), new_end + REACH)
    low = max(0, keep_head - REACH)
    high = min(len(data), keep_tail + REACH)
    window = mask(data[low:high], words)
    shift = new_end - old_end
    return old_masked[:keep_head] + window[keep_head - low : keep_tail - low] + old_masked[keep_tail - shift :]


def _blank(out: bytearray, start: int, end: int) -> None:
    out[start:end] = out[start:end].translate(_BLANKED)


def _blank_matches(out: bytearray, pattern: re.Pattern[bytes], group: int) -> None:
    for match in list(pattern.finditer(out)):
        _blank(out, match.start(group), match.end(group))


def _attributes(out: bytearray, words: Words) -> None:
    def spaces(match: re.Match[bytes]) -> bytes:
        return b" " * len(match[0])

    out[:] = words.attributes.sub(spaces, out)


def _replace_word(out: bytearray, name: bytes, replacement: bytes) -> None:
    at = out.find(name)
    while at >= 0:
        before, after = out[at - 1 : at], out[at + len(name) : at + len(name) + 1]
        if not _is_word(before) and not _is_word(after):
            out[at : at + len(name)] = replacement
        at = out.find(name, at + len(name))


def _is_word(char: bytes | bytearray) -> bool:
    return bool(char) and (char.isalnum() or char == b"_")


def _tiling_structs(out: bytearray) -> None:
    for match in _TILING.finditer(bytes(out)):
        begin, begin_close = match.span(1), match.start(2)
        if begin[0] >= 0:
            _blank(out, begin[0], begin_close)
            out[begin[0] : begin[0] + 6] = b"struct"
            name = match[0][match[0].index(b"(") + 1 : -1].strip()
            at = _argument_start(match, name)
            out[at : at + len(name)] = name
            out[begin_close] = ord("{")
        elif match.start(3) >= 0:
            _blank(out, match.start(3), match.start(0) + match[0].index(b"(") + 1)
            out[match.start(4)] = out[match.start(5)] = 0x20
        elif match.start(6) >= 0:
            _blank(out, match.start(6), match.start(0) + match[0].index(b"(") + 1)
            _blank(out, *match.span(7))
            out[match.start(8)] = 0x20
        elif match.start(9) >= 0:
            _blank(out, *match.span(9))
            out[match.start(9) : match.start(9) + 2] = b"};"
        else:
            _blank(out, *match.span(0))


def _argument_start(match: re.Match[bytes], name: bytes) -> int:
    """Position in the file of the argument ``name`` of a one-argument macro match."""
    return match.start(0) + match[0].index(name, match[0].index(b"("))


def _variadics(out: bytearray) -> None:
    for match in list(_VARIADIC.finditer(out)):
        line = max(out.rfind(b"\n", max(0, match.start() - REACH // 2), match.start()) + 1, 0)
        if _DEFINE.match(out, line, match.start()):
            _blank(out, *match.span(1))


def _macro_arguments(out: bytearray, words: Words) -> None:
    """Inside calls of ALL_CAPS macros: no `return`, no `;`, no empty argument, no primitive type names."""
    text = bytes(out)  # decisions look at the text before this pass, so that none depends on another
    for match in _RETURN.finditer(text):
        lead = text[max(0, match.start() - 80) : match.start()].rstrip()
        if lead[-1:] in (b",", b"(") and _in_macro_call(text, match.start()):
            _blank(out, *match.span())
    for match in _SEMICOLON.finditer(text):
        if _in_macro_call(text, match.start()):
            out[match.start()] = 0x20
    for match in _EMPTY_ARGUMENT.finditer(text):
        if _in_macro_call(text, match.start()):
            out[match.start()] = 0x20
    for match in words.type_argument.finditer(text):
        lead = text[max(0, match.start() - 80) : match.start()].rstrip()
        if lead[-1:] in (b",", b"(") and _in_macro_call(text, match.start()):
            out[match.start() : match.end()] = words.primitive_types[match[1]]


def _in_macro_call(text: bytes, at: int) -> bool:
    depth = 0
    braces = 0
    for mark in _MARK.finditer(text[max(0, at - _LONGEST_CALL) : at][::-1]):
        char = mark[0]
        position = at - 1 - mark.start()
        if char == b")":
            depth += 1
        elif char == b"(":
            if depth == 0:
                return _NAME_BEFORE.search(text[max(0, position - 90) : position]) is not None
            depth -= 1
        elif char == b"}":
            braces += 1
        elif char == b"{":
            if braces == 0:
                return False
            braces -= 1
        elif not _ends_argument(text, position):
            return False
    return False


def _ends_argument(text: bytes, at: int) -> bool:
    """True for a `;` that stands before the end of a macro argument (`LOG(x); , return 1;)`)."""
    return text[at + 1 : at + 41].lstrip()[:1] in (b",", b")")
