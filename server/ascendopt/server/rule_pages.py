"""Pages of the rules as files, so that the code of a diagnostic links to one without a network."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from pygls.uris import from_fs_path

from ascendopt.analysis.rules.pages import LANGUAGES, page
from ascendopt.analysis.rules.registry import UnknownRule
from ascendopt.server.protocol import package_version


def cache_folder() -> Path:
    """Our folder below the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "ascendopt"


def _default_folder() -> Path:
    return cache_folder() / "rules" / package_version()


@dataclass
class RulePages:
    """Writes a page when it is first asked for, in `language`. `folder` is made when needed."""

    folder: Path = field(default_factory=_default_folder)
    language: str = "en"
    _known: dict[str, str | None] = field(default_factory=dict[str, "str | None"])

    def speak(self, locale: str | None) -> None:
        """Use the language of a client's locale (`zh-cn`), English where we have no pages in it."""
        language = (locale or "").lower().replace("_", "-").partition("-")[0]
        self.language = language if language in LANGUAGES else "en"
        self._known.clear()

    def address(self, code: str) -> str | None:
        """`file:` URI of the page of `code`; None when there is no such rule or the folder can't be written."""
        if code not in self._known:
            self._known[code] = self._write(code)
        return self._known[code]

    def _write(self, code: str) -> str | None:
        try:
            text = page(code, self.language)
            target = self.folder / self.language / f"{code}.md"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        except (UnknownRule, OSError):
            return None
        return from_fs_path(str(target))
