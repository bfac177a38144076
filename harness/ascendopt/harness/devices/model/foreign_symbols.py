"""What objects of candidates may not import.

They are loaded into a process that has functions of its own beside the API: those that judge the candidate and report
on it. Whatever reaches these by name is refused, and so are the dynamic linker's own look-ups. The sandbox, not this
list, keeps the C library's functions from doing harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.devices.model.portable_names import OPERATOR_ROOT
from ascendopt.harness.devices.model.toolchain import Toolchain

_LINKER = frozenset({"dlopen", "dlmopen", "dlsym", "dlvsym", "dlinfo", "dladdr", "dladdr1", "dl_iterate_phdr"})
_PROCESS = "ascendopt"
# What the host API's headers declare of it.
_HOST_API = (("ascendopt", "host", "LogLine"), ("ascendopt", "host", "JsonValue"))
_KERNEL_PREFIX = "asc_"
# Itanium C++ ABI, 5.1: _Z, of special names T and a letter or GV, then N and the qualified name.
_NESTED = re.compile(r"_Z(?:T[A-Z]|GV)?N[rVK]*[RO]?(?P<parts>(?:\d+[A-Za-z_]\w*))")


class ForeignSymbol(DeviceFailure):
    """``what`` (the kernel, the host code) imports ``symbol``, which is none of the ``api``'s."""

    def __init__(self, what: str, symbol: str, api: str, file: str | None = None, line: int | None = None) -> None:
        named = "::".join(qualified_name(symbol)) or symbol
        super().__init__("compile", f"{what} calls {named}, which is no function of the {api}.", file, line)
        self.symbol = symbol
        self._what = what
        self._api = api

    def placed(self, toolchain: Toolchain, objects: Sequence[Path], scratch: Path) -> ForeignSymbol:
        """The same failure at the line of the call, where that lies in the operator's files; ``objects`` are the
        compiled files, ``scratch`` a folder for the linker."""
        prefix = f"{OPERATOR_ROOT}/"
        for file in objects:
            place = toolchain.reference_to(self.symbol, file, scratch)
            if place is None or place.file is None or not place.file.startswith(prefix):
                continue
            name = place.file.removeprefix(prefix)
            if not name.startswith("../"):
                return ForeignSymbol(self._what, self.symbol, self._api, name, place.line)
        return self


def qualified_name(symbol: str) -> tuple[str, ...]:
    """The parts of the C++ name behind ``symbol``, templates' arguments and signatures left out; empty for others."""
    found = _NESTED.match(symbol)
    if found is None:
        return ()
    parts: list[str] = []
    rest = found["parts"]
    while (length := re.match(r"\d+", rest)) is not None:
        end = length.end() + int(length[0])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    return tuple(parts)


def foreign_to_host_code(imports: Iterable[str]) -> str | None:
    """The first of ``imports`` that host code has no business with."""
    return next((name for name in sorted(imports) if name.startswith(_KERNEL_PREFIX) or _is_foreign(name)), None)


def foreign_to_program(imports: Iterable[str]) -> str | None:
    """The first of ``imports`` that a kernel-launch program, which is host code and kernels in one, may not have."""
    return next((name for name in sorted(imports) if _is_foreign(name)), None)


def _is_foreign(symbol: str) -> bool:
    if symbol in _LINKER:
        return True
    parts = qualified_name(symbol)
    return parts[:1] == (_PROCESS,) and not any(parts[: len(own)] == own for own in _HOST_API)
