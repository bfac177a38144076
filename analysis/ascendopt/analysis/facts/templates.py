"""Template patterns: does `Map<T, half>` fit `Map<float, half>`, and what is `T` then? Pure text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ascendopt.analysis.facts.program import split_template

_SPELLINGS = {"true": "1", "false": "0"}


class Unifier:
    """Matches texts of types against patterns. ``is_known`` says whether a text names one type or value for sure:
    two different texts differ only then. What the parameters stand for is in ``table``."""

    def __init__(self, parameters: Iterable[str], is_known: Callable[[str], bool]) -> None:
        self.parameters = frozenset(parameters)
        self.table: dict[str, str] = {}
        self._is_known = is_known

    def all(self, patterns: Sequence[str], texts: Sequence[str]) -> bool | None:
        """Whether all patterns fit; None when that is not decided. A last pattern ``Args...`` takes the rest."""
        variadic = bool(patterns) and patterns[-1].endswith("...")
        if len(patterns) != len(texts) and not (variadic and len(texts) >= len(patterns) - 1):
            return False
        return combined(self.one(pattern, text) for pattern, text in zip(patterns, texts, strict=False))

    def one(self, pattern: str, text: str) -> bool | None:
        """Whether ``text`` fits ``pattern``."""
        if pattern.endswith("..."):
            return True
        if pattern in self.parameters:
            return self.same(self.table.setdefault(pattern, text), text)
        if pattern.endswith("*"):
            if text.endswith("*"):
                return self.one(pattern[:-1], text[:-1])
            return False if self._is_known(text) else None
        head, patterns = split_template(pattern)
        if not patterns:
            return self.same(pattern, text)
        other, texts = split_template(text)
        if not texts:
            return False if self._is_known(text) else None
        if head not in self.parameters and last(head) != last(other):
            return False if self._is_known(text) else None
        return self.all(patterns, texts)

    def same(self, left: str, right: str) -> bool | None:
        """Whether two texts mean one type; None while one of them is not known."""
        left, right = _SPELLINGS.get(left, left), _SPELLINGS.get(right, right)
        if left == right or _one_is_qualified(left, right):
            return True
        head, inner = split_template(left)
        other, outer = split_template(right)
        if inner and outer and last(head) == last(other):
            return self.all(inner, outer)
        return False if self._is_known(left) and self._is_known(right) else None


def combined(verdicts: Iterable[bool | None]) -> bool | None:
    """All of three-valued verdicts: one False decides."""
    result: bool | None = True
    for verdict in verdicts:
        if verdict is False:
            return False
        if verdict is None:
            result = None
    return result


def last(text: str) -> str:
    """A name without its namespaces; template arguments stay."""
    if "::" not in text:
        return text
    depth = 0
    for at in range(len(text) - 1, 0, -1):
        char = text[at]
        if char in ">)":
            depth += 1
        elif char in "<(":
            depth -= 1
        elif char == ":" and depth == 0 and text[at - 1] == ":":
            return text[at + 1 :]
    return text


def scope_of(text: str) -> tuple[str, str]:
    """``Traits<T>::type`` -> (``Traits<T>``, ``type``); no scope is an empty text."""
    name = last(text)
    return (text[: -len(name) - 2], name) if len(name) < len(text) else ("", text)


def _one_is_qualified(left: str, right: str) -> bool:
    """True for one name with and without its namespace."""
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    return longer.endswith(f"::{shorter}") and "<" not in longer
