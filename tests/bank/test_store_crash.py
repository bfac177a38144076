"""Two writers at once, and writers that are killed: nothing is lost, nothing is half there."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from bank.bank_samples import sample

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.store import BankStore

WRITER = """
import sys
from pathlib import Path
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.store import BankStore
from bank.bank_samples import sample

folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = BankStore.open(folder)
for number in range(count):
    shared = sample(SymptomKind.SMALL_TILE, "shared", "shared", "b")
    own = sample(SymptomKind.SMALL_BURST, f"{name} {number}", f"{name}{number}", "b")
    store.put([own, shared] if len(sys.argv) > 4 else own)
    print(own.id, flush=True)
"""


def start(folder: Path, name: str, count: int, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), name, str(count), *more],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "bank"
    writers = [start(folder, name, 50, "shared") for name in ("one", "two")]
    written: set[str] = set()
    for writer in writers:
        out, errors = writer.communicate(timeout=150)
        assert writer.returncode == 0, errors
        written |= set(out.split())
    store = BankStore.open(folder)
    assert len(written) == 100
    assert written < {motif.id for motif in store.all()}
    assert store.count() == 101
    shared = store.get(sample(SymptomKind.SMALL_TILE, "shared", "shared", "b").id)
    assert shared is not None and [each.held for each in shared.evidence] == [100]


def test_a_killed_writer_leaves_whole_motifs(tmp_path: Path) -> None:
    """Killed at random moments, the opening among them; what a writer said it had stored is there."""
    folder = tmp_path / "bank"
    moments = random.Random(7)
    promised: set[str] = set()
    for turn in range(8):
        writer = start(folder, f"turn{turn}", 10_000)
        assert writer.stdout is not None
        if turn % 4:
            # Its first line says that it is writing.
            promised.add(writer.stdout.readline().strip())
            time.sleep(moments.uniform(0.0, 0.25))
        else:
            time.sleep(moments.uniform(0.3, 1.5))
        writer.send_signal(signal.SIGKILL)
        out, _ = writer.communicate(timeout=30)
        promised |= set(out.splitlines()[:-1])
        store = BankStore.open(folder)
        motifs = store.all()
        names = {motif.id for motif in motifs}
        assert promised <= names
        expected = {sample(SymptomKind.SMALL_BURST, m.title, m.title.replace(" ", ""), "b") for m in motifs}
        assert set(motifs) == expected
        # It can be written and searched at once: the lock died with its holder.
        probe = sample(SymptomKind.SMALL_BURST, "probe", "probe", "b")
        store.put(probe)
        store.delete([probe.id])
    assert len(promised) >= 6
