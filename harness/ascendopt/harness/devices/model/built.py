"""One operator as the model device has compiled it: tilings, runs and times of cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ascendopt.harness.devices.base import (
    BuildOptions,
    Built,
    DeviceFailure,
    Profile,
    RunResult,
    TilingResult,
)
from ascendopt.harness.devices.model.answers import (
    AnswerReader,
    read_outputs,
    read_tiling,
    read_timing,
)
from ascendopt.harness.devices.model.arguments import (
    Definition,
    aligned,
    aligned_inputs,
    kernel_arguments,
    parse_definitions,
    tensor_bytes,
    tile_fields,
)
from ascendopt.harness.devices.model.chip_facts import ChipFacts
from ascendopt.harness.devices.model.host_build import build_host
from ascendopt.harness.devices.model.kernel_build import KernelVariant
from ascendopt.harness.devices.model.kernel_source import KernelSource, find_kernel
from ascendopt.harness.devices.model.placing import Placing
from ascendopt.harness.devices.model.portable_names import relative_file
from ascendopt.harness.devices.model.tiling_header import TilingStruct, generate_header, parse_structs
from ascendopt.harness.devices.model.timeline import Timeline, read_timeline
from ascendopt.harness.workload import Case, TensorSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ascendopt.harness.devices.model.device import ModelDevice

_Result = TypeVar("_Result")
# Above this many element-wise accesses from scalar code, an optimised kernel pays for its compilation.
_MANY_SCALAR_ACCESSES = 5_000_000
# A kernel can't sleep, so the wall clock only has to end what a crowded machine starves.
_WALL_FACTOR = 20


class ModelBuilt(Built):
    """One operator on the model device; ``slots`` are the numbers that its host code is loaded with."""

    def __init__(
        self, device: ModelDevice, operator: Path, options: BuildOptions, chip: ChipFacts, slots: tuple[int, ...] = ()
    ) -> None:
        self._device = device
        self._operator = operator
        self._options = options
        self._chip = chip
        self.slots = slots
        self._host = self._located(lambda: build_host(operator, device.toolchain, device.toolchain.root, chip.name))
        description = device.describe(self._host)
        self.definition, self._source = _choose(operator, parse_definitions(description))
        ops: Sequence[Mapping[str, object]] = description["ops"]
        self._described = next(op for op in ops if op["name"] == self.definition.name)
        self._structs: tuple[TilingStruct, ...] = parse_structs(description)
        self._header = generate_header(self._structs, self.definition.name)
        self._placing = Placing(device.files, self.definition, device.options.seed)
        self._optimise: dict[tuple[str, ...], str] = {}
        self._kernels: dict[tuple[object, ...], Path] = {}
        self._data_dependent: set[str] = set()

    # ---- the interface

    def described(self) -> Mapping[str, object]:
        """The operator's definition as the host object registers it."""
        return self._described

    def tile(self, case: Case) -> TilingResult:
        """Run the host tiling for ``case``. Raises DeviceFailure."""
        result = self.tilings([case])[0]
        if isinstance(result, DeviceFailure):
            raise result
        return result

    def tilings(self, cases: Sequence[Case]) -> list[TilingResult | DeviceFailure]:
        """``tile`` for each of ``cases``, in one process. Raises DeviceFailure when nothing can be run at all."""
        return self._tilings([(case, {}) for case in cases])

    def tilings_of(self, case: Case, programs: Sequence[ModelBuilt]) -> list[TilingResult | DeviceFailure]:
        """``case`` tiled by each of ``programs``, which share this one's host code, in one process.

        Raises DeviceFailure when nothing can be run at all.
        """
        return self._tilings([(case, {"slots": program.slots}) for program in programs])

    def _tilings(self, cases: Sequence[tuple[Case, Mapping[str, object]]]) -> list[TilingResult | DeviceFailure]:
        results: list[TilingResult | DeviceFailure | None] = [None] * len(cases)
        waiting: list[int] = []
        entries: list[dict[str, object]] = []
        for index, (given, more) in enumerate(cases):
            try:
                case = aligned(given, self.definition)
                entries.append({**tile_fields(case, self.definition, self._placing.values(case)), **more})
                waiting.append(index)
            except DeviceFailure as failure:
                results[index] = failure
        if entries:
            fields = {**self._common(None, functional=False), "cases": entries}
            try:
                answer = self._request("tile", fields, len(entries))
            finally:
                self._device.files.clear()
            reader = AnswerReader(self._operator, self._device.symbols, self._host)
            reader.check(answer)
            for index, entry in zip(waiting, answer["results"], strict=True):
                results[index] = self._tiled(reader, entry)
        return [result for result in results if result is not None]

    def profiles(self, cases: Sequence[Case]) -> list[Profile | DeviceFailure]:
        """``profile`` for each of ``cases``, in one process. Raises DeviceFailure when nothing can be run at all."""
        return self.profile_many([(case, None) for case in cases])

    def _tiled(self, reader: AnswerReader, answer: Mapping[str, Any]) -> TilingResult | DeviceFailure:
        try:
            reader.check(answer)
            return read_tiling(answer, self._structs, self.definition.name)
        except DeviceFailure as failure:
            return failure

    def infer_outputs(self, case: Case, inputs: Sequence[NDArray[Any]] | None = None) -> tuple[TensorSpec, ...]:
        """The outputs of ``case`` as the operator's own InferShape and InferDataType say them.

        Outputs that the case has only say how many tensors a list holds. ``inputs`` are the values that shape
        inference may read, as for ``run``; without them they are generated. A dimension is -1 where the values
        decide it. Raises DeviceFailure(stage="tile"), also when the operator has no shape inference.
        """
        case = aligned(case, self.definition) if case.outputs else aligned_inputs(case, self.definition)
        try:
            placed = self._placing.values(case, short=False) if inputs is None else self._placing.inputs(case, inputs)
            fields = {**self._common(case, functional=False), **tile_fields(case, self.definition, placed)}
            if not case.outputs:
                del fields["outputs"]
            answer = self._request("infer", fields)
        finally:
            self._device.files.clear()
        AnswerReader(self._operator, self._device.symbols, self._host).check(answer)
        return read_outputs(answer, [port.name for port in self.definition.outputs])

    def run(self, case: Case, inputs: Sequence[NDArray[Any]], *, timing: bool = True) -> RunResult:
        """Tile and run ``case`` on ``inputs``. Raises DeviceFailure."""
        case = aligned(case, self.definition)
        files = self._device.files
        try:
            placed = self._placing.inputs(case, inputs)
            outputs = self._placing.outputs(case)
            shared = self.kernel(case)
            fields = {
                **self._common(case, functional=True),
                **self._launch(shared, timing),
                **tile_fields(case, self.definition, placed),
                "mode": "functional",
                "args": kernel_arguments(case, self.definition, placed, outputs),
            }
            answer = self._request("run", fields)
            reader = self._reader(shared, case)
            reader.check(answer)
            arrays = [
                files.get(path, spec.dtype, shape)
                for spec, paths in zip(case.outputs, outputs, strict=True)
                for path, shape in zip(paths, spec.shapes, strict=True)
            ]
        finally:
            files.clear()
        if int(answer.get("scalar_accesses", 0)) > _MANY_SCALAR_ACCESSES:
            self._optimise[_dtypes(case)] = "-O1"
        return RunResult(
            outputs=arrays,
            violations=reader.violations(answer),
            ub_bytes=int(answer["ub_bytes"]),
            timing=read_timing(answer) if "latency_us" in answer else None,
            instructions=int(answer["instructions"]),
            tiling=read_tiling(answer, self._structs, self.definition.name),
        )

    def profile(self, case: Case) -> Profile:
        """Time ``case``; on generated inputs, and so noted, when the time depends on them.

        Raises DeviceFailure.
        """
        result = self.profile_many([(case, None)])[0]
        if isinstance(result, DeviceFailure):
            raise result
        return result

    def profile_many(self, cases: Sequence[tuple[Case, TilingResult | None]]) -> list[Profile | DeviceFailure]:
        """Time many cases in one process: the fast path of a search.

        Each case comes with the tiling to use, or None for what the host code says. One that fails gives its
        failure and leaves the others alone. Raises DeviceFailure when nothing can be run at all.
        """
        results: list[Profile | DeviceFailure | None] = [None] * len(cases)
        waiting: list[tuple[int, Case, Path]] = []
        untimed: list[tuple[int, Case]] = []
        entries: list[dict[str, object]] = []
        for index, (given, tiling) in enumerate(cases):
            try:
                case = aligned(given, self.definition)
                if tiling is None and case.name in self._data_dependent:
                    untimed.append((index, case))
                    continue
                shared = self.kernel(case)
                entry: dict[str, object] = {"kernel": str(shared), "entry": self._source.entry}
                if tiling is not None:
                    entry |= _given(tiling)
                else:
                    entry |= tile_fields(case, self.definition, self._placing.values(case))
                entry["args"] = kernel_arguments(case, self.definition, None, None)
                if tiling is not None:
                    entry["args"][-1]["bytes"] = tiling.workspace  # type: ignore[index]
            except DeviceFailure as failure:
                results[index] = failure
                continue
            waiting.append((index, case, shared))
            entries.append(entry)
        if entries:
            fields = {**self._common(None, functional=False), **self._launch(None, True), "cases": entries}
            try:
                answer = self._request("profile", fields, len(entries))
            finally:
                self._device.files.clear()
            self._reader(waiting[0][2], waiting[0][1]).check(answer)
            for (index, case, shared), entry in zip(waiting, answer["results"], strict=True):
                results[index] = self._profiled(case, shared, entry, cases[index][1])
        for index, case in untimed:
            try:
                results[index] = self._profile_with_values(case)
            except DeviceFailure as failure:
                results[index] = failure
        return [result for result in results if result is not None]

    def timeline(self, case: Case) -> Timeline:
        """What the core that runs longest does when, on values that mean nothing. Raises DeviceFailure."""
        case = aligned(case, self.definition)
        shared = self.kernel(case)
        entry = {"kernel": str(shared), "entry": self._source.entry, **tile_fields(case, self.definition)}
        entry["args"] = kernel_arguments(case, self.definition, None, None)
        fields = {**self._common(None, functional=False), **self._launch(None, True), "samples": 0, "timeline": True}
        answer = self._request("profile", {**fields, "cases": [entry]})
        reader = self._reader(shared, case)
        reader.check(answer)
        reader.check(answer["results"][0])
        return read_timeline(answer["results"][0], reader.place)

    # ---- the parts

    def kernel(self, case: Case) -> Path:
        """The kernel object for the dtypes of ``case``. Raises DeviceFailure(stage="compile")."""
        self._chip.check_dtypes(case)
        level = self._optimise.get(_dtypes(case), "-O0")
        tensors = (case.inputs, case.outputs)
        key = (level, *(tuple((spec.name, spec.dtype) for spec in specs) for specs in tensors))
        known = self._kernels.get(key)
        if known is not None and known.is_file():  # the cache may have been cleared
            return known
        dtypes = {spec.name: spec.dtype for spec in (*case.inputs, *case.outputs)}
        # In generated code an output with the name of an input has another one.
        inputs = {spec.name for spec in case.inputs}
        dtypes |= {f"{spec.name}_ref": spec.dtype for spec in case.outputs if spec.name in inputs}
        variant = KernelVariant(
            dtypes,
            self._header,
            self._chip.npu_arch,
            self._options.defines,
            level,
        )
        built = self._located(lambda: self._device.kernels.build(self._source, variant))
        self._kernels[key] = built
        return built

    def _profiled(
        self, case: Case, shared: Path, answer: Mapping[str, Any], tiling: TilingResult | None
    ) -> Profile | DeviceFailure:
        try:
            reader = self._reader(shared, case)
            reader.check(answer)
            if answer["timing_valid"] is not True and tiling is None:
                self._data_dependent.add(case.name)
                return self._profile_with_values(case)
            said = tiling or read_tiling(answer, self._structs, self.definition.name)
            return Profile(read_timing(answer), said, int(answer["ub_bytes"]), reader.violations(answer))
        except DeviceFailure as failure:
            return failure

    def _profile_with_values(self, case: Case) -> Profile:
        from ascendopt.harness.gates.inputs import make_inputs

        run = self.run(case, make_inputs(case, self._device.options.seed), timing=True)
        if run.timing is None or run.tiling is None:
            raise DeviceFailure("profile", f"case {case.name}: the device gave no time.")
        note = "the time depends on the input's values: timed on generated inputs"
        timing = replace(run.timing, note="; ".join(text for text in (note, run.timing.note) if text))
        return Profile(timing, run.tiling, run.ub_bytes, run.violations)

    def _common(self, case: Case | None, *, functional: bool) -> dict[str, object]:
        options = self._device.options
        limits = options.limits
        cpu_s = limits.cpu_s
        if functional and case is not None:
            specs = (*case.inputs, *case.outputs)
            cpu_s += sum(sum(tensor_bytes(spec)) for spec in specs) / limits.bytes_per_s
        return {
            "host": str(self._host),
            "slots": self.slots,
            "op": self.definition.name,
            "soc": self._chip.name,
            "chip": self._chip.facts,
            "limits": {
                "cpu_s": cpu_s,
                "wall_s": _WALL_FACTOR * cpu_s + 60,
                "as_mb": limits.memory_mb,
                "instructions": limits.instructions,
            },
        }

    def _launch(self, shared: Path | None, timing: bool) -> dict[str, object]:
        fields = self._device.launch_fields(self._chip, self._options, timing)
        if shared is not None:
            fields |= {"kernel": str(shared), "entry": self._source.entry, "checks": self._device.checks}
        return fields

    def _request(self, command: str, fields: Mapping[str, object], cases: int = 1) -> dict[str, Any]:
        limits = fields["limits"]
        assert isinstance(limits, dict)
        return self._device.worker.request(command, fields, float(limits["wall_s"]) * cases + 30)  # type: ignore[arg-type]

    def _reader(self, shared: Path, case: Case) -> AnswerReader:
        names = [*(spec.name for spec in (*case.inputs, *case.outputs)), "workspace"]
        return AnswerReader(self._operator, self._device.symbols, shared, names)

    def _located(self, build: Callable[[], _Result]) -> _Result:
        """Run a build; the file of its failure becomes relative to the operator."""
        try:
            return build()
        except DeviceFailure as failure:
            if failure.file is not None:
                failure.file = relative_file(failure.file, self._operator)
            raise


def _choose(operator: Path, definitions: Sequence[Definition]) -> tuple[Definition, KernelSource]:
    """The operator among those that the host object registers: the one that is called like the folder."""
    if not definitions:
        raise DeviceFailure("compile", f"op_host of {operator.name} registers no operator (OP_ADD).")
    wanted = operator.name.replace("_", "").lower()
    named = [definition for definition in definitions if definition.name.lower() == wanted]
    definition = (named or list(definitions))[0]
    return definition, find_kernel(operator, definition.name)


def _dtypes(case: Case) -> tuple[str, ...]:
    return tuple(spec.dtype for spec in (*case.inputs, *case.outputs))


def _given(tiling: TilingResult) -> dict[str, object]:
    return {"tiling": tiling.raw.hex(), "tiling_key": tiling.tiling_key, "block_dim": tiling.block_dim}
