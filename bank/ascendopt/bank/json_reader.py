"""Reading untrusted JSON: every value is checked for type, size and characters, and the message names its field."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from ascendopt.bank.errors import BankError

_SHOWN = 40
# Control characters (tab and newline are allowed in longer texts), and those that turn the direction of writing.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# A tag, as against the template arguments of C++: `Cast<half>` follows a name, and no name is that of an element.
_ELEMENTS = (
    "a|audio|base|body|button|details|div|embed|form|frame|frameset|head|html|iframe|img|input|link|math|meta|object"
    "|picture|pre|script|source|span|style|svg|table|template|textarea|title|video"
)
_MARKUP = re.compile(
    rf"<(?:/|!|\?)|<(?:{_ELEMENTS})(?=[\s/>])|(?<![A-Za-z0-9_<])<[A-Za-z]|\bjavascript:", re.IGNORECASE
)
_TAG_IN_TEXT = re.compile(rf"<!--|</?(?:{_ELEMENTS})(?=[\s/>])", re.IGNORECASE)


def read_limited(path: Path, limit: int, what: str) -> str:
    """The text of a regular file of at most ``limit`` bytes. Its size is looked at before it is read.

    Raises:
        BankError: it is no file, is too large, or is not UTF-8.
    """
    try:
        # Non-blocking: a named pipe is refused below and must not hold us up here.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise BankError(f"{path} cannot be read: {error.strerror}.") from None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise BankError(f"{path} is not a file; give the JSON file of {what}.")
    with os.fdopen(descriptor, "rb") as file:
        if about.st_size > limit:
            raise BankError(f"{path} has {about.st_size >> 20} MB; {what} has at most {limit >> 20} MB.")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise BankError(f"{path} grew while it was read; {what} has at most {limit >> 20} MB.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BankError(f"{path} is not UTF-8 text (byte {error.start}); it is no {what.split()[-1]}.") from None


def parse(text: str, where: str) -> object:
    """JSON without NaN, infinity and repeated keys.

    Raises:
        BankError: it is not that.
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise BankError(f"{where} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise BankError(f"{where} is nested too deeply.") from None
    except ValueError as error:
        raise BankError(f"{where} is not JSON as it should be: {error}.") from None


def shown(value: object) -> str:
    """A value as it may stand in a message: short, printable, ASCII."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def fault_in_text(text: str, *, limit: int, lines: bool) -> str | None:
    """What is wrong with a text, as the end of a sentence; None when nothing is.

    ``lines``: tabs and newlines are allowed.
    """
    if len(text) > limit:
        return f"has {len(text)} characters; at most {limit} are allowed"
    control = _CONTROL.search(text) or (None if lines else re.search(r"[\t\n]", text))
    if control is not None:
        return f"has the control character {control.group()!a}"
    return None


class Fields:
    """One JSON object, read field by field; ``done`` refuses what nobody asked for."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise BankError(f"{where} must be an object, not {_kind(value)}.")
        self._values = cast(dict[str, object], value)
        self._asked: set[str] = set()
        self._where = where

    def error(self, key: str, text: str) -> BankError:
        """The sentence about one field."""
        return BankError(f"{self._where}, field '{key}' {text}.")

    def take(self, key: str, default: object = None) -> object:
        """The raw value. ``default`` None: the field must be there."""
        self._asked.add(key)
        if key not in self._values:
            if default is None:
                raise self.error(key, "is missing")
            return default
        return self._values[key]

    def text(self, key: str, limit: int, *, lines: bool = False, code: bool = False, empty: bool = True) -> str:
        """A text without control characters and, unless it is ``code``, without HTML."""
        return self._checked(key, self.take(key, "" if empty else None), limit, lines=lines, code=code, empty=empty)

    def texts(self, key: str, limit: int, count: int) -> tuple[str, ...]:
        """A list of short texts of one line."""
        return tuple(self._checked(key, value, limit) for value in self.items(key, count))

    def pairs(self, key: str, limit: int, count: int) -> tuple[tuple[str, str], ...]:
        """An object of short texts, in the order of its keys."""
        value = self.take(key, {})
        if not isinstance(value, dict):
            raise self.error(key, f"must be an object, not {_kind(value)}")
        entries = cast(dict[str, object], value)
        if len(entries) > count:
            raise self.error(key, f"has {len(entries)} entries; at most {count} are allowed")
        return tuple(
            (self._checked(key, name, limit, code=True), self._checked(key, entries[name], limit, code=True))
            for name in sorted(entries)
        )

    def items(self, key: str, count: int) -> list[object]:
        """A list of at most ``count`` values."""
        value = self.take(key, [])
        if not isinstance(value, list):
            raise self.error(key, f"must be a list, not {_kind(value)}")
        values = cast(list[object], value)
        if len(values) > count:
            raise self.error(key, f"has {len(values)} entries; at most {count} are allowed")
        return values

    def flag(self, key: str) -> bool:
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, not {_kind(value)}")
        return value

    def count(self, key: str, default: int, limit: int = 10**9) -> int:
        value = self.take(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= limit:
            raise self.error(key, f"must be a whole number from 0 to {limit}, not {shown(value)}")
        return value

    def positive(self, key: str) -> float:
        return self.positive_value(key, self.take(key))

    def positive_value(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, f"must be a number, not {_kind(value)}")
        if not 0 < value <= 1e15 or not math.isfinite(value):
            raise self.error(key, f"must be a number above 0, not {shown(value)}")
        return float(value)

    def one_of(self, key: str, allowed: Iterable[str], default: str | None = None) -> str:
        value = self.take(key, default)
        names = list(allowed)
        if not isinstance(value, str) or value not in names:
            raise self.error(key, f"must be one of {', '.join(names)}, not {shown(value)}")
        return value

    def done(self) -> None:
        """Refuse fields that were not asked for."""
        unknown = sorted(set(self._values) - self._asked)
        if unknown:
            raise BankError(f"{self._where} has the unknown field {shown(unknown[0])}.")

    def _checked(
        self, key: str, value: object, limit: int, *, lines: bool = False, code: bool = False, empty: bool = True
    ) -> str:
        if not isinstance(value, str):
            raise self.error(key, f"must be text, not {_kind(value)}")
        fault = fault_in_text(value, limit=limit, lines=lines)
        if fault is not None:
            raise self.error(key, fault)
        if not empty and not value.strip():
            raise self.error(key, "is empty")
        markup = None if code else (_TAG_IN_TEXT if lines else _MARKUP).search(value)
        if markup is not None:
            raise self.error(key, f"holds HTML: {shown(value[markup.start() :])}")
        return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "a number"
    return "text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise ValueError(f"the key {shown(twice)} stands twice in one object")
    return result
