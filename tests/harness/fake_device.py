"""A device with a closed-form time, values from numpy and failures on demand.

The operator is a toy (``write_toy_operator``): ``y = 2 x``, with TILE (elements), CORE_MIN and BUFFER_NUM
as constants. Time of n elements on c cores, in microseconds, for a parameter set (launch L, bandwidth B,
step cost S):
    L + per_core / B / overlap + ceil(per_core / TILE) * S,  overlap = 1 with one buffer, 2 with more
UB: TILE * 4 bytes * 2 queues * BUFFER_NUM must fit in 192 KB.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.devices.base import (
    BuildOptions,
    Built,
    Capabilities,
    Device,
    DeviceFailure,
    Profile,
    RunResult,
    SlottedHost,
    TilingResult,
    Timing,
    Violation,
)
from ascendopt.harness.evaluation import size
from ascendopt.harness.workload import Case, TensorSpec, Workload

UB_BYTES = 196_608
CORES = 40
SETS = 16

Constants = Mapping[str, int]

HOST = """// toy: host side
namespace optiling {{
constexpr uint32_t TILE = {tile};  // elements per step
constexpr uint32_t MIN_CORE_LENGTH = {core};
static int Tiling(Context* context) {{
    set_tile(TILE);
    set_core(MIN_CORE_LENGTH);
    return 0;
}}
}}
"""
KERNEL = """// toy: kernel side
constexpr int32_t BUFFER_NUM = {buffers};
constexpr int32_t FACTOR = 2;
extern "C" __global__ __aicore__ void toy(GM_ADDR x, GM_ADDR y) {{
    pipe.InitBuffer(queue, BUFFER_NUM, 32);
    Muls(out, in, FACTOR);
}}
"""


def write_toy_operator(folder: Path, tile: int = 512, core: int = 1024, buffers: int = 1) -> Path:
    """Write the toy operator into ``folder`` and return it."""
    for part, text in (
        ("op_host/toy.cpp", HOST.format(tile=tile, core=core)),
        ("op_kernel/toy.cpp", KERNEL.format(buffers=buffers)),
    ):
        path = folder / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def toy_case(name: str, shape: tuple[int, ...], dtype: str = "float32", **options: Any) -> Case:
    """A case of the toy operator."""
    spec = (TensorSpec("x", dtype, (shape,)),)
    return Case(name, spec, (TensorSpec("y", dtype, (shape,)),), **options)


def toy_workload() -> Workload:
    """One timed case, one that is only checked, with a tail."""
    return Workload((toy_case("large", (256, 512)), toy_case("tail", (37, 13), correctness_only=True)))


@dataclass
class FakeDevice(Device):
    """``failure`` and ``violate`` may veto a program from its constants; ``noise`` jitters measured times.

    ``scale`` multiplies the outputs (1 = right); with ``right_as_meant_only`` they are wrong unless the build asks for
    ``as_meant``. ``builds`` and ``runs`` count; with ``slots`` host code is shared among candidates.
    Modelled devices give ``SETS`` samples from fixed parameter sets, measuring ones (``modelled=False``) a noisy
    sample a repetition.
    """

    modelled: bool = True
    noise: float = 0.0
    seed: int = 0
    spread: float = 0.05
    failure: Callable[[Constants], DeviceFailure | None] = lambda _constants: None
    violate: Callable[[Constants], Sequence[Violation]] = lambda _constants: ()
    scale: Callable[[Constants], float] = lambda _constants: 1.0
    on_build: Callable[[int], None] = lambda _count: None
    right_as_meant_only: bool = False
    slots: bool = False
    runs: int = 0
    builds: int = 0
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.Generator(np.random.PCG64(self.seed))

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities("fake", "Ascend910B2", self.modelled, "none")

    def parameter_sets(self) -> NDArray[np.float64]:
        """(SETS, 3): launch us, bandwidth elements/us, cost of a step us; the first set is the centre."""
        sets = np.random.Generator(np.random.PCG64(7))
        factors = np.exp(sets.normal(0.0, self.spread, (SETS, 3)))
        factors[0] = 1.0
        return factors * np.array([2.0, 2000.0, 0.5])

    def build(self, operator: Path, options: BuildOptions) -> Built:
        return self._built(operator, options, ())

    def build_slotted(self, slotted: SlottedHost, options: BuildOptions) -> Built | None:
        return self._built(slotted.operator, options, slotted.values) if self.slots else None

    def _built(self, operator: Path, options: BuildOptions, slots: Sequence[int]) -> Built:
        self.builds += 1
        self.on_build(self.builds)
        text = "".join(p.read_text() for p in sorted(operator.rglob("*.cpp")))
        text = re.sub(r"ASCENDOPT_SLOT\([^,]*, (\d+)\)", lambda slot: str(slots[int(slot[1])]), text)
        constants = {m[1]: int(m[2]) for m in re.finditer(r"\b([A-Z_]{3,}) = (\d+)", text)}
        failure = self.failure(constants)
        if failure is not None and failure.stage == "compile":
            raise failure
        wrong = self.right_as_meant_only and not options.as_meant
        return FakeBuilt(self, constants, failure, 3.0 if wrong else 1.0)


class FakeBuilt(Built):
    def __init__(
        self,
        device: FakeDevice,
        constants: Constants,
        failure: DeviceFailure | None,
        scale: float = 1.0,
    ) -> None:
        self._device = device
        self._scale = scale
        self._constants = constants
        self._failure = failure

    def tile(self, case: Case) -> TilingResult:
        elements = size(case.inputs[0].shape)
        cores = max(1, min(CORES, elements // self._constants["MIN_CORE_LENGTH"]))
        return TilingResult({"tile": self._constants["TILE"]}, b"", 0, cores, 0)

    def run(self, case: Case, inputs: Sequence[NDArray[Any]], *, timing: bool = True) -> RunResult:
        if self._failure is not None:
            raise self._failure
        self._device.runs += 1
        factor = self._constants["FACTOR"] * self._device.scale(self._constants) * self._scale
        outputs = [(array.astype(np.float64) * factor).astype(array.dtype) for array in inputs]
        return RunResult(outputs, self._violations(), self.ub_bytes, None, tiling=self.tile(case))

    def profile(self, case: Case) -> Profile:
        if self._failure is not None:
            raise self._failure
        tiling = self.tile(case)
        samples = self.times(case, tiling.block_dim)
        if not self._device.modelled:
            jitter = np.exp(self._device.rng.normal(0.0, self._device.noise))
            samples = samples[:1] * jitter
        pipes = {"mte2": float(samples[0]) * 0.9, "vector": float(samples[0]) * 0.4}
        timing = Timing(float(samples[0]), tuple(map(float, samples)), pipes, "mte2", self._device.modelled)
        return Profile(timing, tiling, self.ub_bytes, self._violations())

    @property
    def ub_bytes(self) -> int:
        return self._constants["TILE"] * 4 * 2 * self._constants["BUFFER_NUM"]

    def times(self, case: Case, cores: int) -> NDArray[np.float64]:
        """The closed form of the module's docstring, one time per parameter set."""
        per_core = -(-size(case.inputs[0].shape) // cores)
        steps = -(-per_core // self._constants["TILE"])
        overlap = 1 if self._constants["BUFFER_NUM"] == 1 else 2
        launch, bandwidth, step = self._device.parameter_sets().T
        return launch + per_core / bandwidth / overlap + steps * step

    def _violations(self) -> tuple[Violation, ...]:
        found = tuple(self._device.violate(self._constants))
        if self.ub_bytes > UB_BYTES:
            message = f"queues need {self.ub_bytes} bytes of UB, the chip has {UB_BYTES}"
            found += (Violation("ub_overflow", "error", message, "op_kernel/toy.cpp", 5),)
        return found
