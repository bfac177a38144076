"""The device interface: build an operator, run it, profile it.

The model device, a local NPU, a remote one and a cluster all stand behind ``Device``. Implementations must
pass the conformance suite in ``tests/harness/device_conformance.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ascendopt.analysis.active_case import ActiveCase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ascendopt.harness.workload import Case, TensorSpec

TilingValue = int | float | tuple[int | float, ...]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Capabilities:
    """What a device can do. ``modelled`` devices compute times; the others measure them."""

    name: str
    soc: str
    modelled: bool
    sandbox: str
    checks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Violation:
    """Something that is wrong on the chip, seen while running.

    ``code`` is stable (``gm_out_of_bounds``, ``ub_overflow``, ``race_raw`` ...); ``file`` and ``line`` are
    the place in the operator's source, when known; ``severity`` is ``error``, ``warning`` or ``doubt``
    (a documented semantic that the device cannot settle).
    """

    code: str
    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    api: str | None = None
    core: int | None = None
    count: int = 1


@dataclass
class DeviceFailure(Exception):
    """A gate failed on the device. ``stage`` is ``compile``, ``tile``, ``run`` or ``profile``.

    ``reason`` is one sentence; ``file`` and ``line`` point into the operator's source when known; ``log`` is
    the truncated output of the tool that failed.
    """

    stage: str
    reason: str
    file: str | None = None
    line: int | None = None
    log: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else ""
        return f"{place}{self.reason}"


@dataclass(frozen=True)
class TilingResult:
    """What the host tiling function said for one case."""

    values: Mapping[str, TilingValue]
    raw: bytes
    tiling_key: int
    block_dim: int
    workspace: int
    log: str = ""


@dataclass(frozen=True)
class Roofline:
    """What the work of a run costs at least on each resource, in microseconds, were that resource alone the limit.

    ``resources_us`` maps ``hbm``, ``l2`` and the pipes to these times; bytes are those of all cores.
    """

    resources_us: Mapping[str, float]
    read_bytes: float
    write_bytes: float
    hbm_bytes: float

    def bound(self) -> tuple[str, float]:
        """The resource that takes longest, and how long."""
        return max(self.resources_us.items(), key=lambda item: item[1])


@dataclass(frozen=True)
class Timing:
    """Time of one case in microseconds.

    ``latency_us`` is the centre and ``samples_us`` one value per parameter set of the model (the same sets,
    in the same order, for every candidate) or per repetition on a measuring device. ``pipes_us`` maps
    ``scalar``, ``vector``, ``mte2``, ``mte3``, ``cube``, ``mte1``, ``fixpipe`` to busy time of the fullest core.
    ``launch_us`` is the part of the centre before and after the cores run, as far as the device knows it;
    ``launch_samples_us`` the same of each sample.
    """

    latency_us: float
    samples_us: tuple[float, ...]
    pipes_us: Mapping[str, float]
    bound: str
    modelled: bool
    guessed_share: float = 0.0
    note: str = ""
    launch_us: float = 0.0
    launch_samples_us: tuple[float, ...] = ()
    roofline: Roofline | None = None


@dataclass(frozen=True)
class RunResult:
    """Outputs and observations of one functional run."""

    outputs: Sequence[NDArray[np.generic]]
    violations: tuple[Violation, ...]
    ub_bytes: int
    timing: Timing | None
    instructions: int = 0
    tiling: TilingResult | None = None


@dataclass(frozen=True)
class Profile:
    """Timing of one case without functional work."""

    timing: Timing
    tiling: TilingResult
    ub_bytes: int
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True)
class SlottedHost:
    """An operator whose host code has slots in place of numbers, at ``operator``, and the numbers, by slot.

    A device that sets them when it loads the host code compiles it once for all candidates of a tiling search.
    """

    operator: Path
    values: tuple[int, ...]


@dataclass(frozen=True)
class BuildOptions:
    """What a build depends on besides the sources: the chip and extra macro definitions.

    ``as_meant`` concerns calls that a device reports as a ``doubt``: they act as the operator evidently means
    them, not as they are documented. A device that is a chip has no doubts and ignores it.
    """

    soc: str
    defines: Mapping[str, str] = field(default_factory=dict[str, str])
    as_meant: bool = False


class Built(ABC):
    """An operator that compiled, ready to be tiled, run and profiled. Not thread-safe."""

    @abstractmethod
    def tile(self, case: Case) -> TilingResult:
        """Run the host tiling for ``case``. Raises DeviceFailure(stage="tile")."""

    @abstractmethod
    def run(self, case: Case, inputs: Sequence[NDArray[np.generic]], *, timing: bool = True) -> RunResult:
        """Run the kernel on ``inputs`` (tensor lists flattened in order). Raises DeviceFailure."""

    @abstractmethod
    def profile(self, case: Case) -> Profile:
        """Time ``case`` without computing values. Raises DeviceFailure, also when that is not valid."""

    def tilings(self, cases: Sequence[Case]) -> list[TilingResult | DeviceFailure]:
        """``tile`` for each of ``cases``: a failure stands in its case's place."""
        return [_result_of(lambda case=case: self.tile(case)) for case in cases]

    def profiles(self, cases: Sequence[Case]) -> list[Profile | DeviceFailure]:
        """``profile`` for each of ``cases``: a failure stands in its case's place."""
        return [_result_of(lambda case=case: self.profile(case)) for case in cases]

    def described(self) -> Mapping[str, object] | None:
        """The operator's definition as its host code registers it (an entry of a describe answer's ``ops``).

        None where the device cannot tell.
        """
        return None

    def infer_outputs(self, case: Case, inputs: Sequence[NDArray[np.generic]] | None = None) -> tuple[TensorSpec, ...]:
        """The outputs of ``case`` by the operator's own shape inference. Raises DeviceFailure."""
        raise DeviceFailure("tile", "the device does not run shape inference.")

    def active_case(self, case: Case, soc: str) -> ActiveCase:
        """The plain data that the analysis needs to evaluate sizes for ``case``."""
        return active_case(case, soc, self.tile(case))


def active_case(case: Case, soc: str, tiling: TilingResult) -> ActiveCase:
    """The plain data that the analysis needs to evaluate sizes for ``case`` under ``tiling``."""
    dtypes = {spec.name: spec.dtype for spec in (*case.inputs, *case.outputs)}
    return ActiveCase(case.name, soc, tiling.values, dtypes, tiling.block_dim, tiling.tiling_key)


def _result_of(work: Callable[[], _Result]) -> _Result | DeviceFailure:
    try:
        return work()
    except DeviceFailure as failure:
        return failure


class Device(ABC):
    """A place where operators are built and run."""

    @property
    @abstractmethod
    def capabilities(self) -> Capabilities:
        """Name, chip, modelled or measured, and the sandbox that candidates run in."""

    @abstractmethod
    def build(self, operator: Path, options: BuildOptions) -> Built:
        """Compile host and kernel of the operator folder or file. Raises DeviceFailure(stage="compile").

        Compilation per dtype is lazy: the first case of a dtype combination compiles its kernel. Results
        are cached by content, so building an unchanged operator again costs a hash.
        """

    def build_slotted(self, slotted: SlottedHost, options: BuildOptions) -> Built | None:
        """The program that ``slotted`` is with its numbers in their slots.

        None where the device knows no slots, or this host code does not compile (a number that must be a constant).
        """
        return None

    def ensemble(self) -> Mapping[str, Any] | None:
        """On a modelled device, the uncertain constants behind the samples of its times as plain data; else None.

        ``{"samples", "seed", "constants": {name: [relative uncertainty, source]}}``.
        """
        return None

    def close(self) -> None:
        """Release worker processes. The device can not be used afterwards."""
        return
