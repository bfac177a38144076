"""Both sides of one operator, and what links them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from ascendopt.analysis.facts.mentions import Mentions
from ascendopt.analysis.facts.model import KernelModel
from ascendopt.analysis.facts.tiling_model import LAUNCH, TilingModel
from ascendopt.analysis.operators.model import Operator
from ascendopt.analysis.source import SourceFile
from ascendopt.analysis.values import Substitution, Value


@dataclass(frozen=True, eq=False)
class OperatorFacts:
    """Kernel and host of one operator. ``tiling`` is None for a single-file kernel launch without a tiling
    function. Kernel sizes are Values over ``tiling.<field>``; ``linked`` rewrites such a Value over host
    symbols."""

    operator: Operator
    soc: str
    kernel: KernelModel
    tiling: TilingModel | None
    kernel_sources: tuple[SourceFile, ...] = ()
    host_sources: tuple[SourceFile, ...] = ()

    @cached_property
    def host_names(self) -> Mentions:
        """What the host's sources name."""
        return Mentions(self.host_sources, self.operator.tiling_structs)

    @cached_property
    def kernel_names(self) -> Mentions:
        """What the kernel's sources name, for all chips."""
        return Mentions(self.kernel_sources, self.operator.tiling_structs)

    @cached_property
    def has_one_key(self) -> bool:
        """False where arms for several tiling keys read fields that the host may set differently for each."""
        return len({instance.key for instance in self.kernel.instances}) < 2

    def linked(self, value: Value) -> Value:
        """``value`` with each ``tiling.<field>`` that the host sets exactly once, unconditionally, replaced
        by the host's expression, and so each ``arg.<parameter>`` of a launch; the others stay symbols."""
        if self.tiling is None:
            return value
        handed = self._handed.value(value) or value
        # An argument of a launch may itself be a field that the host has set.
        return self._set.value(handed) or handed

    @cached_property
    def _handed(self) -> Substitution:
        return Substitution(self._known(launch=True))

    @cached_property
    def _set(self) -> Substitution:
        return Substitution(self._known(launch=False))

    def _known(self, *, launch: bool) -> dict[str, Value]:
        """What is set exactly once, unconditionally: launch arguments, or tiling fields."""
        if self.tiling is None:
            return {}
        sets = [entry for entry in self.tiling.sets if (entry.struct == LAUNCH) is launch]
        times = Counter(entry.field for entry in sets)
        side = "arg" if launch else "tiling"
        return {
            f"{side}.{entry.field}": entry.value
            for entry in sets
            if times[entry.field] == 1 and entry.value is not None and not entry.conditional
        }
