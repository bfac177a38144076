"""The catalogue: one module per operator in this folder, named like the operator's folder (``rms_norm``), and in
``families`` modules that hold operators of a kind, each with a function of its own as reference."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from ascendopt.harness.workload import Workload

_FOLDER = Path(__file__).parent
_FAMILIES = _FOLDER / "families"
_SUPPORT = frozenset({"__init__", "build", "catalogue", "numeric"})


def known_operators() -> tuple[str, ...]:
    """Names of the operators of the catalogue in the form of their folders, sorted."""
    names = set(_modules())
    for family in _family_names():
        names |= {_folder_name(op) for op in _family(family)}
    return tuple(sorted(names))


def find_workload(op_type: str) -> Workload | None:
    """The workload of an operator by its OpDef type (``RmsNorm``), or None when the catalogue has none.

    Its ``source`` is the file that holds it, and its ``reference`` too, unless it names no function.
    """
    name = _folder_name(op_type)
    if name in _modules():
        workload: Workload = import_module(f"{__package__}.{name}").WORKLOAD
        return _from(_FOLDER / f"{name}.py", workload)
    for family in _family_names():
        for op, workload in _family(family).items():
            if _folder_name(op) == name:
                return _from(_FAMILIES / f"{family}.py", workload)
    return None


def _from(file: Path, workload: Workload) -> Workload:
    return replace(workload, reference=file if workload.function else None, source=file)


def _folder_name(op_type: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", op_type).lower()


def _modules() -> list[str]:
    return [path.stem for path in _FOLDER.glob("*.py") if path.stem not in _SUPPORT]


def _family_names() -> list[str]:
    return sorted(path.stem for path in _FAMILIES.glob("*.py") if path.stem != "__init__")


def _family(name: str) -> Mapping[str, Workload]:
    return import_module(f"{__package__}.families.{name}").WORKLOADS
