"""Which motifs teach nothing: confessed or pure sabotage, edits that are none, gains that are none.

A removal that a rewind invented to be slow ("force single core") is not the trace of an optimisation. What is wrong in
this sense is stored, so that it is known, and never retrieved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ascendopt.bank.confessions import LOOSE, NAMES, STRICT
from ascendopt.bank.diffs import DiffLines, diff_lines
from ascendopt.bank.identity import code_tokens
from ascendopt.bank.motif import Motif, Status


@dataclass(frozen=True)
class Fault:
    """``code`` is stable: packs and reports hold it. ``reason`` says what was seen."""

    code: str
    reason: str


def faults(motif: Motif) -> tuple[Fault, ...]:
    """Everything that the rules find, in the order of the rules; at most one of each code."""
    diff = diff_lines(motif.rewrite.diff)
    found = ((code, rule(motif, diff)) for code, rule in _RULES)
    return tuple(Fault(code, reason) for code, reason in found if reason is not None)


def codes() -> dict[str, str]:
    """Every code with what it means."""
    return {code: (rule.__doc__ or "").strip() for code, rule in _RULES}


def screened(motif: Motif) -> Motif:
    """The motif, in quarantine if a rule finds fault with it; the reason begins with the codes."""
    found = faults(motif)
    if not found or motif.status is Status.QUARANTINED:
        return motif
    reason = f"{', '.join(fault.code for fault in found)}: {'; '.join(fault.reason for fault in found)}"
    return replace(motif, status=Status.QUARANTINED, quarantine_reason=reason)


def quarantine_codes(motif: Motif) -> list[str]:
    """The codes that ``screened`` put before the reason; ``by-hand`` where a person gave one."""
    if motif.status is not Status.QUARANTINED:
        return []
    named = motif.quarantine_reason.partition(":")[0].split(", ")
    return named if set(named) <= codes().keys() else ["by-hand"]


_COMMENT = re.compile(r"//(.*)|/\*(.*?)(?:\*/|$)")
_WASTE_NAME = re.compile(r"\b\w*(?:dummy|waste|busy_?wait|burn|fake_?work|spin_?loop)\w*\b", re.IGNORECASE)
_VOLATILE = re.compile(r"\bvolatile\b(?!\s*__asm)")
_EMPTY_LOOP = re.compile(r"\b(?:for|while)\s*\((?:[^()]|\([^()]*\))*\)\s*(?:;|\{\s*;?\s*\})")
_SHOWN = 60


def _empty(motif: Motif, diff: DiffLines) -> str | None:
    """There is no edit: no operator, no pattern, and a diff without changed lines."""
    rewrite = motif.rewrite
    if rewrite.operator or rewrite.before or rewrite.after or diff.removed or diff.added:
        return None
    return "the rewrite holds no edit"


def _no_op(motif: Motif, diff: DiffLines) -> str | None:
    """The edit changes nothing but comments and white space."""
    rewrite = motif.rewrite
    if rewrite.before or rewrite.after:
        same = code_tokens(rewrite.before) == code_tokens(rewrite.after)
        return "the two patterns are the same code" if same else None
    if not (diff.removed or diff.added) or rewrite.operator:
        return None
    same = code_tokens("\n".join(diff.removed)) == code_tokens("\n".join(diff.added))
    return "only comments and white space change" if same else None


def _confession(motif: Motif, diff: DiffLines) -> str | None:
    """A comment or a name says that the slow form was made slow on purpose."""
    slow = [*diff.removed, *motif.rewrite.before.splitlines()]
    fast = [*diff.added, *diff.context, *motif.rewrite.after.splitlines()]
    kept = {comment.strip() for line in fast for comment in _comments(line)}
    for line in slow:
        found = _confessed(line, STRICT)
        # What the fast form says too is no word about the slow one.
        loose = (comment for comment in _comments(line) if comment.strip() not in kept and LOOSE.search(comment))
        found = found or next((_short(comment.strip()) for comment in loose), None)
        if found is not None:
            return f"the removed text confesses: {found}"
    for line in fast:
        found = _confessed(line, STRICT)
        if found is not None:
            return f"the text around the edit confesses: {found}"
    return None


def _waste(motif: Motif, diff: DiffLines) -> str | None:
    """What is removed is work that nobody would write: dummy or volatile loops, the same statement twice."""
    before = motif.rewrite.before
    removed = _without_comments("\n".join([*diff.removed, before]))
    kept = _without_comments("\n".join([*diff.added, motif.rewrite.after]))
    for pattern, what in ((_WASTE_NAME, "dummy work"), (_VOLATILE, "a volatile"), (_EMPTY_LOOP, "an empty loop")):
        match = pattern.search(removed)
        if match is not None and not pattern.search(kept):
            return f"{what} is removed: {_short(match.group())}"
    twice = _repeated_in_diff(diff) or _repeated_in_pattern(before, motif.rewrite.after)
    return f"the same statement stands twice: {_short(twice)}" if twice is not None else None


def _no_gain(motif: Motif, _diff: DiffLines) -> str | None:
    """It was measured, and no measurement shows a gain beyond its interval."""
    if not motif.evidence or any(each.gain > 1 and each.interval[0] > 1 for each in motif.evidence):
        return None
    best = max(motif.evidence, key=lambda each: each.interval[0])
    return f"the best measurement is {best.gain:.3f}x, interval {best.interval[0]:.3f} to {best.interval[1]:.3f}"


def _never_held(motif: Motif, _diff: DiffLines) -> str | None:
    """It was tried, and no attempt held."""
    if not motif.evidence or any(each.held for each in motif.evidence):
        return None
    return f"{sum(each.failed for each in motif.evidence)} attempts failed and none held"


def _no_provenance(motif: Motif, _diff: DiffLines) -> str | None:
    """It counts as reviewed, and its source, licence or date is missing."""
    origin = motif.provenance
    named = {"source": origin.source, "licence": origin.license, "date": origin.date}
    missing = [name for name, value in named.items() if not value or value == "unknown"]
    if motif.status is not Status.REVIEWED or not missing:
        return None
    return f"reviewed without a known {' and '.join(missing)}"


_Rule = Callable[[Motif, DiffLines], "str | None"]
_RULES: tuple[tuple[str, _Rule], ...] = (
    ("empty", _empty),
    ("no-op", _no_op),
    ("confession", _confession),
    ("pure-waste", _waste),
    ("no-gain", _no_gain),
    ("never-held", _never_held),
    ("no-provenance", _no_provenance),
)


def _confessed(line: str, pattern: re.Pattern[str]) -> str | None:
    """The comment, or the name, of a line that confesses; None when it has none."""
    for comment in _comments(line):
        if pattern.search(comment):
            return _short(comment.strip())
    name = NAMES.search(line)
    return _short(name.group()) if name is not None else None


def _comments(line: str) -> Iterator[str]:
    for match in _COMMENT.finditer(line):
        yield match.group(1) or match.group(2) or ""
    # A line inside a block comment.
    if line.lstrip().startswith("* "):
        yield line.lstrip()[2:]


def _without_comments(code: str) -> str:
    return _COMMENT.sub("", code)


def _statements(lines: list[str]) -> list[str]:
    return [" ".join(code_tokens(line)) for line in lines]


def _repeated_in_diff(diff: DiffLines) -> str | None:
    """A removed block of lines that stands right before or after itself: the work was done twice."""
    for hunk in sorted({line.hunk for line in diff.lines}):
        own = [line for line in diff.lines if line.hunk == hunk and line.sign != "+"]
        codes_ = _statements([line.text for line in own])
        old = [(code, line.sign == "-") for code, line in zip(codes_, own, strict=True) if code]
        added = set(_statements([line.text for line in diff.lines if line.hunk == hunk and line.sign == "+"]))
        for start, end in _removed_blocks([removed for _, removed in old]):
            block = [code for code, _ in old[start:end]]
            if not any(code.endswith(";") for code in block) or set(block) & added:
                continue
            size = end - start
            around = [old[max(0, start - size) : start], old[end : end + size]]
            if any([code for code, _ in part] == block for part in around):
                return next(code for code in block if code.endswith(";"))
            if size % 2 == 0 and block[: size // 2] == block[size // 2 :]:
                return next(code for code in block if code.endswith(";"))
            for first, second in pairwise(block):
                if first == second and first.endswith(";"):
                    return first
    return None


def _removed_blocks(marks: list[bool]) -> Iterator[tuple[int, int]]:
    start = None
    for index, removed in enumerate([*marks, False]):
        if removed and start is None:
            start = index
        elif not removed and start is not None:
            yield start, index
            start = None


def _repeated_in_pattern(before: str, after: str) -> str | None:
    """Two equal statements in a row in the slow pattern, which the fast one does not have."""
    statements = _statements(before.split(";"))
    kept = _statements(after.split(";"))
    for first, second in pairwise(statements):
        if first and first == second and not _has_pair(kept, first):
            return first
    return None


def _has_pair(statements: list[str], wanted: str) -> bool:
    return any(a == b == wanted for a, b in pairwise(statements))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
