"""Retrieval: from a symptom, in the vocabulary or in words, to the motifs that treated it.

Predicates come first (status, chip family, dtype, facts, symptom); then full-text and vector search each rank what is
left; the two are fused by reciprocal rank. The words decide which cause comes in which place, and the evidence weighs
in on which remedy of that cause stands there. Names of operators play no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.motif import Motif
from ascendopt.bank.store import BankStore, Filter

RANK_CONSTANT = 60
"""Of reciprocal rank fusion: 1 / (60 + rank), Cormack, Clarke and Buettcher, SIGIR 2009."""
EVIDENCE_SHARE = 0.05
"""The best evidence lifts a score by this much: about as much as three ranks in both searches."""
MODELLED_SHARE = 0.6
"""What a modelled gain counts against a measured one."""
HALF_GAIN = 0.5
"""The gain above 1 that earns half of what a gain can earn: 1.5x."""
_CANDIDATES = 24


@dataclass(frozen=True)
class Query:
    """What is asked. ``symptom`` restricts to one kind; ``text`` ranks by words, and without it the evidence ranks.

    ``soc`` is a chip or a family, ``dtypes`` those of the place, ``facts`` its facts (None: unknown, not asked for).
    """

    text: str = ""
    symptom: SymptomKind | None = None
    soc: str = ""
    dtypes: tuple[str, ...] = ()
    facts: frozenset[str] | None = None


@dataclass(frozen=True)
class Hit:
    """A motif, its score (only comparable within one answer) and the reasons for its rank, each a short phrase."""

    motif: Motif
    score: float
    why: tuple[str, ...]


def retrieve(store: BankStore, query: Query, limit: int = 5) -> list[Hit]:
    """The best motifs, best first; equal banks and queries give equal answers.

    Raises:
        BankError: the bank is damaged.
    """
    where = Filter(symptom=query.symptom, soc=query.soc, dtypes=query.dtypes, facts=query.facts)
    text = query.text.strip()
    if not text:
        return _by_evidence(store.list(where), limit)
    depth = max(_CANDIDATES, limit)
    by_words = {name: rank for rank, name in enumerate(store.full_text(text, where, depth), 1)}
    by_meaning = {name: rank for rank, name in enumerate(store.nearest(text, where, depth), 1)}
    names = list(dict.fromkeys([*by_words, *by_meaning]))
    hits = [_fused(motif, by_words.get(motif.id), by_meaning.get(motif.id)) for motif in store.get_many(names)]
    # Of two that swap places in the two searches, words decide: full-text search knows how rare a word is.
    hits.sort(key=lambda hit: (-hit.score, by_words.get(hit.motif.id, depth + 1), hit.motif.id))
    return _weighed(hits)[:limit]


def evidence_quality(motif: Motif) -> float:
    """0 to 1: how good the reasons are to expect a gain. 0 without evidence or gain.

    The median gain, saturating; times the share of attempts that held, by Laplace's rule of succession; modelled
    evidence counts less than measured.
    """
    if not motif.evidence or motif.gain <= 1:
        return 0.0
    above = motif.gain - 1
    held, failed = attempts(motif)
    trust = 1.0 if any(not each.modelled for each in motif.evidence) else MODELLED_SHARE
    return above / (above + HALF_GAIN) * (held + 1) / (held + failed + 2) * trust


def attempts(motif: Motif) -> tuple[int, int]:
    """How many attempts held and how many failed, over all evidence."""
    return sum(each.held for each in motif.evidence), sum(each.failed for each in motif.evidence)


def evidence_phrase(motif: Motif) -> str:
    """``1.31x modelled, held 3 of 4``."""
    if not motif.evidence:
        return "not measured"
    held, failed = attempts(motif)
    measured = sum(not each.modelled for each in motif.evidence)
    origin = "modelled" if not measured else "measured" if measured == len(motif.evidence) else "measured and modelled"
    return f"{motif.gain:.2f}x {origin}, held {held} of {held + failed}"


def _fused(motif: Motif, by_words: int | None, by_meaning: int | None) -> Hit:
    ranks = [rank for rank in (by_words, by_meaning) if rank is not None]
    score = sum(1 / (RANK_CONSTANT + rank) for rank in ranks) * (RANK_CONSTANT + 1) / 2
    why = [f"symptom {motif.symptom.value}"]
    why += [f"words rank {by_words}"] if by_words is not None else []
    why += [f"meaning rank {by_meaning}"] if by_meaning is not None else []
    return Hit(motif, score, (*why, evidence_phrase(motif)))


def _weighed(hits: list[Hit]) -> list[Hit]:
    """The places of each kind stay with that kind; within it, good evidence moves a motif forward.

    Evidence does not compare causes: a scalar loop that gained 8x is no answer to a question about barriers.
    """
    places: dict[SymptomKind, Iterator[Hit]] = {}
    for kind in {hit.motif.symptom for hit in hits}:
        own = [
            replace(hit, score=hit.score * (1 + EVIDENCE_SHARE * evidence_quality(hit.motif)))
            for hit in hits
            if hit.motif.symptom is kind
        ]
        places[kind] = iter(sorted(own, key=_order))
    return [next(places[hit.motif.symptom]) for hit in hits]


def _by_evidence(motifs: list[Motif], limit: int) -> list[Hit]:
    hits = [Hit(m, evidence_quality(m), (f"symptom {m.symptom.value}", evidence_phrase(m))) for m in motifs]
    return sorted(hits, key=_order)[:limit]


def _order(hit: Hit) -> tuple[float, str]:
    return -hit.score, hit.motif.id
