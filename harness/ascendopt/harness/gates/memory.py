"""Evaluations kept across the runs of one comparison.

On a device whose times are modelled, the same program on the same inputs gets the same evaluation every time; methods
and seeds that are compared meet the same programs again and again. A run still pays an attempt for each: what is saved
is this machine's time. A device that measures is never answered from memory.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import Device
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings, Reference, StaticGate
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.workload import Case, Workload


class EvaluationMemory:
    """Evaluations in a file of one JSON object a line; ``input_seed`` draws the inputs of all of them.

    The file may be read and added to by several processes: lines are appended whole, and a torn one is passed over.
    """

    def __init__(self, path: Path, input_seed: int) -> None:
        self._path = path
        self.input_seed = input_seed
        self._known: dict[str, dict[str, Any]] = {}
        self._read = 0

    def __getstate__(self) -> dict[str, Any]:
        """Another process reads the file itself."""
        return {**self.__dict__, "_known": {}, "_read": 0}

    def recalled(self, key: Sequence[object], evaluate: Callable[[], Evaluation]) -> Evaluation:
        """The evaluation under ``key`` (plain data), or that of ``evaluate``, which is then kept."""
        name = hashlib.sha256(json.dumps(key).encode()).hexdigest()
        if name not in self._known:
            self._read_on()
        if name not in self._known:
            self._known[name] = evaluate().to_json()
            self._append({"key": name, "evaluation": self._known[name]})
        return Evaluation.from_json(self._known[name])

    def _read_on(self) -> None:
        """Read what other processes appended since."""
        if not self._path.is_file() or self._path.stat().st_size == self._read:
            return
        with self._path.open("rb") as stream:
            stream.seek(self._read)
            text = stream.read()
        self._read += len(text)
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                self._known[entry["key"]] = entry["evaluation"]
            except (ValueError, KeyError, TypeError):  # empty, or torn
                continue

    def _append(self, entry: Mapping[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            # A line of its own even after one that a kill tore.
            os.write(descriptor, b"\n" + json.dumps(entry, separators=(",", ":")).encode() + b"\n")
        finally:
            os.close(descriptor)


class RememberedReference:
    """A reference that is asked once for each case and inputs; results of more than ``limit`` bytes are not kept."""

    def __init__(self, reference: Reference, limit: int = 16 << 20) -> None:
        self._reference = reference
        self._limit = limit
        self._known: dict[str, Sequence[NDArray[Any]]] = {}

    def __call__(self, case: Case, inputs: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
        digest = hashlib.sha256(repr(case).encode())
        for array in inputs:
            digest.update(array.tobytes())
        name = digest.hexdigest()
        if name in self._known:
            return self._known[name]
        outputs = self._reference(case, inputs)
        if sum(array.nbytes for array in outputs) <= self._limit:
            self._known[name] = outputs
        return outputs


class RememberingEvaluator(Evaluator):
    """An evaluator that asks a memory first."""

    def __init__(
        self,
        device: Device,
        scratch: Scratch,
        workload: Workload,
        settings: EvaluatorSettings,
        reference: Reference | None,
        static_gate: StaticGate | None,
        memory: EvaluationMemory,
    ) -> None:
        super().__init__(device, scratch, workload, settings, reference, static_gate)
        capabilities = device.capabilities
        self._memory = memory if capabilities.modelled else None
        self._scope = [capabilities.name, scratch.digest, repr(workload), repr(settings)]

    def original(self, time_it: bool = True) -> Evaluation:
        return self._recalled(["original", time_it], lambda: super(RememberingEvaluator, self).original(time_it))

    def candidate(self, candidate: Candidate, baseline: Evaluation, full: bool = False) -> Evaluation:
        key = ["candidate", candidate.key, baseline.to_json(), full]
        return self._recalled(key, lambda: super(RememberingEvaluator, self).candidate(candidate, baseline, full))

    def _recalled(self, key: Sequence[object], evaluate: Callable[[], Evaluation]) -> Evaluation:
        return evaluate() if self._memory is None else self._memory.recalled([*self._scope, *key], evaluate)
