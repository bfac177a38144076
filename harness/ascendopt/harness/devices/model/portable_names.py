"""Names of files that are the same for every copy of an operator: the way to them from its folder.

A search builds hundreds of copies, and what an operator shares with its neighbours (``../common/inc``) is linked beside
each of them. Were it called by where it lies, no copy would find what another one compiled.
"""

from __future__ import annotations

import os
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from ascendopt.harness.devices.model.confined_tools import NATIVE, folders_above

OPERATOR_ROOT = "/operator"
"""What the operator's folder is called inside an object."""


def portable_name(path: Path | str, operator: Path) -> str:
    """``path`` from ``operator``, as in ``./op_kernel/x.h`` and ``../common/x.h``; as it is where it lies elsewhere."""
    path = os.path.normpath(path)
    for level, folder in enumerate((operator, *_around(operator))):
        if path.startswith(f"{folder}{os.sep}"):
            up = "../" * level or "./"
            return f"{up}{path[len(str(folder)) + 1 :]}"
    return path


def located(name: str, operator: Path) -> Path:
    """The path that ``portable_name`` named."""
    return Path(os.path.normpath(operator / name))


def prefix_maps(operator: Path) -> list[str]:
    """Compiler options that name the files of an object so, with ``OPERATOR_ROOT`` for the operator's folder."""
    folders = (operator, *_around(operator))
    # Where several match, compilers take the last.
    return [f"-ffile-prefix-map={folders[up]}={OPERATOR_ROOT}{'/..' * up}" for up in reversed(range(len(folders)))]


def relative_file(file: str, operator: Path) -> str:
    """``file``, by its path or as an object names it: relative to ``operator`` where it lies inside, with POSIX
    separators."""
    if file.startswith(f"{OPERATOR_ROOT}/"):
        file = str(operator / file[len(OPERATOR_ROOT) + 1 :])
    path = os.path.normpath(file)
    inside = f"{operator}{os.sep}"
    return Path(path.removeprefix(inside)).as_posix()


@lru_cache(maxsize=8)
def _around(operator: Path) -> list[Path]:
    """The folders above an operator, up to those that hold the device as well."""
    return list(takewhile(lambda folder: folder not in NATIVE.parents, folders_above(operator)))
