"""How much of a checkout parses: `parse.py CHECKOUT...`, share of AscendC sources with a syntax error and why.

A source counts when it is AscendC (device or host side of an operator). One for an architecture whose register code
the analysis does not read (a folder such as ``arch35``) is counted apart. For each of the others that has an error,
the first one is shown under a reason: the text in front of the place where the parser gave up, without names.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node

from ascendopt.analysis.facts.analyse import macros_of
from ascendopt.analysis.operators.files import SUFFIXES
from ascendopt.analysis.source import SourceFile, is_ascendc, is_register_code

SOC = "Ascend910B2"
LIMITS = {"cann-ops": 3.0}
OTHERS = 5.0
_LITERAL = re.compile(r"\d\w*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_KEPT = frozenset(
    {"if", "else", "for", "while", "template", "typename", "class", "struct", "return", "operator", "new"}
)


@dataclass
class Counts:
    """Of one checkout; ``reasons`` maps a reason to the places."""

    files: int = 0
    register: int = 0
    broken_register: int = 0
    broken: int = 0
    slowest: float = 0.0
    reasons: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def main(checkouts: list[Path]) -> int:
    met = True
    for checkout in checkouts:
        counts = Counts()
        for path in sources(checkout):
            count(path, checkout, counts)
        share = 100 * counts.broken / counts.files if counts.files else 0.0
        limit = LIMITS.get(checkout.name, OTHERS)
        met &= share < limit
        print(
            f"{checkout.name}: {counts.files} sources, {counts.broken} with an error ({share:.2f} %, limit {limit:g} %)"
            "; "
            f"{counts.register} more with register code, {counts.broken_register} with an error; "
            f"slowest {1000 * counts.slowest:.0f} ms"
        )
        for reason, places in sorted(counts.reasons.items(), key=lambda item: -len(item[1])):
            print(f"{len(places):6} {reason}    {places[0]}")
    return 0 if met else 1


def sources(checkout: Path) -> Iterator[Path]:
    """Every C++ source of a checkout."""
    return (path for path in sorted(checkout.rglob("*")) if path.suffix in SUFFIXES and path.is_file())


def count(path: Path, checkout: Path, counts: Counts) -> None:
    """Parse one file and add it."""
    data = path.read_bytes()
    if not is_ascendc(data.decode("utf-8", "replace"), path):
        return
    start = time.process_time()
    source = SourceFile.of(path, data, macros_of(SOC))
    counts.slowest = max(counts.slowest, time.process_time() - start)
    broken = source.tree.root_node.has_error
    if is_register_code(path, data):
        counts.register += 1
        counts.broken_register += broken
        return
    counts.files += 1
    if broken:
        counts.broken += 1
        at = first_error(source.tree.root_node)
        line = source.lines.line_of(at) + 1
        place = f"{path.relative_to(checkout).as_posix()}:{line}"
        counts.reasons.setdefault(reason(source, at), []).append(place)


def first_error(node: Node) -> int:
    """Where the first error of a tree starts."""
    while True:
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None or node.type == "ERROR":
            return node.start_byte
        node = inner


def reason(source: SourceFile, at: int) -> str:
    """The line of an error, names and numbers dropped."""
    text = source.masked[at : at + 400].decode("utf-8", "replace").split("\n", 1)[0].strip()[:60]
    words = _NAME.sub(lambda match: match[0] if match[0] in _KEPT else ("M" if match[0].isupper() else "x"), text)
    return _LITERAL.sub("0", words)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not all(Path(name).is_dir() for name in sys.argv[1:]):
        sys.exit("usage: parse.py CHECKOUT..., checkouts with AscendC sources")
    sys.exit(main([Path(name).resolve() for name in sys.argv[1:]]))
