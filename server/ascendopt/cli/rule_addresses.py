"""Where the pages of the rules are: below an address of the configuration, else as files of the user's cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ascendopt.analysis.config import load_config
from ascendopt.server.rule_pages import RulePages


def rule_addresses() -> Callable[[str], str | None]:
    """Code of a rule -> address of its page. ``rules_url`` of the configuration that holds for the current folder comes
    first: a code host cannot follow the address of a file. Raises ConfigError."""
    base = load_config(Path.cwd()).rules_url
    if base is None:
        return RulePages().address
    return lambda code: f"{base.rstrip('/')}/{code.removeprefix('ASC-').lower()}.md"
