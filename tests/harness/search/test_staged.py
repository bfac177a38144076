"""Stages: each on top of the best of the ones before, each within its attempts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.search.staged import Stage, StagedProposer


class Scripted(Proposer):
    """Proposes texts of one file in turn and remembers what it saw."""

    def __init__(self, path: str, texts: Sequence[str]) -> None:
        self.path = path
        self.texts = list(texts)
        self.started: Evaluation | None = None
        self.seen: list[Candidate] = []

    def start(self, baseline: Evaluation) -> None:
        self.started = baseline

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        return [Candidate({self.path: self.texts.pop(0)}, "test", "change")] if self.texts else []

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        self.seen.append(candidate)

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        (text,) = {path: text for path, text in candidate.files.items() if path == self.path}.values()
        return [Candidate({self.path: text[:-1]}, "test", "less")] if text[:-1] else []


def said(speedup: float) -> Evaluation:
    return Evaluation(State.OK, (), speedup=speedup, faster=speedup > 1.03, latency_us=1 / speedup)


def run(staged: StagedProposer, speedups: Mapping[str, float]) -> list[Candidate]:
    staged.start(said(1.0))
    made: list[Candidate] = []
    while proposed := staged.propose([]):
        for candidate in proposed:
            made.append(candidate)
            staged.observe(candidate, said(speedups["".join(candidate.files.values())]))
    return made


def test_the_second_stage_starts_from_the_best_of_the_first() -> None:
    one, two = Scripted("k", ["a", "b", "c"]), Scripted("h", ["x", "y"])
    bases: list[Mapping[str, str]] = []

    def second(files: Mapping[str, str]) -> Proposer:
        bases.append(files)
        return two

    staged = StagedProposer([Stage("one", lambda _: one, 3), Stage("two", second)])
    made = run(staged, {"a": 1.1, "b": 1.5, "c": 1.2, "bx": 1.6, "by": 1.4})
    assert bases == [{"k": "b"}]
    assert [dict(candidate.files) for candidate in made[3:]] == [{"k": "b", "h": "x"}, {"k": "b", "h": "y"}]
    # The inner proposer is told of its own candidate, and starts from the evaluation of the base.
    assert [dict(candidate.files) for candidate in two.seen] == [{"h": "x"}, {"h": "y"}]
    assert two.started is not None and two.started.speedup == 1.5


def test_a_stage_ends_with_its_attempts() -> None:
    one, two = Scripted("k", ["a", "b", "c", "d"]), Scripted("h", ["x"])
    staged = StagedProposer([Stage("one", lambda _: one, 2), Stage("two", lambda _: two)])
    made = run(staged, {"a": 1.0, "b": 1.0, "x": 1.0})
    assert [dict(candidate.files) for candidate in made] == [{"k": "a"}, {"k": "b"}, {"h": "x"}]


def test_a_stage_with_nothing_to_do_is_passed_over() -> None:
    staged = StagedProposer([Stage("none", lambda _: None), Stage("two", lambda _: Scripted("h", ["x"]))])
    assert len(run(staged, {"x": 1.0})) == 1


def test_changes_are_taken_back_in_the_stage_that_made_them() -> None:
    stages = [Stage("one", lambda _: Scripted("k", ["ab"]), 1), Stage("two", lambda _: Scripted("h", ["xyz"]))]
    staged = StagedProposer(stages)
    first, second = run(staged, {"ab": 1.2, "abxyz": 1.5})
    (less,) = staged.without_one(second)
    assert dict(less.files) == {"k": "ab", "h": "xy"} and less.note == "change; less"
    (least,) = staged.without_one(less)
    assert dict(least.files) == {"k": "ab", "h": "x"} and staged.without_one(least) == []
    assert [dict(one.files) for one in staged.without_one(first)] == [{"k": "a"}]
