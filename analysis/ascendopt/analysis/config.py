"""Configuration of the analysis: ``ascendopt.toml``, or ``[tool.ascendopt]`` of a ``pyproject.toml``.

```toml
soc = "Ascend910B2"          # chip
[check]
select = ["MEM", "ALN"]      # rules that are on: codes or prefixes; all without it
ignore = ["PRF001"]          # rules that are off
```

The files of the operator's folder and of those above it count, up to the repository's root; the nearest one that has
a key decides it. The workload in the same file is read by the harness (docs/workloads.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ascendopt.analysis.toml_file import TomlFileError, read_toml

FILE_NAME = "ascendopt.toml"
_PROJECT_FILE = "pyproject.toml"
_CHECK_KEYS = ("select", "ignore")


class ConfigError(TomlFileError):
    """A configuration file that can't be used."""


@dataclass(frozen=True)
class Config:
    """What the files say; None where they say nothing."""

    soc: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None

    def over(self, outer: Config) -> Config:
        """This configuration, with what it does not say from ``outer``."""
        return Config(
            self.soc if self.soc is not None else outer.soc,
            self.select if self.select is not None else outer.select,
            self.ignore if self.ignore is not None else outer.ignore,
        )


def load_config(start: Path) -> Config:
    """The configuration that holds for ``start``, a folder or a file. Raises ConfigError."""
    found = Config()
    for path in _files(start if start.is_dir() else start.parent):
        found = found.over(_read(path))
    return found


def _files(folder: Path) -> Iterator[Path]:
    for here in (folder, *folder.parents):
        yield from (path for path in (here / FILE_NAME, here / _PROJECT_FILE) if path.is_file())
        if (here / ".git").exists():
            return


def _read(path: Path) -> Config:
    text, data = read_toml(path, ConfigError)
    if path.name == _PROJECT_FILE:
        data = _table(data.get("tool")).get("ascendopt", {})
    return _Reader(path, text).config(_table(data))


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@dataclass(frozen=True)
class _Reader:
    path: Path
    text: str

    def config(self, data: Mapping[str, Any]) -> Config:
        soc = data.get("soc")
        if soc is not None and not isinstance(soc, str):
            raise self._error("soc", "soc must be the name of a chip in quotes")
        check = data.get("check", {})
        if not isinstance(check, dict):
            raise self._error("check", "check must be a table: [check]")
        table = _table(cast("object", check))
        for key in table:
            if key not in _CHECK_KEYS:
                raise self._error(key, f"unknown key '{key}' in [check]; known are {', '.join(_CHECK_KEYS)}")
        return Config(soc, self._codes(table, "select"), self._codes(table, "ignore"))

    def _codes(self, table: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
        value = table.get(key)
        if value is None:
            return None
        entries = cast("list[object]", value) if isinstance(value, list) else [None]
        texts = [entry for entry in entries if isinstance(entry, str)]
        if len(texts) != len(entries):
            raise self._error(key, f"{key} must be a list of rule codes in quotes")
        return tuple(texts)

    def _error(self, key: str, reason: str) -> ConfigError:
        found = re.search(rf"^[ \t\[]*{re.escape(key)}\b", self.text, re.MULTILINE)
        line = self.text.count("\n", 0, found.start()) + 1 if found else None
        return ConfigError(self.path, line, f"{reason}.")
