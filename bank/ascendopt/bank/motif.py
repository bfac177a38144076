"""The motif: one experience, measured. The schema of banks and packs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from ascendopt.analysis.symptoms.model import SymptomKind

SCHEMA_VERSION = 1


class Status(str, Enum):
    """``CANDIDATE``: measured, not looked at by a person; ``REVIEWED``: looked at; ``QUARANTINED``: never retrieved."""

    CANDIDATE = "candidate"
    REVIEWED = "reviewed"
    QUARANTINED = "quarantined"


@dataclass(frozen=True)
class Conditions:
    """When the rewrite may apply. Empty means: anywhere.

    ``chips`` are chip families (``Ascend910B``); ``dtypes`` dtype names (``float16``); ``required_facts`` and
    ``forbidden_facts`` are fact keys of the place, as the structural operators state them (``loop``,
    ``queue-depth-1``).
    """

    chips: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    required_facts: tuple[str, ...] = ()
    forbidden_facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rewrite:
    """The edit: ``before`` (slow) becomes ``after`` (fast).

    ``operator`` names the structural operator that performs it and ``parameters`` its choice; both are empty for a
    rewrite that is only its patterns or its diff. ``before`` and ``after`` are patterns (``analysis.patterns``),
    empty where the edit is no pattern. ``diff`` is the original unified diff, slow to fast.
    """

    operator: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    before: str = ""
    after: str = ""
    diff: str = ""


@dataclass(frozen=True)
class Evidence:
    """One measurement of the rewrite: times are weighted geometric means over ``cases``, in microseconds.

    ``interval`` is the 95 % interval of ``before_us / after_us``. ``held`` counts attempts that passed the gates and
    were faster, ``failed`` those that did not.
    """

    device: str
    modelled: bool
    soc: str
    cases: tuple[str, ...]
    before_us: float
    after_us: float
    interval: tuple[float, float]
    held: int = 1
    failed: int = 0

    @property
    def gain(self) -> float:
        """``before_us / after_us``."""
        return self.before_us / self.after_us


@dataclass(frozen=True)
class Provenance:
    """Where the experience comes from. ``license`` is an SPDX identifier or ``unknown``; ``date`` is ISO 8601."""

    source: str
    file: str
    license: str
    date: str
    tool_version: str


@dataclass(frozen=True)
class Motif:
    """One experience. ``id`` is derived from the rewrite and the symptom (``motif_id``): equal edits have equal ids."""

    id: str
    title: str
    description: str
    symptom: SymptomKind
    pipe: str
    conditions: Conditions
    rewrite: Rewrite
    evidence: tuple[Evidence, ...]
    provenance: Provenance
    status: Status = Status.CANDIDATE
    quarantine_reason: str = ""
    tags: tuple[str, ...] = field(default=())

    @property
    def gain(self) -> float:
        """Median gain of its evidence; 1 without any."""
        gains = sorted(each.gain for each in self.evidence)
        return gains[len(gains) // 2] if gains else 1.0
