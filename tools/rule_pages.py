"""Write the pages of the rules: `python tools/rule_pages.py docs/rules`.

English pages come from the docstrings, those in the folder `zh` from the translations. After a docstring has changed,
translate the change in `data/pages_zh` and say so: `python tools/rule_pages.py --translated MEM001 ...`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from ascendopt.analysis.rules.pages import LANGUAGES, fingerprint, page, title
from ascendopt.analysis.rules.registry import canonical, codes, rule

INDEX = "README.md"
TRANSLATIONS = Path(__file__).parents[1] / "analysis" / "ascendopt" / "analysis" / "data" / "pages_zh"
HEADS = {
    "en": """# Rules

[中文](zh/README.md)

Made from the rules' docstrings by `make rules`; `ascendopt explain CODE` prints the same text.

| code | severity | what it says |
| --- | --- | --- |
""",
    "zh": """# 规则

[English](../README.md)

由 `make rules` 根据规则的文档字符串及其译文生成；`ascendopt explain CODE --lang zh` 显示同样的内容。

| 编号 | 级别 | 规则 |
| --- | --- | --- |
""",
}


def pages() -> dict[str, str]:
    """Path below the folder -> text, the indices included."""
    found: dict[str, str] = {}
    for language in LANGUAGES:
        folder = "" if language == "en" else f"{language}/"
        rows: list[str] = []
        for code in codes():
            name = f"{code.removeprefix('ASC-').lower()}.md"
            found[folder + name] = page(code, language)
            rows.append(f"| [{code}]({name}) | {rule(code).severity.value} | {title(code, language)} |\n")
        found[folder + INDEX] = HEADS[language] + "".join(rows)
    return found


def write(folder: Path) -> None:
    """Write every page, and remove those of rules that are gone."""
    texts = pages()
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).as_posix() not in texts:
            path.unlink()
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def accept(names: Iterable[str]) -> None:
    """The translations of these rules are those of the docstrings as they are now. Raises UnknownRule."""
    for code in map(canonical, names):
        short = code.removeprefix("ASC-")
        path = TRANSLATIONS / f"{short[:3].lower()}.toml"
        text = path.read_text(encoding="utf-8")
        changed = re.sub(rf"(^\[{short}\]\nof = ')\w*'", rf"\g<1>{fingerprint(code)}'", text, flags=re.MULTILINE)
        path.write_text(changed, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--translated":
        accept(sys.argv[2:])
    elif len(sys.argv) == 2:
        write(Path(sys.argv[1]))
    else:
        sys.exit("usage: rule_pages.py FOLDER | --translated CODE ...")
