"""From a removal that hurt to a motif: the inverse edit, with what was measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendopt.bank.chips import chip_family
from ascendopt.bank.identity import motif_id
from ascendopt.bank.motif import Conditions, Evidence, Motif, Provenance, Rewrite
from ascendopt.harness.devices.base import Capabilities
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.patch import make_patch
from ascendopt.harness.refine.diagnosis import profile_of
from ascendopt.harness.structural.base import Change, StructuralOperator

_SPDX = re.compile(r"SPDX-License-Identifier:\s*([\w.+-]+)")
_KNOWN_LICENSES = (("CANN Open Software License", "LicenseRef-CANN-Open-Software"), ("Apache License", "Apache-2.0"))
_MAX_ANCESTORS = 8


@dataclass(frozen=True)
class Removal:
    """A removal that was kept: the strong program's ``fast`` evaluation and the ``slow`` one of the removal."""

    operator: StructuralOperator
    change: Change
    files: Mapping[str, str]
    fast: Evaluation
    slow: Evaluation

    @property
    def slowdown(self) -> float:
        """Time without the optimisation / time with it."""
        return (self.slow.latency_us or 0.0) / (self.fast.latency_us or 1.0)


def distil(removal: Removal, sources: OperatorSources, device: Capabilities, date: str, version: str) -> Motif:
    """The motif of a kept removal."""
    change = removal.change
    profile = profile_of(removal.slow, device.soc)
    slow_texts = {**sources.texts, **removal.files}
    diff = make_patch(slow_texts, {path: sources.texts[path] for path in removal.files})
    # Without the parameters: names and numbers of this operator say nothing about the next one.
    rewrite = Rewrite(change.operator, (), change.before, change.after, diff)
    low, high = removal.slow.interval or (1.0, 1.0)
    evidence = Evidence(
        device.name,
        device.modelled,
        device.soc,
        tuple(case.name for case in removal.slow.cases if case.latency_us is not None),
        removal.slow.latency_us or 0.0,
        removal.fast.latency_us or 0.0,
        (round(1.0 / high, 6), round(1.0 / low, 6)),
    )
    bound = (
        f"{profile.bound} is busy for {_share(profile.pipes_us, profile.bound, profile.latency_us)} of the time"
        if profile
        else ""
    )
    return Motif(
        motif_id(removal.operator.symptom, rewrite),
        _summary(removal.operator).rstrip("."),
        f"{change.title}. Without it {bound}." if bound else f"{change.title}.",
        removal.operator.symptom,
        removal.operator.pipe,
        Conditions(chips=(chip_family(device.soc),), required_facts=change.conditions),
        rewrite,
        (evidence,),
        Provenance(sources.name, next(iter(sorted(removal.files))), license_of(sources.root), date, version),
    )


def license_of(root: Path) -> str:
    """SPDX identifier of the nearest licence at or above ``root``; ``unknown`` where there is none."""
    for folder in (root, *list(root.parents)[:_MAX_ANCESTORS]):
        for name in ("LICENSE", "LICENSE.txt", "LICENCE"):
            path = folder / name
            if path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")[:4000]
                tagged = _SPDX.search(text)
                if tagged:
                    return tagged[1]
                return next((spdx for words, spdx in _KNOWN_LICENSES if words in text), "unknown")
        if (folder / ".git").exists():
            break
    return "unknown"


def _summary(operator: StructuralOperator) -> str:
    """The first paragraph of the operator's docstring in one line."""
    return " ".join((type(operator).__doc__ or operator.name).strip().split("\n\n", 1)[0].split())


def _share(pipes: Mapping[str, float], bound: str, latency: float) -> str:
    return f"{pipes.get(bound, 0.0) / latency:.0%}" if latency else "?"
