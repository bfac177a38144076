"""Write the pages of the rules from their docstrings: `python tools/rule_pages.py docs/rules`."""

from __future__ import annotations

import sys
from pathlib import Path

from ascendopt.analysis.rules.registry import codes, page, rule

INDEX = "README.md"
HEAD = """# Rules

Made from the rules' docstrings by `make rules`; `ascendopt explain CODE` prints the same text.

| code | severity | what it says |
| --- | --- | --- |
"""


def pages() -> dict[str, str]:
    """File name -> text, the index included."""
    found: dict[str, str] = {}
    rows: list[str] = []
    for code in codes():
        text = page(code)
        name = f"{code.removeprefix('ASC-').lower()}.md"
        found[name] = text
        title = text.partition("\n")[0].partition(": ")[2]
        rows.append(f"| [{code}]({name}) | {rule(code).severity.value} | {title} |\n")
    found[INDEX] = HEAD + "".join(rows)
    return found


def write(folder: Path) -> None:
    """Write every page, and remove those of rules that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = pages()
    for stale in {path.name for path in folder.glob("*.md")} - set(texts):
        (folder / stale).unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: rule_pages.py FOLDER")
    write(Path(sys.argv[1]))
