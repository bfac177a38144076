"""Rewrites for the light bulb: what the structural operators offer, with the experience that the bank has of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ascendopt.analysis.chips import DEFAULT_SOC
from ascendopt.analysis.facts import FactsCache
from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.operators import NotAnOperator
from ascendopt.analysis.symptoms import Symptom
from ascendopt.bank.errors import BankError
from ascendopt.bank.motif import Motif
from ascendopt.bank.opening import open_bank
from ascendopt.bank.retrieval import evidence_phrase
from ascendopt.bank.store import BankStore
from ascendopt.harness.operator_copy import OperatorError, OperatorSources, read_operator
from ascendopt.harness.refine.diagnosis import diagnose
from ascendopt.harness.refine.experience import BankExperience, Situation
from ascendopt.harness.structural.base import Change, OperatorView
from ascendopt.harness.structural.registry import structural_operator, structural_operators
from ascendopt.harness.structural.view import view_of
from ascendopt.harness.target import TargetError, open_target
from ascendopt.harness.workload_file import WorkloadFileError
from ascendopt.server.jobs.target import bank_folder, overlaid

NO_EXPERIENCE = "no experience yet"
NO_BANK = "the bank cannot be read"
_LONGEST_SOURCE = 40


@dataclass
class Adviser:
    """Answers questions about operators, one at a time; keeps facts and the bank between them."""

    _facts: FactsCache = field(default_factory=FactsCache)
    _stores: dict[str, BankStore] = field(default_factory=dict[str, BankStore])

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """`rewrites`, best first, the digests of the texts that they hold for, and a `note` for the log."""
        note = ""
        store: BankStore | None = None
        try:
            store = self._store(question["bank"])
        except (BankError, ValueError, OSError) as error:
            note = str(error)
        if "operator" not in question:
            return {"rewrites": [], "digests": {}, "note": note}
        try:
            sources, situation = _operator(Path(question["operator"]), question["soc"], question["texts"])
            view = view_of(sources, situation.soc, self._facts)
        except (OperatorError, NotAnOperator, OSError) as error:
            return {"rewrites": [], "digests": {}, "note": str(error)}
        try:
            rewrites = list(_rewrites(view, situation, store))
        except BankError as error:
            note = str(error)
            rewrites = list(_rewrites(view, situation, None))
        digests = {path: hashlib.sha256(source.data).hexdigest() for path, source in view.sources.items()}
        return {"rewrites": rewrites, "digests": digests, "note": note}

    def _store(self, setting: str) -> BankStore:
        if setting not in self._stores:
            self._stores[setting] = open_bank(bank_folder(setting))
        return self._stores[setting]


def _operator(path: Path, soc: str, texts: Mapping[str, str]) -> tuple[OperatorSources, Situation]:
    """The operator as the editor has it. One without a workload can be rewritten, though not verified."""
    try:
        target = open_target(path, soc or None)
    except (TargetError, WorkloadFileError):
        sources = overlaid(read_operator(path), texts)
        return sources, Situation(soc or DEFAULT_SOC, (), sources.name)
    specs = [spec for case in target.workload.cases for spec in (*case.inputs, *case.outputs)]
    dtypes = tuple(sorted({spec.dtype for spec in specs}))
    return overlaid(target.sources, texts), Situation(target.soc, dtypes, target.sources.name)


def _rewrites(view: OperatorView, situation: Situation, store: BankStore | None) -> Iterator[dict[str, Any]]:
    """Those that a motif names first, heaviest symptom first; then the rest. Equal edits come once."""
    symptoms, offers = diagnose(view, None, structural_operators())
    experience = BankExperience(store) if store is not None else None
    places = {symptom.kind: symptom for symptom in symptoms}
    seen: set[tuple[tuple[TextEdit, ...], ...]] = set()
    named: set[str] = set()
    for symptom in symptoms:
        for motif in experience.motifs(symptom, situation) if experience is not None else ():
            changes = _like(motif, offers.get(motif.rewrite.operator, ()))
            # Several motifs may name one edit: the best evidence stands for it.
            edits = tuple(change.edits for change in changes)
            if changes and edits not in seen:
                seen.add(edits)
                named.add(motif.rewrite.operator)
                yield _json(view, symptom, changes, _evidence(motif))
    for name, changes in offers.items():
        if name not in named:
            symptom = places[structural_operator(name).symptom]
            yield _json(view, symptom, changes, NO_EXPERIENCE if store is not None else NO_BANK)


def _like(motif: Motif, offered: Sequence[Change]) -> list[Change]:
    """The changes that make the motif's choice; where none does, all of them."""
    wanted = dict(motif.rewrite.parameters)
    like = [change for change in offered if all(change.parameters.get(k) == v for k, v in wanted.items())]
    return like or list(offered)


def _evidence(motif: Motif) -> str:
    """`1.45x modelled, held 3 of 3, from rms_scale`: a pack's text is shown as plain, short text."""
    source = "".join(c for c in motif.provenance.source if c.isprintable())[:_LONGEST_SOURCE]
    return f"{evidence_phrase(motif)}, from {source or 'the bank'}"


def _json(view: OperatorView, symptom: Symptom, changes: Sequence[Change], evidence: str) -> dict[str, Any]:
    relative = {source.path: path for path, source in view.sources.items()}

    def place(path: Path, span: Span) -> list[Any]:
        return [relative.get(path, ""), span.start, span.end]

    return {
        "evidence": evidence,
        "places": [place(each.path, each.span) for each in symptom.places],
        "changes": [
            {
                "title": change.title,
                "place": place(change.place.path, change.place.span),
                "edits": [[*place(edit.path, edit.span), edit.new_text] for edit in change.edits],
            }
            for change in changes
        ],
    }
