"""The space of a tiling search: tunables, genes (one index into each domain) and the programs they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.candidate import Candidate, HostTemplate
from ascendopt.harness.search.host_code import is_host
from ascendopt.harness.search.host_slots import host_slots
from ascendopt.harness.search.tunables import Tunable, apply_values

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Genes = tuple[int, ...]


class TilingSpace:
    """All combinations of values of ``tunables`` in ``texts``. ``original`` is the program as it is."""

    def __init__(self, texts: Mapping[str, str], tunables: Sequence[Tunable]) -> None:
        self._texts = texts
        self.tunables = tuple(tunables)
        self.original: Genes = tuple(t.domain.index(t.value) for t in self.tunables)
        self.sizes = tuple(len(t.domain) for t in self.tunables)
        self._slots = host_slots(texts, self.tunables)

    @property
    def size(self) -> int:
        """Number of different programs."""
        return prod(self.sizes)

    def candidate(self, genes: Genes, origin: str) -> Candidate:
        """The program of ``genes``; its note names what differs from the original."""
        values = {t.name: t.domain[index] for t, index in zip(self.tunables, genes, strict=True)}
        changed = (t for t in self.tunables if values[t.name] != t.value)
        note = ", ".join(f"{t.name} {t.text(t.value)} -> {t.text(values[t.name])}" for t in changed)
        files = apply_values(self._texts, self.tunables, values)
        return Candidate(files, origin, note, values, self._template(files, values))

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        """A program of this space with one number or expression as it was, for each that differs; the original, which
        changes nothing, is left out."""
        genes = [t.domain.index(int(candidate.genes[t.name])) for t in self.tunables]
        changed = [at for at, gene in enumerate(genes) if gene != self.original[at]]
        fewer = (tuple(self.original[i] if i == at else gene for i, gene in enumerate(genes)) for at in changed)
        return [self.candidate(one, candidate.origin) for one in fewer if one != self.original]

    def _template(self, files: Mapping[str, str], values: Mapping[str, int]) -> HostTemplate | None:
        """The host code with slots, beside the kernel's files of the candidate, which host code may include."""
        if self._slots is None:
            return None
        kernel = {path: text for path, text in files.items() if not is_host(path)}
        return HostTemplate({**kernel, **self._slots.files}, tuple(values[t.name] for t in self._slots.tunables))

    def places(self, genes: Sequence[Genes], active: Sequence[int]) -> NDArray[np.float64]:
        """``genes`` as points of the unit cube (n x d): the places in the domains of the ``active`` tunables."""
        return np.array([self._place(one, active) for one in genes], dtype=np.float64)

    def divisors(self, genes: Sequence[Genes], active: Sequence[int]) -> NDArray[np.float64]:
        """The places, and beside them how far each number is from a power of two (n x 2 d at most): what divides a
        size is often what is legal."""
        odd: dict[int, list[float]] = {}
        for at in active:
            tunable = self.tunables[at]
            if tunable.alternatives or not all(tunable.domain):
                continue
            parts = [log2(value // (value & -value)) for value in tunable.domain]
            if max(parts) > 0.0:
                odd[at] = [part / max(parts) for part in parts]
        rows = [[*self._place(one, active), *(parts[one[at]] for at, parts in odd.items())] for one in genes]
        return np.array(rows, dtype=np.float64)

    def _place(self, genes: Genes, active: Sequence[int]) -> list[float]:
        return [genes[at] / max(self.sizes[at] - 1, 1) for at in active]

    def params(self, genes: Genes) -> dict[str, int]:
        """``genes`` as Optuna names them."""
        return {t.name: index for t, index in zip(self.tunables, genes, strict=True)}

    def genes(self, params: Mapping[str, object]) -> Genes:
        """The reverse of ``params``."""
        return tuple(int(str(params[t.name])) for t in self.tunables)

    def distributions(self) -> dict[str, BaseDistribution]:
        """One whole-number distribution a tunable, over the places of its domain."""
        from optuna.distributions import IntDistribution

        return {t.name: IntDistribution(0, size - 1) for t, size in zip(self.tunables, self.sizes, strict=True)}
