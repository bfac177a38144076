"""Inputs of the cases, and the outputs that are expected of them: made once where every candidate needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from ascendopt.harness.devices.base import RunResult
from ascendopt.harness.evaluation import elements
from ascendopt.harness.gates.correctness import Comparison, compare_outputs
from ascendopt.harness.gates.inputs import make_inputs
from ascendopt.harness.workload import Case

Array = NDArray[Any]
# Case and its inputs -> outputs, lists flattened.
Compute = Callable[[Case, Sequence[Array]], Sequence[Array]]


class CaseValues:
    """Values for one workload. Cases with more than ``kept`` elements are made again each time: few need them.

    ``expect`` computes the outputs that are right.
    """

    def __init__(self, seed: int, kept: int, expect: Compute) -> None:
        self._seed = seed
        self._kept = kept
        self._expect = expect
        self._inputs: dict[tuple[str, str], list[Array]] = {}
        self._expected: dict[tuple[str, str], Sequence[Array]] = {}

    def inputs(self, case: Case, variant: str) -> list[Array]:
        """The inputs of ``case``: random ones, or boundary values."""
        key = (case.name, variant)
        inputs = self._inputs.get(key)
        if inputs is None:
            inputs = make_inputs(case, self._seed, variant)
            if elements(case) <= self._kept:
                self._inputs[key] = inputs
        return inputs

    def compared(
        self, case: Case, variant: str, inputs: Sequence[Array], run: RunResult, *, sets_the_standard: bool = False
    ) -> Comparison:
        """How the outputs of ``run`` on ``inputs`` compare with the expected ones, or are those from now on. Raises
        what ``expect`` does."""
        key = (case.name, variant)
        if sets_the_standard:
            self._expected[key] = list(run.outputs)
        elif key not in self._expected:
            self._expected[key] = self._expect(case, inputs)
        comparison = compare_outputs(case, run.outputs, self._expected[key])
        if elements(case) > self._kept:
            del self._expected[key]
        return comparison
