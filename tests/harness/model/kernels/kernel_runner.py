"""Compiles a kernel source of this folder and runs its entries through ``ascend-device``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ascendopt.harness.devices.model.chip_facts import chip_facts
from ascendopt.harness.devices.model.kernel_build import INCLUDE
from ascendopt.harness.devices.model.symbols import Symbols
from ascendopt.harness.devices.model.toolchain import Toolchain
from ascendopt.harness.devices.model.worker import Worker

FLAGS = (
    "-std=c++17",
    "-O0",
    "-g1",
    "-gdwarf-4",
    "-fPIC",
    "-fno-omit-frame-pointer",
    "-fno-exceptions",
    "-fno-rtti",
    "-w",
)


@dataclass(frozen=True)
class Ran:
    """One run: the server's answer and the outputs, as float32 or the dtype that the caller named."""

    answer: dict[str, Any]
    outputs: list[np.ndarray[Any, Any]]

    def codes(self, severity: str = "error") -> set[str]:
        return {found["code"] for found in self.answer["violations"] if found["severity"] == severity}

    def first(self, code: str) -> dict[str, Any]:
        return next(found for found in self.answer["violations"] if found["code"] == code)


class KernelRunner:
    """One source file, compiled once."""

    def __init__(self, source: Path, program: Path, toolchain: Toolchain, folder: Path) -> None:
        self.source = source
        self.shared = folder / f"{source.stem}.so"
        self._folder = folder
        self._symbols = Symbols()
        self._worker = Worker(program)
        self._chip = chip_facts("Ascend910B2")
        built = folder / f"{source.stem}.o"
        toolchain.compile_object(source, built, (*FLAGS, f"-I{INCLUDE}"), what=source.name)
        exports = folder / "exports"
        entries = re.findall(
            r'^(?:extern "C" .*?\b(?=\w+\(GM_ADDR)|BUG\()(\w+)', source.read_text(encoding="utf-8"), re.M
        )
        exports.write_text("{ global: " + " ".join(f"{entry};" for entry in entries) + " local: *; };\n")
        toolchain.link_shared([built], self.shared, what=source.name, exports=exports)

    def run(
        self,
        entry: str,
        inputs: Sequence[np.ndarray[Any, Any]],
        outputs: Sequence[np.ndarray[Any, Any]],
        *,
        key: int = 0,
        cores: int = 1,
        workspace: int = 0,
        tiling: bytes = b"\0" * 8,
        mode: str = "functional",
        instructions: int = 100_000,
        checks: dict[str, bool] | None = None,
        as_meant: bool = False,
        timing: bool = False,
        system_workspace: int = 0,
    ) -> Ran:
        """Run ``entry`` on ``inputs``; ``outputs`` give the shapes and dtypes of what comes back.

        ``timing``: with the modelled time, and eight samples of it.
        """
        arguments: list[dict[str, object]] = []
        paths: list[Path] = []
        for role, arrays in (("input", inputs), ("output", outputs)):
            for array in arrays:
                path = self._folder / f"{role}{len(paths)}.bin"
                array.tofile(path)
                paths.append(path)
                # As in a search: outputs have no memory of their own in timing mode.
                place = {} if mode == "timing" and role == "output" else {"file": str(path)}
                arguments.append({"role": role, "bytes": array.nbytes, **place})
        arguments.append({"role": "workspace", "bytes": workspace + system_workspace})
        times = {"params": str(self._chip.timing), "samples": 8, "seed": 1} if timing else {"timing": False}
        answer = self._worker.request(
            "run",
            {
                "kernel": str(self.shared),
                "entry": entry,
                "soc": self._chip.name,
                "memory": self._chip.memory,
                "args": arguments,
                "tiling": tiling.hex(),
                "tiling_key": key,
                "block_dim": cores,
                "mode": mode,
                "as_meant": as_meant,
                "system_workspace_bytes": system_workspace,
                "limits": {"cpu_s": 20, "wall_s": 60, "as_mb": 2048, "instructions": instructions},
                **({"checks": checks} if checks else {}),
                **times,
            },
            90.0,
        )
        back = [
            np.fromfile(path, dtype=array.dtype).reshape(array.shape)
            for path, array in zip(paths[len(inputs) :], outputs, strict=True)
        ]
        return Ran(answer, back)

    def line(self, found: dict[str, Any]) -> int:
        """The line of this source that a violation or a fault lies in; 0 if none."""
        for site in found["sites"]:
            place = self._symbols.place(self.shared, [site])
            if place is not None and place[0].endswith(self.source.name):
                return place[1]
        return 0

    def close(self) -> None:
        self._worker.close()
