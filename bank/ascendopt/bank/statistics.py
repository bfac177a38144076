"""What a bank holds, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ascendopt.bank.hygiene import quarantine_codes
from ascendopt.bank.motif import Motif


@dataclass(frozen=True)
class Statistics:
    """Counts of motifs; ``held`` and ``failed`` count attempts over all evidence, ``devices`` pieces of evidence."""

    motifs: int
    retrievable: int
    symptoms: Mapping[str, int]
    statuses: Mapping[str, int]
    reasons: Mapping[str, int]
    devices: Mapping[str, int]
    licenses: Mapping[str, int]
    sources: Mapping[str, int]
    held: int
    failed: int

    def to_json(self) -> dict[str, object]:
        """Plain JSON values."""
        return {
            "motifs": self.motifs,
            "retrievable": self.retrievable,
            "symptoms": dict(self.symptoms),
            "statuses": dict(self.statuses),
            "quarantine_reasons": dict(self.reasons),
            "devices": dict(self.devices),
            "licenses": dict(self.licenses),
            "sources": dict(self.sources),
            "held": self.held,
            "failed": self.failed,
        }


def statistics(motifs: Iterable[Motif]) -> Statistics:
    """Count motifs; the largest counts come first."""
    every = list(motifs)
    evidence = [each for motif in every for each in motif.evidence]
    statuses = _counts(motif.status.value for motif in every)
    return Statistics(
        motifs=len(every),
        retrievable=len(every) - statuses.get("quarantined", 0),
        symptoms=_counts(motif.symptom.value for motif in every),
        statuses=statuses,
        reasons=_counts(code for motif in every for code in quarantine_codes(motif)),
        devices=_counts(f"{each.device} ({'modelled' if each.modelled else 'measured'})" for each in evidence),
        licenses=_counts(motif.provenance.license or "unknown" for motif in every),
        sources=_counts(motif.provenance.source or "unknown" for motif in every),
        held=sum(each.held for each in evidence),
        failed=sum(each.failed for each in evidence),
    )


def _counts(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
