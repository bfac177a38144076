"""Commands on the real model device, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ascendopt.cli import main as cli

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "scaled_add"
Run = Callable[..., int]


def run(*arguments: object) -> int:
    """The exit code of ``ascendopt ARGUMENTS``."""
    return cli.main([str(argument) for argument in arguments])


def write_operator(folder: Path, rows: list[int]) -> Path:
    """The sample with float16 cases of ``rows`` x 4096."""
    for part in ("op_host", "op_kernel"):
        (folder / part).mkdir(parents=True)
        for file in (SAMPLE / part).iterdir():
            (folder / part / file.name).write_text(file.read_text())
    lines = ['soc = "Ascend910B2"']
    for count in rows:
        tensors = [{"name": name, "dtype": "float16", "shape": [count, 4096]} for name in ("x1", "x2", "y")]
        written = ["{" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in t.items()) + "}" for t in tensors]
        lines += ["[[case]]", f'name = "rows{count}"', f"inputs = [{written[0]}, {written[1]}]"]
        lines += [f"outputs = [{written[2]}]", "attrs = { alpha = 0.5 }"]
    (folder / "ascendopt.toml").write_text("\n".join(lines) + "\n")
    return folder
