"""The words of the field: what is spelled differently and means the same, and what each symptom is called.

Retrieval reads texts as *terms*: lower-case word stems, and beside them one concept term for each phrase of the table
that occurs. ``PIPE_ALL``, "full barrier" and "all pipes" thus share a term although they share no word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ascendopt.analysis.symptoms.model import SymptomKind

CONCEPT = "zz"
"""How concept terms begin; no word of the field does."""

_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_STOP_WORDS = """
a an and are as at be been but by can for from has have instead into is it its of on only or so such
than that the their them then these they this to very was were when where which while will with would
you
"""
_SCALAR_CALLS = ("adds", "muls", "maxs", "mins")  # no plurals
_LONGEST_PHRASE = 4

# Spelled as in running text; compared as stems. A concept a paragraph: its name, a colon, its phrases.
_PHRASES = """
ub: ub; unified buffer; local memory; on-chip buffer; ubuf; vecin; veccalc; vecout
gm: gm; global memory; hbm; ddr; off-chip memory; global tensor
load: mte2; copy in; load; gm to ub; fetch; read from gm; read from global memory; inbound copy
store: mte3; copy out; store; ub to gm; write back; outbound copy
vector: vector; simd; vec; aiv; pipe v; vector unit; vector pipe
scalar: scalar; get value; set value; element by element; one by one; per element; element wise loop; pipe s
depth: double buffer; double buffering; buffer num; ping pong; pingpong; queue depth; single buffer; one
  buffer; second buffer; two buffers; depth 1; depth 2; depth one; depth two; buffer depth; queue of one; one
  slot; que depth
overlap: overlap; pipelining; pipelined; take turns; in turn; serialized; serialised; hide latency; wait each
  other; concurrently; at the same time; alternate
wait: wait; idle; stall; starve; stand still; blocked; bubble
barrier: barrier; pipe all; pipe barrier; sync; synchronization; synchronisation; set flag; wait flag; fence;
  all pipes; full barrier
tile: tile; chunk; slice; tile length; tile size; tiling granularity; block length; ub part data num;
  granularity
spare: free; room; unused; available; usage; mostly empty; occupancy; spare; room left; kb; percent
small: small; tiny; short; little; few bytes; undersized
burst: burst; data copy; dma; transfer; copy; block len; block count; memcpy
strided: strided; stride; block count; merge; merged; one larger copy; coalesce; per row; row by row; one row
cores: core; block dim; aicore; ai core; block num; core num; aiv num; get block idx
fewcores: single core; one core; few cores; idle core; unused core; core idle; multi core; cores sit idle; use
  all cores; parallel core; core stand idle
split: split; partition; remainder; quota; load balance; imbalance; uneven; last core; balance; tail core;
  even; unequal; more work; twice as much; finish early; finish late; straggler; rest
division: div; divide; division; reciprocal; quotient; recip
costly: expensive; slow instruction; costly; cheap; cheaper
fill: duplicate; fill; broadcast scalar; constant tensor; filled with; constant operand; memset;
  operand
scalarform: adds; muls; maxs; mins; scalar form; scalar operand; immediate; scalar variant
invariant: invariant; hoist; loop invariant; same result; every iteration; each iteration; once before;
  recompute; recomputed; does not change; never changes; again and again; precompute; each time
loop: loop; iteration; iterate; for loop
redundant: redundant; unnecessary; needless; superfluous; useless; twice; again
localcopy: ub to ub; local copy; in place; inplace; inside ub; local to local; intermediate copy; pass
  through; staging; temporary buffer; already there; already in ub; extra copy; within ub; between local
  tensors; reload; loaded again
"""

_KIND_TEXTS = {
    SymptomKind.SINGLE_BUFFER: """
        Single buffer, queue depth one, no double buffering or ping-pong: copy in, compute and copy out
        take turns and do not overlap; the vector pipe is idle and waits for the load, MTE2 waits for the
        vector unit.
    """,
    SymptomKind.SMALL_TILE: """
        Small tile, tiny chunk: UB usage is low, most of it is free and unused, an iteration handles few
        elements, too many iterations, start-up cost and overhead of each instruction are paid too often;
        make the tile length larger.
    """,
    SymptomKind.SMALL_BURST: """
        Small burst: many short copies of few bytes, one DataCopy per row, poor bandwidth; merge them
        into one larger or strided copy with a block count.
    """,
    SymptomKind.SCALAR_LOOP: """
        Scalar loop: elements are worked on one by one with GetValue and SetValue, the scalar unit is
        busy; use a vector call for the whole tile.
    """,
    SymptomKind.SLOW_VECTOR_OP: """
        Slow vector instruction: an expensive operation such as division where a cheap one gives the
        same; multiply by the reciprocal of the constant.
    """,
    SymptomKind.EXTRA_FILL: """
        Extra fill: Duplicate fills a tensor with one number, a constant operand; the scalar form Adds,
        Muls, Maxs or Mins needs no constant tensor.
    """,
    SymptomKind.WIDE_BARRIER: """
        Wide barrier: PipeBarrier PIPE_ALL, all pipes stand still for synchronisation; a narrower barrier
        of one pipe, an event flag, or none is enough.
    """,
    SymptomKind.LOOP_INVARIANT: """
        Loop invariant work: computed again in each iteration with the same result; hoist it out of the
        loop, once before.
    """,
    SymptomKind.EXTRA_COPY: """
        Extra copy: data is copied inside UB, local to local, through a temporary buffer, or loaded again
        although it is already there, copied from one tensor to another before it is copied out; work in place.
    """,
    SymptomKind.UNEVEN_SPLIT: """
        Uneven split: the last core or some cores get more work, load imbalance, the remainder on one
        core; the other cores wait; balance the blocks evenly.
    """,
    SymptomKind.FEW_CORES: """
        Few cores: block dim is too small, a single core or one part of the chip works, cores stand idle;
        use all cores of the chip.
    """,
}


def kind_text(kind: SymptomKind) -> str:
    """What a symptom is called in words: part of the text under which its motifs are found."""
    return " ".join(_KIND_TEXTS[kind].split())


def stems(text: str) -> list[str]:
    """Lower-case stems of the words of a text, names split at their humps: ``DataCopyPad`` -> data, copy, pad."""
    stop_words = frozenset(_STOP_WORDS.split())
    words = (match.group().lower() for match in _WORD.finditer(text))
    return [_stem(word) for word in words if word not in stop_words]


class Vocabulary:
    """The concept table, prepared for look-up. Make one and keep it: it has no state that changes."""

    def __init__(self) -> None:
        self._concepts: dict[tuple[str, ...], set[str]] = {}
        for paragraph in _PHRASES.strip().replace("\n  ", " ").splitlines():
            concept, _, phrases = paragraph.partition(": ")
            for phrase in phrases.split(";"):
                self._concepts.setdefault(tuple(stems(phrase)), set()).add(CONCEPT + concept)

    def terms(self, text: str) -> list[str]:
        """Stems of ``text`` in order, then its concepts, each as often as its phrases occur."""
        words = stems(text)
        return words + list(self._concept_terms(words))

    def _concept_terms(self, words: list[str]) -> Iterator[str]:
        for start in range(len(words)):
            for length in range(1, _LONGEST_PHRASE + 1):
                yield from sorted(self._concepts.get(tuple(words[start : start + length]), ()))
                if start + length >= len(words):
                    break


def pairs(words: list[str]) -> list[str]:
    """Neighbouring words, joined: what the order of words says."""
    return [f"{first} {second}" for first, second in pairwise(words)]


def _stem(word: str) -> str:
    """A light stem: plural, -ing, -ed. It need not be a word, only equal for forms of one word."""
    if word in _SCALAR_CALLS or len(word) < 4 or not word.isalpha():
        return word
    for ending in ("ings", "ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            break
    # copi-es, cop-y; til-ing, til-e: the bare stem of both.
    word = word[:-1] if len(word) > 3 and word.endswith("e") else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word
