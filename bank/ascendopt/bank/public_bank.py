"""The bank that KernelHive/ascendc-skill publishes, read from the user's own checkout.

Its records are title, description, bottleneck and a diff (slow to fast). They say neither chip nor dtype, shapes, times
or source, so that what is taken has no evidence; nothing of it is part of this project.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.codec import MAX_DIFF, MAX_TEXT, MAX_TITLE
from ascendopt.bank.errors import BankError
from ascendopt.bank.identity import identified
from ascendopt.bank.json_reader import Fields
from ascendopt.bank.motif import Conditions, Motif, Provenance, Rewrite

SOURCE = "KernelHive/ascendc-skill"
_KEYS = frozenset({"title", "description", "bottleneck", "code_diff"})
_PLACE = Path("skills/ascend-kernel-optimization/scripts/rag_db/optimization_points.json")
_TITLE_WEIGHT = 2
_LICENSES = {
    "Apache-2.0": r"Apache License\s+Version 2\.0",
    "MIT": r"\bMIT License\b|Permission is hereby granted, free of charge",
    "MulanPSL-2.0": r"Mulan PSL v2|Mulan Permissive Software License, Version 2",
    "BSD-3-Clause": r"BSD 3-Clause|Neither the name of",
}

# What decides the symptom, in the words of those records; the pipe is where it usually shows.
_SIGNS: dict[SymptomKind, tuple[str, str]] = {
    SymptomKind.SINGLE_BUFFER: (
        "mte2",
        r"double[- ]?buffer|ping-?pong|buffer_?num|queue depth|multi-?buffer|buffering|software pipelin",
    ),
    SymptomKind.SMALL_TILE: (
        "vector",
        r"til(?:e|es|ing)[- ](?:size|granularity|length|dimension|factor)|tile granularity|(?:small|tiny|larger|bigger|"
        r"increas\w+|maximi\w+|expand\w*|enlarg\w+) (?:\w+ )?(?:til(?:e|es|ing)|chunk|block size)"
        r"|chunk (?:size|granular)|ub (?:utili[sz]ation|capacity)|processing granularity|data granularity",
    ),
    SymptomKind.SMALL_BURST: (
        "mte2",
        r"\bburst|dma (?:granularity|batch|coalesc)|batch(?:ed|ing)? (?:data ?copy|dma|memory|transfer)|coalesc"
        r"|bulk (?:data|copy|transfer|memory|dma)|row-by-row|strided (?:data ?copy|dma)|byte-wise copy|fragmented",
    ),
    SymptomKind.SCALAR_LOOP: (
        "scalar",
        r"vectori[sz]|scalar (?:loop|process|access|execut|to vector|operation|comput|element|fallback|bottleneck)"
        r"|scalar-to-vector|getvalue|setvalue|element-by-element|scalar-based|simd vector instead",
    ),
    SymptomKind.SLOW_VECTOR_OP: (
        "vector",
        r"\bdivision|\breciprocal|expensive (?:vector|arithmetic)|strength reduction",
    ),
    SymptomKind.EXTRA_FILL: ("vector", r"scalar (?:variant|form|operand)|duplicate instruction.{0,40}(?:adds|muls)"),
    SymptomKind.WIDE_BARRIER: (
        "vector",
        r"barrier|pipe_all|synchroni[sz]ation (?:removal|overhead|point|stall|reduc|elimin|barrier)"
        r"|(?:redundant|excessive|unnecessary) synchron",
    ),
    SymptomKind.LOOP_INVARIANT: (
        "scalar",
        r"hoist|invariant|recomput|re-comput|redundant (?:comput|calcul|shape|index|initial|arithmetic|vector|"
        r"broadcast)|pre-?comput|redundant (?:\w+ ){0,2}(?:iteration|loop)",
    ),
    SymptomKind.EXTRA_COPY: (
        "mte2",
        r"redundant (?:\w+ ){0,2}(?:copy|copies|memory|data|dma|gm|ub|load|transfer|pass|write|read|"
        r"store|access|traffic)|in-place|intermediate (?:copy|copies|buffer)|round-?trip|extra (?:copy|pass)",
    ),
    SymptomKind.UNEVEN_SPLIT: ("vector", r"load[- ]?balanc|imbalanc|uneven|straggler|tail core"),
    SymptomKind.FEW_CORES: (
        "vector",
        r"multi-?core|single[- ](?:ai |aiv |vector )?core|block ?dim|core (?:count|utili[sz]ation|allocation|num|scal|"
        r"parallel)|parallel\w* across (?:\w+ )*cores|all available (?:\w+ )?cores|idle cores|corenum|blockdim",
    ),
}


@dataclass(frozen=True)
class PublicReading:
    """``motifs`` may hold one id more than once: the public records repeat themselves."""

    source: str
    motifs: list[Motif]
    left_out: Mapping[str, int]


def is_public_bank(value: object) -> bool:
    """Whether parsed JSON looks like that bank: a list of objects with its four keys."""
    if not isinstance(value, list) or not value:
        return False
    first = cast("list[object]", value)[0]
    return isinstance(first, dict) and set(cast("dict[str, object]", first)) >= _KEYS


def read_public_bank(records: list[object], path: Path) -> PublicReading:
    """Each record as a motif where its words decide the symptom. Nothing is guessed: the others are left out."""
    origin = Provenance(SOURCE, path.name, _license(path), "", "")
    motifs: list[Motif] = []
    left_out: Counter[str] = Counter()
    for number, record in enumerate(records, 1):
        try:
            title, description, bottleneck, diff = _texts(record, f"record {number}")
        except BankError:
            left_out["malformed"] += 1
            continue
        symptom = symptom_of(title, bottleneck)
        if symptom is None:
            left_out["symptom-undecided"] += 1
            continue
        text = f"{description}\nBottleneck: {bottleneck}" if bottleneck else description
        motif = Motif(
            id="",
            title=title,
            description=text[:MAX_TEXT],
            symptom=symptom,
            pipe=_SIGNS[symptom][0],
            conditions=Conditions(),
            rewrite=Rewrite(diff=diff),
            evidence=(),
            provenance=origin,
            tags=("public-bank",),
        )
        motifs.append(identified(motif))
    return PublicReading(SOURCE, motifs, dict(sorted(left_out.items())))


def symptom_of(title: str, bottleneck: str) -> SymptomKind | None:
    """The symptom that title and bottleneck name; None when they name none, or several alike.

    A sign in the title counts twice as much: the title says what was done, the bottleneck what came of it.
    """
    scores = {
        kind: _TITLE_WEIGHT * bool(re.search(signs, title, re.I)) + bool(re.search(signs, bottleneck, re.I))
        for kind, (_, signs) in _SIGNS.items()
    }
    best, second = sorted(scores.values(), reverse=True)[:2]
    if best == 0 or best == second:
        return None
    return next(kind for kind, score in scores.items() if score == best)


def _texts(record: object, where: str) -> tuple[str, str, str, str]:
    fields = Fields(record, where)
    result = (
        fields.text("title", MAX_TITLE, empty=False).strip(),
        fields.text("description", MAX_TEXT, lines=True),
        fields.text("bottleneck", MAX_TEXT, lines=True),
        fields.text("code_diff", MAX_DIFF, lines=True, code=True),
    )
    fields.done()
    return result


def _license(path: Path) -> str:
    """What the checkout states in its top folder; ``unknown`` when it states nothing or is no checkout."""
    place = path.resolve()
    if place.parts[-len(_PLACE.parts) :] != _PLACE.parts:
        return "unknown"
    root = place.parents[len(_PLACE.parts) - 1]
    for name in ("LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING"):
        file = root / name
        if file.is_file():
            with file.open(encoding="utf-8", errors="replace") as stream:
                text = stream.read(4096)
            return next((spdx for spdx, words in _LICENSES.items() if re.search(words, text)), "unknown")
    return "unknown"
