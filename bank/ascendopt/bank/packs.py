"""Packs: banks as one JSON file, to share, to review, and to ship."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ascendopt.bank.codec import motif_from_json, motif_to_json
from ascendopt.bank.errors import BankError
from ascendopt.bank.hygiene import quarantine_codes, screened
from ascendopt.bank.json_reader import Fields, parse, read_limited
from ascendopt.bank.merging import Counting
from ascendopt.bank.motif import Motif, Status
from ascendopt.bank.public_bank import is_public_bank, read_public_bank
from ascendopt.bank.store import BankStore

FORMAT = "ascendopt-bank"
VERSION = 1
MAX_BYTES = 64 << 20
MAX_MOTIFS = 100_000
_WHAT = "a bank pack"


@dataclass(frozen=True)
class ImportReport:
    """What became of a file's records.

    ``taken`` = ``new`` + ``known`` are in the bank (``known`` were there before, or stand in the file more than once);
    ``quarantined`` of the taken will not be retrieved, ``reasons`` counts them by code (one can have several);
    ``left_out`` counts by reason what could not be taken.
    """

    source: str
    records: int
    new: int
    known: int
    quarantined: int
    reasons: Mapping[str, int]
    left_out: Mapping[str, int]

    @property
    def taken(self) -> int:
        return self.new + self.known


def pack_text(motifs: Iterable[Motif]) -> str:
    """A pack in canonical order: equal banks give equal files."""
    values = [motif_to_json(motif) for motif in sorted(motifs, key=lambda motif: motif.id)]
    pack = {"format": FORMAT, "version": VERSION, "motifs": values}
    return json.dumps(pack, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def write_pack(path: Path, motifs: Iterable[Motif]) -> None:
    """Write a pack; the file is there whole or not at all. An older pack is replaced, any other file is not.

    Raises:
        BankError: ``path`` is some other file, or a folder.
        OSError: it cannot be written.
    """
    if path.exists() and not _is_pack(path):
        raise BankError(f"{path} exists and is no pack; name another file.")
    descriptor, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(pack_text(motifs))
        Path(aside).chmod(0o644)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def read_pack(path: Path) -> list[Motif]:
    """The motifs of a pack, every one checked.

    Raises:
        BankError: it is no pack, one of another version, too large, or holds a record that is not as it should be.
    """
    return _motifs(parse(read_limited(path, MAX_BYTES, _WHAT), str(path)), path)


def import_file(store: BankStore, path: Path) -> ImportReport:
    """Take a pack, or the public bank's ``optimization_points.json``, into the bank. Twice is as good as once.

    One bad record of a pack refuses the pack. Records of the public bank are taken or left one by one. What the rules
    of hygiene find fault with goes into quarantine.

    Raises:
        BankError: the file cannot be taken; the bank is then as it was.
    """
    value = parse(read_limited(path, MAX_BYTES, _WHAT), str(path))
    left_out: Mapping[str, int] = {}
    if is_public_bank(value):
        reading = read_public_bank(cast("list[object]", value), path)
        motifs, left_out, source = reading.motifs, reading.left_out, reading.source
    else:
        motifs, source = _motifs(value, path), "pack"
    return _take(store, motifs, left_out, source)


def _take(store: BankStore, motifs: list[Motif], left_out: Mapping[str, int], source: str) -> ImportReport:
    motifs = [screened(motif) for motif in motifs]
    names = list(dict.fromkeys(motif.id for motif in motifs))
    before = {motif.id for motif in store.get_many(names)}
    stored = store.put(motifs, counting=Counting.SAME)
    held = [motif for motif in stored if motif.status is Status.QUARANTINED]
    reasons = Counter(code for motif in held for code in quarantine_codes(motif))
    new = len(set(names) - before)
    return ImportReport(
        source=source,
        records=len(motifs) + sum(left_out.values()),
        new=new,
        known=len(motifs) - new,
        quarantined=len(held),
        reasons=dict(sorted(reasons.items())),
        left_out=left_out,
    )


def _motifs(value: object, path: Path) -> list[Motif]:
    if not isinstance(value, dict) or cast("dict[str, object]", value).get("format") != FORMAT:
        raise BankError(f"{path} is neither a bank pack nor the public bank's list of records.")
    fields = Fields(cast("object", value), str(path))
    fields.take("format")
    version = fields.count("version", 0)
    if version != VERSION:
        raise BankError(f"{path} is a pack of version {version}; this ascendopt reads version {VERSION}.")
    records = fields.items("motifs", MAX_MOTIFS)
    fields.done()
    motifs = [motif_from_json(record, f"{path}: motif {number}") for number, record in enumerate(records, 1)]
    twice = [name for name, count in Counter(motif.id for motif in motifs).items() if count > 1]
    if twice:
        raise BankError(f"{path} holds motif {twice[0]} twice.")
    return motifs


def _is_pack(path: Path) -> bool:
    try:
        value = parse(read_limited(path, MAX_BYTES, _WHAT), str(path))
    except BankError:
        return False
    return isinstance(value, dict) and cast("dict[str, object]", value).get("format") == FORMAT
