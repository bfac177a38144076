"""Findings that a team has accepted on old code: only what is new is reported.

A finding is known again by its rule, its file and the text of its line without comments and spaces: moving code does
not bring it back, changing the line does. A file may hold the same line several times: the entry counts them.

```json
{"version": 1, "findings": [
{"rule": "ASC-ALN008", "file": "op_kernel/add.cpp", "code": "DataCopy(x, xGm, 100);", "count": 2}
]}
```

``file`` is relative to the folder of the baseline file.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ascendopt.analysis.findings import Finding

VERSION = 1
_COMMENT = re.compile(r"//.*|/\*.*?(\*/|$)")


class BaselineError(Exception):
    """The file is no baseline; one sentence for the user."""


@dataclass(frozen=True, order=True)
class Entry:
    """What identifies a finding: ``file`` is a POSIX path, ``code`` the normalised line."""

    rule: str
    file: str
    code: str


@dataclass(frozen=True)
class Compared:
    """``new`` are the findings that the baseline does not have, ``known`` those that it has, ``gone`` the entries that
    do not occur any more, with how often."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    gone: tuple[tuple[Entry, int], ...]


def normalised(line: str) -> str:
    """``line`` without comments, and with one space for any; a line that is only a comment stays."""
    bare = _COMMENT.sub("", line).split() or line.split()
    return " ".join(bare)


def entry_of(finding: Finding, texts: Mapping[Path, bytes], folder: Path) -> Entry:
    """The identity of ``finding`` in a baseline that lies in ``folder``."""
    data = texts.get(finding.path, b"")
    start = data.rfind(b"\n", 0, finding.span.start) + 1
    end = data.find(b"\n", finding.span.start)
    line = data[start : end if end >= 0 else len(data)].decode("utf-8", "replace")
    file = os.path.relpath(finding.path.resolve(), folder.resolve())
    return Entry(finding.rule, Path(file).as_posix(), normalised(line))


@dataclass(frozen=True)
class Baseline:
    """Known findings and how often each occurs. ``folder`` is where their file paths start."""

    folder: Path
    counts: Mapping[Entry, int]

    @staticmethod
    def of(findings: Iterable[Finding], texts: Mapping[Path, bytes], folder: Path) -> Baseline:
        """The baseline that knows exactly ``findings``."""
        return Baseline(folder, Counter(entry_of(finding, texts, folder) for finding in findings))

    def compare(
        self,
        findings: Iterable[Finding],
        texts: Mapping[Path, bytes],
        ran: Mapping[Path, Set[str]],
        roots: Iterable[Path],
    ) -> Compared:
        """What is new. An entry is gone when its rule looked at its file (``ran``) and did not find it, or when its
        file is not there any more, below one of ``roots``."""
        left = Counter(self.counts)
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in findings:
            entry = entry_of(finding, texts, self.folder)
            (known if left[entry] > 0 else new).append(finding)
            left[entry] -= 1
        rules = {path.resolve(): codes for path, codes in ran.items()}
        every = {code for codes in rules.values() for code in codes}
        below = [root.resolve() for root in roots]
        gone: list[tuple[Entry, int]] = []
        for entry, count in sorted(left.items()):
            path = (self.folder / entry.file).resolve()
            lost = not path.exists() and any(path.is_relative_to(root) for root in below)
            if count > 0 and entry.rule in rules.get(path, every if lost else frozenset[str]()):
                gone.append((entry, count))
        return Compared(tuple(new), tuple(known), tuple(gone))

    def text(self) -> str:
        """The JSON of the file, an entry a line."""
        rows = [
            json.dumps({"rule": one.rule, "file": one.file, "code": one.code, "count": count}, ensure_ascii=False)
            for one, count in sorted(self.counts.items())
        ]
        return f'{{"version": {VERSION}, "findings": [\n' + ",\n".join(rows) + "\n]}\n"


def read_baseline(path: Path) -> Baseline:
    """Raises BaselineError, with file and line where there is one."""
    try:
        document = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BaselineError(f"{path} does not exist; --write-baseline makes it.") from None
    except OSError as error:
        raise BaselineError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BaselineError(f"{path} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise BaselineError(f"{path}:{error.lineno}: is not JSON: {error.msg}.") from None
    if not isinstance(document, dict) or cast("dict[str, Any]", document).get("version") != VERSION:
        raise BaselineError(f"{path} is no baseline of version {VERSION}; write it again with --write-baseline.")
    return Baseline(path.parent, dict(_entries(path, cast("dict[str, Any]", document).get("findings"))))


def _entries(path: Path, rows: object) -> Iterable[tuple[Entry, int]]:
    for index, row in enumerate(cast("list[object]", rows) if isinstance(rows, list) else [None], start=1):
        fields = cast("dict[str, object]", row) if isinstance(row, dict) else {}
        rule, file, code, count = (fields.get(name) for name in ("rule", "file", "code", "count"))
        texts = isinstance(rule, str) and isinstance(file, str) and isinstance(code, str)
        if not texts or not isinstance(count, int) or count < 1:
            raise BaselineError(f"{path}: finding {index} needs rule, file and code in quotes and a count above 0.")
        yield Entry(str(rule), str(file), str(code)), count
