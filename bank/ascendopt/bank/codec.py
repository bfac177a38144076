"""Motifs as JSON. Reading is strict: what comes in may come from anywhere."""

from __future__ import annotations

import json
import re

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.identity import motif_id
from ascendopt.bank.json_reader import Fields, parse
from ascendopt.bank.motif import Conditions, Evidence, Motif, Provenance, Rewrite, Status

MAX_TITLE = 200
MAX_NAME = 200
MAX_TEXT = 8_000
MAX_PATTERN = 64_000
MAX_DIFF = 256_000
MAX_ENTRIES = 64
MAX_EVIDENCE = 1_000

_ID = re.compile(r"m[0-9a-f]{16}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")


def motif_to_json(motif: Motif) -> dict[str, object]:
    """The motif as plain JSON values; ``motif_from_json`` gives an equal one back."""
    conditions, rewrite, provenance = motif.conditions, motif.rewrite, motif.provenance
    return {
        "id": motif.id,
        "title": motif.title,
        "description": motif.description,
        "symptom": motif.symptom.value,
        "pipe": motif.pipe,
        "conditions": {
            "chips": list(conditions.chips),
            "dtypes": list(conditions.dtypes),
            "required_facts": list(conditions.required_facts),
            "forbidden_facts": list(conditions.forbidden_facts),
        },
        "rewrite": {
            "operator": rewrite.operator,
            "parameters": dict(rewrite.parameters),
            "before": rewrite.before,
            "after": rewrite.after,
            "diff": rewrite.diff,
        },
        "evidence": [_evidence_to_json(each) for each in motif.evidence],
        "provenance": {
            "source": provenance.source,
            "file": provenance.file,
            "license": provenance.license,
            "date": provenance.date,
            "tool_version": provenance.tool_version,
        },
        "status": motif.status.value,
        "quarantine_reason": motif.quarantine_reason,
        "tags": list(motif.tags),
    }


def encode(motif: Motif) -> str:
    """One line of JSON in canonical order: equal motifs give equal texts."""
    return json.dumps(motif_to_json(motif), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def decode(text: str, where: str) -> Motif:
    """The motif of a text that ``encode`` wrote. ``where`` begins the message of an error.

    Raises:
        BankError: the text is not JSON, or not a motif.
    """
    return motif_from_json(parse(text, where), where)


def checked(motif: Motif) -> Motif:
    """The motif as it comes back from JSON: what a bank would store, with the same checks.

    Raises:
        BankError: a field that no bank takes, or an id that does not belong to the rewrite.
    """
    return motif_from_json(motif_to_json(motif), f"motif {motif.id or '(no id)'}")


def motif_from_json(value: object, where: str) -> Motif:
    """Read one motif from parsed JSON.

    Raises:
        BankError: a wrong type, an unknown or missing field, a text that is too long, has control characters or HTML,
            or an id that does not belong to the rewrite. The message names the record (``where``) and the field.
    """
    fields = Fields(value, where)
    identity = fields.text("id", MAX_NAME, empty=False)
    if not _ID.fullmatch(identity):
        raise fields.error("id", "must be m and 16 hexadecimal digits")
    where = f"{where} ({identity})"
    fields = Fields(value, where)
    fields.take("id")
    symptom = SymptomKind(fields.one_of("symptom", [kind.value for kind in SymptomKind]))
    rewrite = _rewrite(fields.take("rewrite"), f"{where}, rewrite")
    motif = Motif(
        id=identity,
        title=fields.text("title", MAX_TITLE, empty=False),
        description=fields.text("description", MAX_TEXT, lines=True),
        symptom=symptom,
        pipe=fields.text("pipe", MAX_NAME),
        conditions=_conditions(fields.take("conditions", {}), f"{where}, conditions"),
        rewrite=rewrite,
        evidence=tuple(
            _evidence(each, f"{where}, evidence {number}")
            for number, each in enumerate(fields.items("evidence", MAX_EVIDENCE), 1)
        ),
        provenance=_provenance(fields.take("provenance"), f"{where}, provenance"),
        status=Status(fields.one_of("status", [status.value for status in Status], Status.CANDIDATE.value)),
        quarantine_reason=fields.text("quarantine_reason", MAX_TEXT, lines=True),
        tags=fields.texts("tags", MAX_NAME, MAX_ENTRIES),
    )
    fields.done()
    if identity != motif_id(symptom, rewrite):
        raise fields.error("id", f"does not belong to the rewrite, whose id is {motif_id(symptom, rewrite)}")
    return motif


def _conditions(value: object, where: str) -> Conditions:
    fields = Fields(value, where)
    names = ("chips", "dtypes", "required_facts", "forbidden_facts")
    chips, dtypes, required, forbidden = (fields.texts(name, MAX_NAME, MAX_ENTRIES) for name in names)
    fields.done()
    return Conditions(chips, dtypes, required, forbidden)


def _rewrite(value: object, where: str) -> Rewrite:
    fields = Fields(value, where)
    rewrite = Rewrite(
        operator=fields.text("operator", MAX_NAME),
        parameters=fields.pairs("parameters", MAX_NAME, MAX_ENTRIES),
        before=fields.text("before", MAX_PATTERN, lines=True, code=True),
        after=fields.text("after", MAX_PATTERN, lines=True, code=True),
        diff=fields.text("diff", MAX_DIFF, lines=True, code=True),
    )
    fields.done()
    return rewrite


def _evidence(value: object, where: str) -> Evidence:
    fields = Fields(value, where)
    bounds = fields.items("interval", 2)
    if len(bounds) != 2:
        raise fields.error("interval", "must be two numbers")
    low, high = (fields.positive_value("interval", bound) for bound in bounds)
    if low > high:
        raise fields.error("interval", "has its lower bound above its upper one")
    evidence = Evidence(
        device=fields.text("device", MAX_NAME, empty=False),
        modelled=fields.flag("modelled"),
        soc=fields.text("soc", MAX_NAME),
        cases=fields.texts("cases", MAX_NAME, MAX_ENTRIES),
        before_us=fields.positive("before_us"),
        after_us=fields.positive("after_us"),
        interval=(low, high),
        held=fields.count("held", 1),
        failed=fields.count("failed", 0),
    )
    fields.done()
    return evidence


def _provenance(value: object, where: str) -> Provenance:
    fields = Fields(value, where)
    source, file, license_name, date, tool_version = (
        fields.text(name, MAX_NAME) for name in ("source", "file", "license", "date", "tool_version")
    )
    if date and not _DATE.fullmatch(date):
        raise fields.error("date", "must be a date as in 2026-01-31")
    fields.done()
    return Provenance(source, file, license_name, date, tool_version)


def _evidence_to_json(evidence: Evidence) -> dict[str, object]:
    return {
        "device": evidence.device,
        "modelled": evidence.modelled,
        "soc": evidence.soc,
        "cases": list(evidence.cases),
        "before_us": evidence.before_us,
        "after_us": evidence.after_us,
        "interval": list(evidence.interval),
        "held": evidence.held,
        "failed": evidence.failed,
    }
