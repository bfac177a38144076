"""One operator of ours behind all gates: candidates put lines of code into its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from harness.tiny_operator import HOST, KERNEL, case, write_operator

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.model.device import ModelDevice
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.operator_copy import Scratch, read_operator
from ascendopt.harness.workload import Case, Workload


def _double(_case: Case, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [array.astype(np.float64) * 2 for array in inputs]


class GatePath:
    """The evaluator of y = 2 * x; use as a context manager."""

    kernel_text = KERNEL

    def __init__(self, device: ModelDevice, folder: Path) -> None:
        self.device = device
        self.operator = write_operator(folder)
        self.scratch = Scratch(read_operator(self.operator))
        workload = Workload((case(4096),))
        self._evaluator = Evaluator(device, self.scratch, workload, EvaluatorSettings("Ascend910B2"), _double)
        self._baseline = self._evaluator.original()
        assert self._baseline.ok, self._baseline.reason

    def __enter__(self) -> GatePath:
        return self

    def __exit__(self, *_: object) -> None:
        self.scratch.__exit__(None, None, None)

    def attack(
        self, *, host: str = "", kernel: str = "", host_globals: str = "", kernel_globals: str = "", full: bool = False
    ) -> Evaluation:
        """Evaluate the operator with code in its tiling function, its kernel, or before everything in a file; ``full``
        as a champion."""
        files = {
            "op_host/twice.cpp": f"{host_globals}\n{HOST.replace('@HOST@', host)}",
            "op_kernel/twice.cpp": f"{kernel_globals}\n{KERNEL.replace('@KERNEL@', kernel)}",
        }
        return self._evaluator.candidate(Candidate(files, "hostile"), self._baseline, full=full)

    def honest(self, mark: str) -> Evaluation:
        """Evaluate a candidate that is only a comment different, so that it is built and run again."""
        return self.attack(host=f"// {mark}", kernel=f"// {mark}")
