"""What a chip has: memory, cores, clock, architecture. Data in ``data/chips.json``; nothing is hard-coded."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from types import MappingProxyType


class UnknownChip(Exception):
    """No chip has this name; the message is one sentence with the nearest names."""


@dataclass(frozen=True)
class Chip:
    """One chip. Sizes in bytes, clock in MHz.

    ``family`` is one of 910, A2, A3, 310P, 310B, 950, 310, 610 ... (the names that ``facts/rules.json``
    uses). ``npu_arch`` is ``__NPU_ARCH__`` (2201 for A2), ``cce_aicore`` is ``__CCE_AICORE__`` (220).
    ``ub_bytes`` is the size of the unified buffer; ``ub_platform_bytes`` what ``GetCoreMemSize(UB)`` says;
    ``ub_kernel_bytes`` what a kernel may use while the scratch region of the API stays free (both None: not
    documented for the chip). ``sources`` says, per field, where the number is from.
    """

    name: str
    product: str
    family: str
    npu_arch: int | None
    cce_aicore: int | None
    aic_cores: int | None
    aiv_cores: int | None
    clock_mhz: int | None
    ub_bytes: int | None
    l1_bytes: int | None
    l0a_bytes: int | None
    l0b_bytes: int | None
    l0c_bytes: int | None
    l2_bytes: int | None
    ub_platform_bytes: int | None
    ub_kernel_bytes: int | None
    api_scratch_bytes: int | None
    sources: Mapping[str, str]

    @property
    def usable_ub_bytes(self) -> int | None:
        """The most that buffers can take: the platform's figure where there is one, else the whole UB."""
        return self.ub_platform_bytes if self.ub_platform_bytes is not None else self.ub_bytes

    @property
    def vector_cores(self) -> int | None:
        """Cores that run vector kernels: the vector cores of a split chip, else the AI cores."""
        return self.aiv_cores or self.aic_cores


@lru_cache(maxsize=1)
def _table() -> tuple[Mapping[str, Chip], Mapping[str, str]]:
    data = json.loads(resources.files("ascendopt.analysis").joinpath("data/chips.json").read_text("utf-8"))
    chips = {name: Chip(name=name, **fields) for name, fields in data["chips"].items()}
    aliases: dict[str, str] = {alias.lower(): name for alias, name in data["aliases"].items()}
    aliases.update({name.lower(): name for name in chips})
    return MappingProxyType(chips), MappingProxyType(aliases)


def chip_names() -> tuple[str, ...]:
    """Every chip by its exact name, sorted."""
    return tuple(sorted(_table()[0]))


def load_chip(name: str) -> Chip:
    """The chip called ``name``, in any case, or the chip that an alias (``ascend910b``, ``A2``) stands for.

    Raises UnknownChip.
    """
    chips, aliases = _table()
    key = name.strip().lower()
    if key in aliases:
        return chips[aliases[key]]
    near = difflib.get_close_matches(key, list(aliases), n=3, cutoff=0.6)
    shown = dict.fromkeys(aliases[match] for match in near) or dict.fromkeys(chip_names()[:6])
    raise UnknownChip(f"unknown chip '{name}'; did you mean {', '.join(shown)}?")
