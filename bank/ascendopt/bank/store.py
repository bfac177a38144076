"""The bank's folder: an embedded LanceDB table. The only module that imports lancedb, and only when a store is opened.

Every write is one commit of the table under a file lock: a reader, or the next process after a kill, sees a motif whole
or not at all. Rows hold the motif as canonical JSON with its digest; the other columns are derived from it.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.chips import chip_family
from ascendopt.bank.codec import checked, decode, encode
from ascendopt.bank.embedding import DIMENSIONS, EMBEDDING_VERSION, Embedder
from ascendopt.bank.errors import BankError
from ascendopt.bank.locking import write_lock
from ascendopt.bank.merging import Counting, merged
from ascendopt.bank.motif import SCHEMA_VERSION, Motif, Status
from ascendopt.bank.texts import embedded_parts, searched_text

# LanceDB's signatures are full of untyped pyarrow: its tables stay dynamic in here, and nowhere else.
Table: TypeAlias = Any

TABLE = f"motifs_{SCHEMA_VERSION}_{EMBEDDING_VERSION}"
LOCK_SECONDS = 60.0
KEPT = timedelta(minutes=1)
"""How long an old version of the table stays: no read takes that long, and versions take room."""
_MOST_FRAGMENTS = 8
_BUILDING = ".building-"
_REFUSALS = ("No space left on device", "Permission denied", "Read-only file system", "Disk quota exceeded")
_OWN = ("motifs_", ".lock", _BUILDING, "shipped")


@dataclass(frozen=True)
class Filter:
    """The predicates of retrieval; what is left empty does not restrict.

    ``facts`` None: the facts of the place are unknown, so that none is asked for. ``quarantined``: those too.
    """

    symptom: SymptomKind | None = None
    soc: str = ""
    dtypes: tuple[str, ...] = ()
    facts: frozenset[str] | None = None
    quarantined: bool = False


class BankStore:
    """Motifs in one folder. Open it with ``BankStore.open``; use it from one thread at a time.

    Reads see what was committed last, in this process or another; a *frozen* store sees what was there when it was
    opened, a copy in memory, and refuses writes.
    """

    def __init__(self, folder: Path, table: Table, frozen: bool) -> None:
        self.folder = folder
        self.frozen = frozen
        self.embedder = Embedder()
        self._table = table
        self._decoded: dict[str, Motif] = {}

    @classmethod
    def open(cls, folder: Path, *, frozen: bool = False) -> BankStore:
        """Open the bank in ``folder``; a folder that is missing or empty becomes an empty bank.

        Raises:
            BankError: the folder holds something else, is damaged (it is left as it is), or was written by a newer
                version.
            OSError: it cannot be created.
        """
        path = folder / f"{TABLE}.lance"
        if not path.exists():
            _refuse_other_folders(folder)
            folder.mkdir(parents=True, exist_ok=True)
            with write_lock(folder / ".lock", LOCK_SECONDS):
                if not path.exists():
                    _create(folder, path)
        table = _open_table(folder)
        return cls(folder, _in_memory(folder, table) if frozen else table, frozen)

    def put(self, motifs: Motif | Iterable[Motif], *, counting: Counting = Counting.AGAIN) -> list[Motif]:
        """Store motifs and return them as stored; one that is there already is merged (``merging.merged``).

        All of them are one commit. ``counting`` says what an equal measurement means: one more attempt that held
        or failed, or (an import) the same one again.

        Raises:
            BankError: a motif that the schema refuses (nothing is stored then), a frozen store, a damaged folder.
        """
        incoming: dict[str, Motif] = {}
        for motif in [motifs] if isinstance(motifs, Motif) else motifs:
            motif = checked(motif)
            known = incoming.get(motif.id)
            incoming[motif.id] = motif if known is None else merged(known, motif, counting)
        with self._writing():
            present = {motif.id: motif for motif in self._select(_id_in(incoming))}
            for name, motif in incoming.items():
                if name in present:
                    incoming[name] = checked(merged(present[name], motif, counting))
            changed = [motif for motif in incoming.values() if present.get(motif.id) != motif]
            self._write(changed)
        return list(incoming.values())

    def set_status(self, identity: str, status: Status, reason: str = "") -> Motif:
        """Say what a person, or a rule, found: reviewed, quarantined (with the reason), or candidate again.

        Raises:
            BankError: there is no such motif, or it cannot be written.
        """
        with self._writing():
            found = self._select(_id_in([identity]))
            if not found:
                raise BankError(f"bank {self.folder} has no motif {identity!a}.")
            motif = checked(replace(found[0], status=status, quarantine_reason=reason))
            self._write([motif])
        return motif

    def delete(self, identities: Iterable[str]) -> int:
        """Remove motifs; returns how many there were."""
        wanted = list(identities)
        with self._writing():
            present = self._select(_id_in(wanted))
            if present:
                with self._damage():
                    self._table.delete(_id_in(motif.id for motif in present))
                self._index()
        return len(present)

    def get(self, identity: str) -> Motif | None:
        """The motif of an id, or None."""
        found = self.get_many([identity])
        return found[0] if found else None

    def get_many(self, identities: Sequence[str]) -> list[Motif]:
        """The motifs of these ids, in the order asked for; ids that are not there are left out."""
        self._refresh()
        present = {motif.id: motif for motif in self._select(_id_in(identities))} if identities else {}
        return [present[name] for name in identities if name in present]

    def list(self, where: Filter | None = None) -> list[Motif]:
        """The motifs that a filter admits, by id."""
        self._refresh()
        return self._select(_sql(where or Filter()))

    def all(self) -> list[Motif]:
        """Every motif, those in quarantine too, by id."""
        return self.list(Filter(quarantined=True))

    def count(self) -> int:
        """How many motifs there are, those in quarantine too."""
        self._refresh()
        with self._damage():
            return self._table.count_rows()

    def digest(self) -> str:
        """A digest of the whole content: equal for equal banks, however they came about."""
        content = "\n".join(encode(motif) for motif in self.all())
        return hashlib.sha256(content.encode()).hexdigest()

    def full_text(self, text: str, where: Filter, limit: int) -> list[str]:
        """Ids of the motifs whose texts share terms with ``text``, best first (BM25)."""
        terms = self.embedder.terms(text)
        if not terms:
            return []
        self._refresh()
        from lancedb.query import MatchQuery

        # Its optional arguments are unknown to the type checker.
        match = MatchQuery(terms, "text")  # pyright: ignore[reportCallIssue]
        with self._damage():
            search = self._table.search(match, query_type="fts")
            rows = search.where(_sql(where)).select(["id", "_score"]).limit(limit).to_list()
        return [row["id"] for row in sorted(rows, key=lambda row: (-row["_score"], row["id"]))]

    def nearest(self, text: str, where: Filter, limit: int) -> list[str]:
        """Ids of the motifs whose vectors are nearest to that of ``text``, best first (exact cosine)."""
        vector = self.embedder.embed(text)
        if not any(vector):
            return []
        self._refresh()
        with self._damage():
            search = self._table.search(vector, vector_column_name="vector")
            rows = search.where(_sql(where)).select(["id", "_distance"]).limit(limit).to_list()
        return [row["id"] for row in sorted(rows, key=lambda row: (row["_distance"], row["id"]))]

    @contextmanager
    def _writing(self) -> Generator[None]:
        if self.frozen:
            raise BankError(f"bank {self.folder} is frozen for this run and takes no motifs.")
        with write_lock(self.folder / ".lock", LOCK_SECONDS):
            self._refresh()
            yield

    def _write(self, motifs: Sequence[Motif]) -> None:
        if not motifs:
            return
        with self._damage():
            merge = self._table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.execute([_row(motif, self.embedder) for motif in motifs])
        self._index()

    def _index(self) -> None:
        """One index over all rows: rank then depends on the content alone, not on how it was written."""
        with self._damage():
            if self._table.stats()["fragment_stats"]["num_fragments"] > _MOST_FRAGMENTS:
                self._table.optimize(cleanup_older_than=KEPT)
            _build_index(self._table)

    def _refresh(self) -> None:
        if not self.frozen:
            with self._damage():
                self._table.checkout_latest()

    def _select(self, where: str) -> list[Motif]:
        with self._damage():
            rows = self._table.search().where(where).select(["id", "document", "digest"]).to_list()
        return sorted((self._read(row) for row in rows), key=lambda motif: motif.id)

    def _read(self, row: dict[str, Any]) -> Motif:
        identity, document, digest = row["id"], row["document"], row["digest"]
        if not isinstance(document, str) or digest != _digest(document):
            raise BankError(_damaged(self.folder, f"motif {identity!a} does not match its digest"))
        motif = self._decoded.get(digest)
        if motif is None:
            motif = self._decoded[digest] = decode(document, f"bank {self.folder}")
        if motif.id != identity:
            raise BankError(_damaged(self.folder, f"the row of {identity!a} holds {motif.id}"))
        return motif

    def _damage(self) -> _Damage:
        return _Damage(self.folder)


class _Damage:
    """Turns whatever LanceDB raises into one sentence; its panics are no ``Exception``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if error is None or isinstance(error, (BankError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)):
            return
        cause = " ".join(str(error).split()).partition(", /")[0][:160]
        refusal = next((text for text in _REFUSALS if text in str(error)), None)
        if refusal is not None:
            raise BankError(
                f"bank {self._folder} cannot be written: {refusal}; what was in it is still there."
            ) from None
        raise BankError(_damaged(self._folder, cause)) from None


def _damaged(folder: Path, cause: str) -> str:
    return f"bank {folder} is damaged and was left as it is ({cause}); restore it or name another with --bank."


def _refuse_other_folders(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BankError(f"{folder} is not a folder; give the folder of a bank.")
    names = sorted(entry.name for entry in folder.iterdir())
    other = [name for name in names if not name.startswith(_OWN)]
    if other:
        raise BankError(f"{folder} is not a bank: it holds {other[0]!a}; give the folder of a bank, or a new one.")
    newer = [name for name in names if name.startswith("motifs_") and _schema_of(name) > SCHEMA_VERSION]
    if newer:
        raise BankError(f"bank {folder} was written by a newer ascendopt; update ascendopt to use it.")


def _schema_of(name: str) -> int:
    number = name.removesuffix(".lance").split("_")[1]
    return int(number) if number.isdigit() else 0


def _connect(folder: Path | str) -> Any:
    # Its log goes to stderr, where this program says in one sentence what matters.
    os.environ.setdefault("LANCEDB_LOG", "off")
    import lancedb

    return lancedb.connect(folder)


def _open_table(folder: Path) -> Table:
    with _Damage(folder):
        table: Table = _connect(folder).open_table(TABLE)
        missing = {"id", "document", "digest", "vector", "text"} - set(table.schema.names)
        if missing:
            raise BankError(_damaged(folder, f"column {sorted(missing)[0]} is missing"))
    return table


def _in_memory(folder: Path, table: Table) -> Table:
    """A copy that nobody else can change or clear away."""
    with _Damage(folder):
        copy: Table = _connect("memory://").create_table(TABLE, data=table.to_arrow())
        _build_index(copy)
    return copy


def _create(folder: Path, path: Path) -> None:
    """Build the table aside and move it into place: a kill leaves no half of one. The lock is held.

    The motifs of a table that an older version of this program indexed are taken over.
    """
    for left in folder.glob(f"{_BUILDING}*"):
        shutil.rmtree(left, ignore_errors=True)
    older = sorted(folder.glob(f"motifs_{SCHEMA_VERSION}_*.lance"))
    aside = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=folder))
    with _Damage(folder):
        table: Table = _connect(aside).create_table(TABLE, schema=_schema())
        if older:
            rows = _connect(folder).open_table(older[-1].stem).to_arrow().select(["document"]).to_pylist()
            embedder = Embedder()
            motifs = [decode(row["document"], f"bank {folder}") for row in rows]
            if motifs:
                table.add([_row(motif, embedder) for motif in motifs])
        _build_index(table)
    (aside / path.name).rename(path)
    shutil.rmtree(aside, ignore_errors=True)
    for table_folder in older:
        shutil.rmtree(table_folder, ignore_errors=True)


def _build_index(table: Table) -> None:
    from lancedb.index import FTS

    # Terms are stems already, and stop words are gone.
    plain = FTS(base_tokenizer="whitespace", stem=False, remove_stop_words=False, ascii_folding=False)
    table.create_index("text", config=plain, replace=True)


def _schema() -> Any:
    pyarrow: Any = importlib.import_module("pyarrow")  # it has no types

    text, texts = pyarrow.string(), pyarrow.list_(pyarrow.string())
    names = ("id", "symptom", "status", "text", "document", "digest")
    lists = ("chips", "dtypes", "required_facts", "forbidden_facts")
    vector = ("vector", pyarrow.list_(pyarrow.float32(), DIMENSIONS))
    return pyarrow.schema([*((name, text) for name in names), *((name, texts) for name in lists), vector])


def _row(motif: Motif, embedder: Embedder) -> dict[str, Any]:
    document, conditions = encode(motif), motif.conditions
    return {
        "id": motif.id,
        "symptom": motif.symptom.value,
        "status": motif.status.value,
        "text": embedder.terms(searched_text(motif)),
        "document": document,
        "digest": _digest(document),
        "chips": [chip_family(chip) for chip in conditions.chips],
        "dtypes": list(conditions.dtypes),
        "required_facts": list(conditions.required_facts),
        "forbidden_facts": list(conditions.forbidden_facts),
        "vector": embedder.embed_parts(embedded_parts(motif)),
    }


def _digest(document: str) -> str:
    return hashlib.sha256(document.encode()).hexdigest()


def _sql(where: Filter) -> str:
    """The filter as the predicate that LanceDB applies before it searches."""
    parts: list[str] = []
    if not where.quarantined:
        parts.append(f"status <> {_quoted(Status.QUARANTINED.value)}")
    if where.symptom is not None:
        parts.append(f"symptom = {_quoted(where.symptom.value)}")
    if where.soc:
        parts.append(f"(cardinality(chips) = 0 OR array_has(chips, {_quoted(chip_family(where.soc))}))")
    if where.dtypes:
        parts.append(f"(cardinality(dtypes) = 0 OR array_has_any(dtypes, {_array(where.dtypes)}))")
    if where.facts is not None:
        facts = sorted(where.facts)
        parts.append(f"array_has_all({_array(facts)}, required_facts)" if facts else "cardinality(required_facts) = 0")
        if facts:
            parts.append(f"NOT array_has_any(forbidden_facts, {_array(facts)})")
    return " AND ".join(parts) or "true"


def _id_in(identities: Iterable[str]) -> str:
    names = ", ".join(_quoted(name) for name in identities)
    return f"id IN ({names})" if names else "false"


def _array(values: Iterable[str]) -> str:
    return f"make_array({', '.join(_quoted(value) for value in values)})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
