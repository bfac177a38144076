"""Structural operators: one optimisation each, with its inverse. They are what refines and rewinds without an LLM."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from ascendopt.analysis.facts import OperatorFacts
from ascendopt.analysis.findings import TextEdit
from ascendopt.analysis.source.source_file import SourceFile
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.code import Code


@dataclass(frozen=True)
class OperatorView:
    """One operator as the structural operators see it: parsed sources and facts of both sides.

    ``sources`` maps a POSIX path relative to the operator's folder to its parsed text; only these files may be edited.
    Make one with ``view.view_of``.
    """

    root: Path
    soc: str
    sources: Mapping[str, SourceFile]
    facts: OperatorFacts
    _codes: dict[str, Code] = field(default_factory=dict[str, Code], repr=False, compare=False)

    def code(self, path: str) -> Code:
        """One file, tokens and functions ready for many patterns."""
        if path not in self._codes:
            self._codes[path] = Code(path, self.sources[path])
        return self._codes[path]

    def kernel_codes(self) -> list[Code]:
        """The files of the device side, in a stable order."""
        return [self.code(path) for path in sorted(self.sources) if not path.startswith("op_host/")]

    def host_codes(self) -> list[Code]:
        """The files of the host side, in a stable order."""
        return [self.code(path) for path in sorted(self.sources) if not path.startswith("op_kernel/")]


@dataclass(frozen=True)
class Change:
    """One edit that a structural operator offers.

    ``edits`` are exact and do not overlap; ``before`` and ``after`` are the pattern pair it instantiates, slow and fast
    (always in this order, also for a removal); ``parameters`` what was chosen (``depth: 2``); ``conditions`` the facts
    of the place that it rests on; ``place`` is where a light bulb would stand.
    """

    operator: str
    title: str
    edits: tuple[TextEdit, ...]
    place: TextEdit
    before: str
    after: str
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    conditions: tuple[str, ...] = ()


class StructuralOperator(ABC):
    """One optimisation. Its docstring has the headings What it does, Before, After, When, Why it is faster.

    Both directions only offer what is legal for certain as far as the facts tell; the gates decide the rest. Equal
    views give equal changes in equal order.
    """

    name: ClassVar[str]
    """Stable: journals and motifs hold it (``buffer-depth``)."""
    symptom: ClassVar[SymptomKind]
    pipe: ClassVar[str]
    """The pipe that the symptom shows on."""

    @abstractmethod
    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Slow to fast, at every place where it applies."""

    @abstractmethod
    def removals(self, view: OperatorView) -> Iterator[Change]:
        """Fast to slow: takes the optimisation out of a kernel that has it. Applying the improvement at the same place
        restores the text exactly. Adds no comment, and no work that nobody would write."""
