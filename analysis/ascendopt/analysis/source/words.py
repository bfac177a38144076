"""The word lists behind masking and detection; they are data (``data/words.json``)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True)
class Words:
    """``attributes``: compiled pattern of words to blank, with an optional argument list. ``core_conditions``
    and ``primitive_types``: (pattern, same-length replacement table). Markers tell AscendC text from other
    C++."""

    attributes: re.Pattern[bytes]
    core_conditions: tuple[tuple[bytes, bytes], ...]
    type_argument: re.Pattern[bytes]
    primitive_types: dict[bytes, bytes]
    device_markers: tuple[str, ...]
    host_markers: tuple[str, ...]


@lru_cache(maxsize=1)
def load_words() -> Words:
    """Read the shipped lists."""
    data = json.loads(resources.files("ascendopt.analysis").joinpath("data/words.json").read_text("utf-8"))
    names: list[str] = sorted(data["attributes"], key=len, reverse=True)
    types: dict[str, str] = data["primitive_types"]
    body = "|".join(re.escape(name[2:]) for name in names)
    # A pattern that starts with letters is searched many times faster than one that starts with a look behind.
    # Only qualifiers that take arguments may swallow a parenthesis: `__gm__ (x)` is a cast of x.
    attributes = re.compile(
        rf"__(?<![A-Za-z0-9_]__)(?:(?:mix__|schedmode__|launch_bounds__)[ ]?\([0-9A-Za-z_, ]{{0,80}}\)"
        rf"|(?:{body})(?![A-Za-z0-9_]))".encode()
    )
    choices = "|".join(sorted(types, key=len, reverse=True))
    type_argument = re.compile(rf"({choices})(?=\s{{0,80}}[,)])".encode())
    return Words(
        attributes=attributes,
        core_conditions=tuple((k.encode(), v.encode()) for k, v in data["core_conditions"].items()),
        type_argument=type_argument,
        primitive_types={k.encode(): v.encode() for k, v in types.items()},
        device_markers=tuple(data["device_markers"]),
        host_markers=tuple(data["host_markers"]),
    )
