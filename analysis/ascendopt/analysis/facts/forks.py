"""Arms of a dispatch that become runs of their own: tiling keys and template parameters."""

from __future__ import annotations

from ascendopt.analysis.facts.ir import If
from ascendopt.analysis.facts.walker import Walker
from ascendopt.analysis.values import Value, equality

MOST_FORKS = 48
"""Those behind them are walked as one."""


class ForkWalk(Walker):
    """``choices`` are the arms taken at forks; ``forks`` counts those met."""

    choices: tuple[bool, ...] = ()

    def start(self, choices: tuple[bool, ...]) -> None:
        """Set what this instance fixes."""
        self.choices = choices
        self.forks = 0
        self.key: int | None = None
        self.picked: list[tuple[str, bool]] = []
        self.excluded: set[int] = set()
        self.assumed: dict[str, int] = {}

    def fork(self, statement: If, condition: Value | None) -> bool | None:
        if len(self.frames) > 2 or self.path or not self.program.builds_kernel(statement):
            return None
        if self._is_excluded(condition):
            return False
        if self.forks >= MOST_FORKS:
            return None
        at = self.forks
        self.forks += 1
        chosen = self.choices[at] if at < len(self.choices) else True
        key = _tiling_key(condition)
        if condition is not None and condition.symbols() & self._key_parameters():
            self.picked.append((condition.text, chosen))
        said = equality(condition)
        if chosen and said is not None:
            self.assumed[said[0]] = said[1]
        if key is not None:
            if chosen:
                self.key = key
            else:
                self.excluded.add(key)
        return chosen

    def _key_parameters(self) -> set[str]:
        """The symbols of the entry's template parameters: the tiling key decides what they are."""
        entry = self.frames[0].function if self.frames else self.frame.function
        return {f"?{parameter.name}" for parameter in entry.templates} if entry is not None else set()

    def _is_excluded(self, condition: Value | None) -> bool:
        """True when a branch that was taken says that this one is not: ``x == 1``, then ``x == 2``."""
        said = equality(condition)
        return said is not None and self.assumed.get(*said) != said[1]


def _tiling_key(condition: Value | None) -> int | None:
    if condition is None:
        return None
    for atom in condition.atoms():
        if atom.kind == "cmp==" and atom.args[0].text == "tiling_key":
            return atom.args[1].constant()
    return None
