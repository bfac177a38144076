"""What a model is asked in each phase, and what it may change there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.llm.edits import Regions
from ascendopt.harness.llm.exchange import Prompt
from ascendopt.harness.llm.prompts import Advice, Scene, refine_prompt, sample_prompt, tiling_prompt
from ascendopt.harness.operator_copy import OperatorSources
from ascendopt.harness.search.tunables import find_numbers

# The texts of the base and its evaluation -> bottlenecks with retrieved experience, most promising first.
# Must depend on nothing else: a resumed episode asks it again.
Adviser = Callable[[Mapping[str, str], Evaluation | None], Sequence[Advice]]

SAMPLE_TEMPERATURE = 0.8


class Phase(ABC):
    """One kind of turn. ``name`` is part of a candidate's origin: journals hold it.

    ``climbs``: the best program so far is the next base; otherwise every turn starts from the first one.
    ``tiling``: only the limits that a tiling depends on are told. ``temperature`` None: the model's own setting.
    """

    name: str
    climbs: bool = True
    tiling: bool = False
    temperature: float | None = None

    @abstractmethod
    def regions(self, sources: OperatorSources, texts: Mapping[str, str]) -> Regions:
        """What may change of ``texts``."""

    @abstractmethod
    def prompt(self, scene: Scene, texts: Mapping[str, str], turn: int) -> Prompt:
        """The question of the ``turn``-th turn on the base ``texts``; ``scene.files`` is what is shown of it."""

    def shown(self, sources: OperatorSources, texts: Mapping[str, str]) -> Mapping[str, str]:
        """What is shown of ``texts``: the kernel first, as it decides."""
        order = dict.fromkeys((*sources.kernel_files(), *sources.host_files()))
        return {path: texts[path] for path in order}

    def rebase(self, texts: Mapping[str, str], evaluation: Evaluation | None) -> None:
        """A new base: called before the first turn on it."""
        return


class RefinePhase(Phase):
    """Stage I: one bottleneck after the other, each with its retrieved experience; then again, knowing what failed."""

    name = "refine"

    def __init__(self, adviser: Adviser) -> None:
        self._adviser = adviser
        self._advice: Sequence[Advice] = ()

    def rebase(self, texts: Mapping[str, str], evaluation: Evaluation | None) -> None:
        self._advice = tuple(self._adviser(texts, evaluation))

    def regions(self, sources: OperatorSources, texts: Mapping[str, str]) -> Regions:
        return dict.fromkeys(texts)

    def prompt(self, scene: Scene, texts: Mapping[str, str], turn: int) -> Prompt:
        if not self._advice:
            return sample_prompt(scene)
        return refine_prompt(scene, self._advice[turn % len(self._advice)])


class TilingPhase(Phase):
    """Stage II: the host code, and of the kernel only the lines of numbers that are tuned."""

    name = "tiling"
    tiling = True

    def regions(self, sources: OperatorSources, texts: Mapping[str, str]) -> Regions:
        regions: dict[str, Sequence[tuple[int, int]] | None] = dict.fromkeys(sources.host_files())
        for path, ranges in _tuned_lines(texts).items():
            if path not in regions:
                regions[path] = ranges
        return regions

    def shown(self, sources: OperatorSources, texts: Mapping[str, str]) -> Mapping[str, str]:
        shown = {path: texts[path] for path in sources.host_files()}
        for path, ranges in _tuned_lines(texts).items():
            if path not in shown:
                shown[path] = "\n".join(texts[path][start:end] for start, end in ranges)
        return shown

    def prompt(self, scene: Scene, texts: Mapping[str, str], turn: int) -> Prompt:
        return tiling_prompt(scene, find_numbers(texts))


class SamplePhase(Phase):
    """Best-of-n: independent samples from the original, without experience and without memory."""

    name = "best-of-n"
    climbs = False
    temperature = SAMPLE_TEMPERATURE

    def regions(self, sources: OperatorSources, texts: Mapping[str, str]) -> Regions:
        return dict.fromkeys(texts)

    def prompt(self, scene: Scene, texts: Mapping[str, str], turn: int) -> Prompt:
        return sample_prompt(replace(scene, tried=(), evaluation=None))


def _tuned_lines(texts: Mapping[str, str]) -> dict[str, list[tuple[int, int]]]:
    """Path -> ranges of characters of the lines that hold a tunable, without their line ends."""
    numbers: dict[str, set[int]] = {}
    for tunable in find_numbers(texts):
        for site in tunable.sites:
            before = texts[site.path].encode("utf-8", "surrogateescape")[: site.start]
            numbers.setdefault(site.path, set()).add(before.count(b"\n"))
    found: dict[str, list[tuple[int, int]]] = {}
    for path, wanted in sorted(numbers.items()):
        at = 0
        for number, line in enumerate(texts[path].split("\n")):
            if number in wanted:
                found.setdefault(path, []).append((at, at + len(line.removesuffix("\r"))))
            at += len(line) + 1
    return found
