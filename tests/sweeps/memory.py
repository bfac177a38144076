"""Memory of the language server with cann-ops as its workspace: `memory.py CANN_OPS [--open N] [--tour N]`.

A server as editors start it, over stdio. Both sides of the largest operators are opened and edited and stay open; then
files of other operators are opened and closed again, as somebody does who reads through the repository: what the server
remembers of them shows. Resident memory is that of the server with all its helper processes (Linux).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.client import SERVER, Client, span

from ascendopt.analysis.operators import find_operators
from ascendopt.analysis.operators.files import SUFFIXES
from ascendopt.analysis.source import is_ascendc

LIMIT_MB = 500
OPEN = 10
TOUR = 40
EDITS = 3


def main(checkout: Path, count: int, tour: int) -> int:
    operators = sorted(find_operators(checkout / "src"), key=_size, reverse=True)
    client = Client(SERVER, {"trusted": True, "settings": {"activeCase": {"enabled": False}}}, checkout)
    figures = [_show("started", client.process.pid)]
    opened = [file for operator in operators[:count] for file in _sides(operator)]
    for file in opened:
        _open(client, file)
    figures.append(_show(f"{len(opened)} files of {count} operators open", client.process.pid))
    for version in range(2, EDITS + 2):
        for file in opened:
            _edit(client, file, version)
    figures.append(_show(f"{EDITS} edits in each", client.process.pid))
    others = operators[count:]
    visited = others if tour == 0 else others[:: max(1, len(others) // tour)]
    for operator in visited:
        for file in _sides(operator):
            _open(client, file)
            client.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})
    figures.append(_show(f"{len(visited)} more operators opened and closed", client.process.pid))
    code, _ = client.close()
    return 0 if code == 0 and max(figures) <= LIMIT_MB else 1


def _size(operator: Path) -> int:
    return sum(file.stat().st_size for file in operator.rglob("*") if file.suffix in SUFFIXES)


def _sides(operator: Path) -> Iterator[Path]:
    """The largest file that the server looks at, of the kernel and of the host side."""
    for folder in ("op_kernel", "op_host"):
        files = [file for file in (operator / folder).rglob("*") if file.suffix in SUFFIXES]
        for file in sorted(files, key=lambda one: one.stat().st_size, reverse=True):
            if is_ascendc(file.read_text("utf-8", "replace"), file):
                yield file
                break


def _open(client: Client, file: Path) -> None:
    client.open(file, file.read_text("utf-8", "replace"))
    client.request("textDocument/codeLens", {"textDocument": {"uri": file.as_uri()}})


def _edit(client: Client, file: Path, version: int) -> None:
    """A line in front of the file: everything behind it moves."""
    change = {"range": span((0, 0), (0, 0)), "text": "// edited\n"}
    document = {"uri": file.as_uri(), "version": version}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    client.diagnostics(file, version)


def _show(what: str, pid: int) -> float:
    """Print and return the resident megabytes of a process with its descendants."""
    total = sum(_resident_mb(one) for one in _family(pid))
    state = "" if total <= LIMIT_MB else f", over {LIMIT_MB}"
    print(f"{what:45}{total:8.0f} MB resident, server alone {_resident_mb(pid):.0f} MB{state}", flush=True)
    return total


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from _family(int(child))


def _resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="memory of the language server")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--open", type=int, default=OPEN, help=f"largest operators to keep open ({OPEN})")
    parser.add_argument("--tour", type=int, default=TOUR, help=f"operators to open and close, 0 for all ({TOUR})")
    arguments = parser.parse_args()
    if not (arguments.checkout / "src").is_dir():
        sys.exit(f"{arguments.checkout}: not a checkout of cann-ops, src/ is missing")
    sys.exit(main(arguments.checkout.resolve(), arguments.open, arguments.tour))
