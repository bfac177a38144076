"""The user's bank: where it is, and the shipped motifs that it begins with."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ascendopt.bank.packs import import_file
from ascendopt.bank.store import BankStore

SHIPPED = Path(__file__).parent / "shipped" / "bank.json"
_MARK = "shipped"


def default_folder() -> Path:
    """``ascendopt/bank`` in the user's data folder (``XDG_DATA_HOME``, else ``~/.local/share``)."""
    data = os.environ.get("XDG_DATA_HOME", "")
    # The XDG specification has relative paths ignored.
    base = Path(data) if data and Path(data).is_absolute() else Path.home() / ".local" / "share"
    return base / "ascendopt" / "bank"


def open_bank(folder: Path | None = None, *, frozen: bool = False) -> BankStore:
    """Open the bank in ``folder`` (None: the user's own), created if missing.

    The shipped motifs are taken in on first use, and again when an update ships others. ``frozen``: what is read is
    the bank as it was now, whatever is written meanwhile; nothing can be put.

    Raises:
        BankError: the folder is damaged, or no bank.
        OSError: it cannot be created.
    """
    place = default_folder() if folder is None else folder
    store = BankStore.open(place)
    _take_shipped(store)
    return BankStore.open(place, frozen=True) if frozen else store


def _take_shipped(store: BankStore) -> None:
    digest = hashlib.sha256(SHIPPED.read_bytes()).hexdigest()
    mark = store.folder / _MARK
    if mark.is_file() and mark.read_text(encoding="utf-8", errors="replace").strip() == digest:
        return
    if not os.access(store.folder, os.W_OK):
        return
    import_file(store, SHIPPED)
    # Last: a kill before this line repeats the import, which counts nothing twice.
    aside = mark.with_name(f"{_MARK}.{os.getpid()}")
    aside.write_text(digest + "\n", encoding="utf-8")
    aside.replace(mark)
