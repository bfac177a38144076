"""The catalogue: one module per operator in this folder, named like the operator's folder (``rms_norm``)."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from ascendopt.harness.workload import Workload

_FOLDER = Path(__file__).parent
_SUPPORT = frozenset({"__init__", "build", "catalogue", "infer"})


def known_operators() -> tuple[str, ...]:
    """Module names of the catalogue, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.py") if path.stem not in _SUPPORT))


def find_workload(op_type: str) -> Workload | None:
    """The workload of an operator by its OpDef type (``RmsNorm``), or None when the catalogue has none.

    Its ``reference`` and ``source`` are the module's own file.
    """
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", op_type).lower()
    if name not in known_operators():
        return None
    module = import_module(f"{__package__}.{name}")
    workload: Workload = module.WORKLOAD
    file = _FOLDER / f"{name}.py"
    return replace(workload, reference=file, source=file)
