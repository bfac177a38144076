"""Reads a TOML file; what is wrong with it is one sentence with the file and the line."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from re import search
from typing import Any

# The standard library has it from 3.11 on; tomli is the same parser for 3.10.
_parser = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


@dataclass
class TomlFileError(ValueError):
    """A file that can't be used: ``path``, ``line`` (1-based, or None) and one sentence."""

    path: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.reason}"


def read_toml(path: Path, error_type: type[TomlFileError]) -> tuple[str, dict[str, Any]]:
    """Text and content of a file. Raises ``error_type``."""
    text = ""
    try:
        text = path.read_bytes().decode("utf-8")
        return text, _parser.loads(text)
    except OSError as error:
        raise error_type(path, None, f"can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise error_type(path, None, "is not a text file in UTF-8.") from error
    except ValueError as error:
        found = search(r"\(at line (\d+)", str(error))
        line = int(found[1]) if found else max(1, len(text.splitlines()))  # else: "at end of document"
        what = str(error).split(" (at ")[0]
        raise error_type(path, line, f"is not valid TOML: {what}.") from error
