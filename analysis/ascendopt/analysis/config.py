"""Configuration of the analysis: ``ascendopt.toml``, or ``[tool.ascendopt]`` of a ``pyproject.toml``.

```toml
soc = "Ascend910B2"          # chip
[check]
select = ["MEM", "ALN"]      # rules that are on: codes or prefixes; all without it
ignore = ["PRF001"]          # rules that are off
rules_url = "https://..."    # where docs/rules is served, for the links in SARIF
```

The files of the operator's folder and of those above it count, up to the repository's root; the nearest one that has
a key decides it. The workload in the same file is read by the harness (docs/workloads.md).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ascendopt.analysis.chips import UnknownChip, load_chip
from ascendopt.analysis.rules.registry import UnknownRule
from ascendopt.analysis.selection import Selection
from ascendopt.analysis.toml_file import TomlFileError, read_toml

FILE_NAME = "ascendopt.toml"
PROJECT_FILE = "pyproject.toml"
_KEYS = ("soc", "check")
_WORKLOAD_KEYS = ("operator", "reference", "case")
_CHECK_KEYS = ("select", "ignore", "rules_url")


class ConfigError(TomlFileError):
    """A configuration file that can't be used."""


@dataclass(frozen=True)
class Config:
    """What the files say; None where they say nothing."""

    soc: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    rules_url: str | None = None

    def over(self, outer: Config) -> Config:
        """This configuration, with what it does not say from ``outer``."""
        return Config(
            self.soc if self.soc is not None else outer.soc,
            self.select if self.select is not None else outer.select,
            self.ignore if self.ignore is not None else outer.ignore,
            self.rules_url if self.rules_url is not None else outer.rules_url,
        )


def load_config(start: Path) -> Config:
    """The configuration that holds for ``start``, a folder or a file. Raises ConfigError."""
    found = Config()
    for path in _files(start if start.is_dir() else start.parent):
        found = found.over(_read(path))
    return found


def _files(folder: Path) -> Iterator[Path]:
    for here in (folder, *folder.parents):
        yield from (path for path in (here / FILE_NAME, here / PROJECT_FILE) if path.is_file())
        if (here / ".git").exists():
            return


def _read(path: Path) -> Config:
    text, data = read_toml(path, ConfigError)
    if path.name == PROJECT_FILE:
        data = _table(data.get("tool")).get("ascendopt", {})
    return _Reader(path, text).config(_table(data))


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@dataclass(frozen=True)
class _Reader:
    path: Path
    text: str

    def config(self, data: Mapping[str, Any]) -> Config:
        for key in data:
            self._known(key)
        check = data.get("check", {})
        if not isinstance(check, dict):
            raise self._error("check", "check must be a table: [check]")
        table = _table(cast("object", check))
        for key in table:
            if key not in _CHECK_KEYS:
                raise self._error(key, f"unknown key '{key}' in [check]; known are {', '.join(_CHECK_KEYS)}")
        return Config(self._soc(data), self._codes(table, "select"), self._codes(table, "ignore"), self._url(table))

    def _known(self, key: str) -> None:
        """Raises ConfigError for a key that is a slip of the pen: our own table holds nothing else, a workload file
        more than the analysis knows."""
        if key in (*_KEYS, *_WORKLOAD_KEYS):
            return
        near = difflib.get_close_matches(key, _KEYS, n=1)
        if self.path.name == PROJECT_FILE:
            raise self._error(key, f"unknown key '{key}' in [tool.ascendopt]; known are {', '.join(_KEYS)}")
        if near:
            raise self._error(key, f"unknown key '{key}'; did you mean {near[0]}?")

    def _soc(self, data: Mapping[str, Any]) -> str | None:
        soc = data.get("soc")
        if soc is None:
            return None
        if not isinstance(soc, str):
            raise self._error("soc", "soc must be the name of a chip in quotes")
        try:
            return load_chip(soc).name
        except UnknownChip as error:
            raise self._error("soc", str(error).rstrip(".")) from None

    def _url(self, table: Mapping[str, Any]) -> str | None:
        url = table.get("rules_url")
        if url is not None and not (isinstance(url, str) and re.match(r"https?://", url)):
            raise self._error("rules_url", "rules_url must be an address in quotes that starts with https://")
        return url

    def _codes(self, table: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
        value = table.get(key)
        if value is None:
            return None
        entries = cast("list[object]", value) if isinstance(value, list) else [None]
        texts = [entry for entry in entries if isinstance(entry, str)]
        if len(texts) != len(entries):
            raise self._error(key, f"{key} must be a list of rule codes in quotes")
        try:
            Selection.of(texts)
        except UnknownRule as error:
            raise self._error(key, str(error)) from None
        return tuple(texts)

    def _error(self, key: str, reason: str) -> ConfigError:
        found = re.search(rf"^[ \t\[]*{re.escape(key)}\b", self.text, re.MULTILINE)
        line = self.text.count("\n", 0, found.start()) + 1 if found else None
        return ConfigError(self.path, line, reason if reason.endswith("?") else f"{reason}.")
