"""The pages of the rules: their docstrings in English, and translations from ``data/pages_zh``.

A translation holds prose and the comments of the example; code comes from the docstring. ``of`` is the fingerprint of
the docstring that was translated: when they differ, the translation is out of date.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from typing import Any

from ascendopt.analysis.rules.registry import MODULES, canonical, rule

LANGUAGES = ("en", "zh")
HEADINGS = ("What it says", "Why", "Example", "Instead", "Source")
ZH_HEADINGS = ("规则说明", "原因", "示例", "改法", "依据")
_ZH_SEVERITIES = {"error": "错误", "warning": "警告", "perf": "性能", "info": "提示"}
_CODE = re.compile(r"```cpp\n.*?```", re.DOTALL)
_COMMENT = re.compile(r"(//\s*)([^\n]+)")
# The standard library has it from 3.11 on; tomli is the same parser for 3.10.
_toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


@dataclass(frozen=True)
class Translation:
    """The Chinese text of one rule. ``comments`` are those of the example in order; ``instead`` is empty where the
    English section is code alone."""

    of: str
    title: str
    says: str
    why: str
    instead: str
    source: str
    comments: tuple[str, ...] = ()


def docstring(code: str) -> str:
    """The docstring of a rule. Raises UnknownRule."""
    module = import_module(f"{__package__}.{MODULES[canonical(code)]}")
    return inspect.cleandoc(module.__doc__ or "")


def fingerprint(code: str) -> str:
    """What a translation of the docstring as it is now has in ``of``."""
    return hashlib.sha256(docstring(code).encode()).hexdigest()[:12]


def sections(code: str) -> dict[str, str]:
    """Heading -> text of the docstring."""
    parts = re.split(r"^## (.+)\n", docstring(code), flags=re.MULTILINE)
    return {heading: text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}


def title(code: str, language: str = "en") -> str:
    """What the rule demands, in one line without a full stop. Raises UnknownRule."""
    known = _translation(code, language)
    return known.title if known is not None else docstring(code).partition("\n")[0].rstrip(".")


def page(code: str, language: str = "en") -> str:
    """The rule's documentation in Markdown, in English where there is no translation. Raises UnknownRule."""
    name = canonical(code)
    known = _translation(name, language)
    head = f"# {name}: {title(name, language)}\n\n"
    level = rule(name).severity.value
    if known is None:
        return f"{head}Severity: {level}\n{docstring(name).partition(chr(10))[2]}\n"
    parts = zip(ZH_HEADINGS, _chinese(name, known), strict=True)
    return f"{head}级别：{_ZH_SEVERITIES[level]}（{level}）\n" + "".join(f"\n## {h}\n{text}\n" for h, text in parts)


def _chinese(code: str, known: Translation) -> Iterator[str]:
    english = sections(code)
    yield from (known.says, known.why)
    comments = iter(known.comments)
    yield _COMMENT.sub(lambda found: found[1] + next(comments, found[2]), english["Example"])
    yield known.instead or "\n".join(_CODE.findall(english["Instead"]))
    yield known.source


def _translation(code: str, language: str) -> Translation | None:
    return translations().get(canonical(code)) if language == "zh" else None


@cache
def translations() -> Mapping[str, Translation]:
    """Product code -> translation."""
    found: dict[str, Translation] = {}
    folder = resources.files("ascendopt.analysis").joinpath("data/pages_zh")
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        entries: dict[str, dict[str, Any]] = _toml.loads(file.read_text("utf-8"))
        for code, fields in entries.items():
            comments = tuple(fields.pop("comments", ()))
            found[f"ASC-{code}"] = Translation(comments=comments, **fields)
    return found
