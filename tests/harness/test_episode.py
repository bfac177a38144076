"""A whole episode on the fake device: result, honesty, determinism, kill and resume."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from harness.episode_support import toy_episode
from harness.fake_device import FakeDevice, toy_workload, write_toy_operator

from ascendopt.harness.cancelling import Cancelled, CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.episode import Episode, EpisodeError, EpisodeSettings
from ascendopt.harness.episode_result import TrialEvent
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.journal.events import JournalError, read_events
from ascendopt.harness.journal.run_times import read_elapsed
from ascendopt.harness.operator_copy import OperatorSources, read_operator
from ascendopt.harness.report.model import read_report
from ascendopt.harness.search.base import Proposer, Trial
from ascendopt.harness.search.space import TilingSpace
from ascendopt.harness.search.tunables import find_tunables

ROOT = Path(__file__).parents[2]


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    return write_toy_operator(tmp_path / "toy")


def journal(folder: Path) -> bytes:
    return (folder / "journal.jsonl").read_bytes()


def test_it_finds_a_faster_variant_whose_patch_applies(operator: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in operator.rglob("*.cpp")}
    result = toy_episode(operator, FakeDevice(), tmp_path / "out", budget=25).run()
    # Optimum: two buffers halve the copy (0.82 us), one step (0.5): 7.1385 / 3.3193
    assert result.best is not None and result.best.speedup == pytest.approx(7.1385 / 3.31925, rel=0.05)
    assert result.budget.attempts == 25
    assert {path: path.read_bytes() for path in operator.rglob("*.cpp")} == before
    subprocess.run(["git", "apply", tmp_path / "out/best.patch"], cwd=operator, check=True, timeout=20)
    for path, text in result.files.items():
        assert (operator / path).read_text() == text


def test_equal_seeds_give_equal_journals(operator: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        toy_episode(operator, FakeDevice(), tmp_path / name, budget=12, seed=3).run()
    toy_episode(operator, FakeDevice(), tmp_path / "other", budget=12, seed=4).run()
    assert journal(tmp_path / "one") == journal(tmp_path / "two")
    assert journal(tmp_path / "one") != journal(tmp_path / "other")


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from harness.episode_support import toy_episode
    from harness.fake_device import FakeDevice

    def die(count):
        if count == 8:
            os.kill(os.getpid(), signal.SIGKILL)

    toy_episode(Path(sys.argv[1]), FakeDevice(on_build=die), Path(sys.argv[2]), budget=14).run()
"""


def test_kill_9_and_resume_ends_as_if_nothing_had_happened(operator: Path, tmp_path: Path) -> None:
    toy_episode(operator, FakeDevice(), tmp_path / "whole", budget=14).run()
    path = os.pathsep.join(str(ROOT / part) for part in ("harness", "analysis", "tests"))
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), operator, tmp_path / "killed"],
        env={**os.environ, "PYTHONPATH": path},
        timeout=150,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert 0 < len(journal(tmp_path / "killed")) < len(journal(tmp_path / "whole"))
    device = FakeDevice()
    resumed = toy_episode(operator, device, tmp_path / "killed", budget=14).run(resume=True)
    assert journal(tmp_path / "killed") == journal(tmp_path / "whole")
    assert resumed.budget.attempts == 14
    # A finished run replays without touching the device.
    idle = FakeDevice()
    again = toy_episode(operator, idle, tmp_path / "killed", budget=14).run(resume=True)
    assert idle.builds == 0
    assert again.patch == resumed.patch


def test_a_cancelled_run_resumes_to_the_same_end(operator: Path, tmp_path: Path) -> None:
    toy_episode(operator, FakeDevice(), tmp_path / "whole", budget=10).run()
    token = CancelToken()
    episode = toy_episode(operator, FakeDevice(), tmp_path / "parts", budget=10)
    with pytest.raises(Cancelled):
        episode.run(cancel=token, on_trial=lambda event: token.cancel() if event.number == 4 else None)
    toy_episode(operator, FakeDevice(), tmp_path / "parts", budget=10).run(resume=True)
    assert journal(tmp_path / "parts") == journal(tmp_path / "whole")


def test_resuming_with_other_options_or_sources_is_refused(operator: Path, tmp_path: Path) -> None:
    toy_episode(operator, FakeDevice(), tmp_path / "out", budget=3).run()
    with pytest.raises(JournalError, match="'seed' differs"):
        toy_episode(operator, FakeDevice(), tmp_path / "out", budget=3, seed=9).run(resume=True)
    write_toy_operator(operator, tile=256)
    with pytest.raises(JournalError, match="'sources' differs"):
        toy_episode(operator, FakeDevice(), tmp_path / "out", budget=3).run(resume=True)


def test_failing_candidates_cost_attempts_and_the_run_goes_on(operator: Path, tmp_path: Path) -> None:
    device = FakeDevice(
        failure=lambda c: DeviceFailure("compile", "no") if c["BUFFER_NUM"] > 1 else None,
    )
    result = toy_episode(operator, device, tmp_path / "out", budget=15).run()
    assert result.budget.attempts == 15
    assert 0 < result.budget.valid < 15
    assert result.candidate is not None and result.candidate.genes["BUFFER_NUM"] == 1


def test_a_winner_that_fails_on_unseen_shapes_is_not_reported(operator: Path, tmp_path: Path) -> None:
    class Fragile(FakeDevice):
        """Right on the two cases that the search sees, wrong elsewhere when TILE was changed."""

        def build(self, operator, options):  # type: ignore[no-untyped-def]
            built = super().build(operator, options)
            run = built.run

            def fragile(case, inputs, *, timing=True):  # type: ignore[no-untyped-def]
                result = run(case, inputs, timing=timing)
                if case.name.startswith("unseen") and built._constants["TILE"] != 512:
                    result.outputs[0][0] += 1
                return result

            built.run = fragile  # type: ignore[method-assign]
            return built

    result = toy_episode(operator, Fragile(), tmp_path / "out", budget=12).run()
    assert result.candidate is None or result.candidate.genes["TILE"] == 512
    kinds = [event["event"] for event in read_events(tmp_path / "out")]
    assert "unseen" in kinds


def test_noise_alone_gives_no_winner(operator: Path, tmp_path: Path) -> None:
    class Flat(FakeDevice):
        """Every program takes the same time; only the noise differs."""

        def parameter_sets(self):  # type: ignore[no-untyped-def]
            sets = super().parameter_sets()
            sets[:, 1:] = (1e12, 0.0)
            return sets

    result = toy_episode(operator, Flat(modelled=False, noise=0.03), tmp_path / "out", budget=25).run()
    assert result.best is None
    assert result.patch == ""
    assert result.to_json()["speedup"] == 1.0


def test_an_operator_that_fails_as_it_is_is_not_tuned(operator: Path, tmp_path: Path) -> None:
    device = FakeDevice(failure=lambda _c: DeviceFailure("run", "the kernel crashed"))
    with pytest.raises(EpisodeError, match="toy fails as it is: the kernel crashed"):
        toy_episode(operator, device, tmp_path / "out").run()


def test_a_budget_in_seconds_ends_the_search_and_the_journal_says_so(operator: Path, tmp_path: Path) -> None:
    slow = FakeDevice(on_build=lambda count: time.sleep(0.05))
    result = toy_episode(operator, slow, tmp_path / "out", budget=1000).run(seconds=1.0)
    assert result.ended_by == "seconds" and 0 < result.budget.attempts < 100
    (end,) = [event for event in read_events(tmp_path / "out") if event["event"] == "search-end"]
    assert end["by"] == "seconds"
    # A resumed run, with whatever time, ends its search at the same place and computes nothing.
    before, idle = journal(tmp_path / "out"), FakeDevice()
    for seconds in (None, 1.0):
        toy_episode(operator, idle, tmp_path / "out", budget=1000).run(resume=True, seconds=seconds)
    assert journal(tmp_path / "out") == before and idle.builds == 0


def test_seconds_of_the_runs_of_one_journal_add_up(operator: Path, tmp_path: Path) -> None:
    token = CancelToken()
    slow = FakeDevice(on_build=lambda count: time.sleep(0.05))
    with pytest.raises(Cancelled):
        toy_episode(operator, slow, tmp_path / "out", budget=1000).run(
            cancel=token, seconds=60.0, on_trial=lambda event: token.cancel() if event.number == 12 else None
        )
    spent = read_elapsed(tmp_path / "out")
    assert spent > 11 * 0.05
    # The first run took that long: nothing is left of it.
    result = toy_episode(operator, FakeDevice(), tmp_path / "out", budget=1000).run(resume=True, seconds=spent)
    assert result.ended_by == "seconds" and result.budget.attempts == 12


class Few(Proposer):
    """Three tiles, then no more."""

    def __init__(self, sources: OperatorSources, _rng: np.random.Generator) -> None:
        self._text = sources.texts["op_host/toy.cpp"]
        self._tiles = [64, 128, 256]

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        if not self._tiles:
            return []
        text = self._text.replace("TILE = 512", f"TILE = {self._tiles.pop()}")
        return [Candidate({"op_host/toy.cpp": text}, "few")]

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        return


class Several(Proposer):
    """One program with three changes, of which the one of MIN_CORE_LENGTH does nothing to 131,072 elements."""

    def __init__(self, sources: OperatorSources, _rng: np.random.Generator) -> None:
        self._space = TilingSpace(sources.texts, find_tunables(sources.texts))
        changes = {"TILE": 4096, "MIN_CORE_LENGTH": 512, "BUFFER_NUM": 2}
        self._genes = tuple(t.domain.index(changes.get(t.name, t.value)) for t in self._space.tunables)
        self._asked = False

    def propose(self, history: Sequence[Trial]) -> list[Candidate]:
        asked, self._asked = self._asked, True
        return [] if asked else [self._space.candidate(self._genes, "several")]

    def observe(self, candidate: Candidate, evaluation: Evaluation) -> None:
        return

    def without_one(self, candidate: Candidate) -> list[Candidate]:
        return self._space.without_one(candidate)


def test_what_gains_nothing_is_taken_back_and_costs_no_attempt(operator: Path, tmp_path: Path) -> None:
    settings = EpisodeSettings("Ascend910B2", 5, 1, "several")
    episode = Episode(read_operator(operator), toy_workload(), FakeDevice(), Several, settings, tmp_path / "out")
    result = episode.run()
    assert "TILE = 4096" in result.patch and "BUFFER_NUM = 2" in result.patch
    assert "+constexpr uint32_t MIN_CORE_LENGTH" not in result.patch
    assert result.budget.attempts == 1
    events = read_events(tmp_path / "out")
    tried = [event["note"].count("->") for event in events if event["event"] == "taken-back"]
    # Without the tile, without the idle one, and without the buffers of what is left.
    assert tried == [2, 2, 1]
    (found,) = (event for event in events if event["event"] == "trial")
    assert result.best is not None and result.best.speedup == pytest.approx(found["evaluation"]["speedup"], abs=5e-4)
    report = read_report(tmp_path / "out")
    assert "MIN_CORE_LENGTH" not in report.note and "BUFFER_NUM" in report.note


@pytest.mark.parametrize(("budget", "by"), [(2, "attempts"), (9, "ideas")])
def test_the_journal_says_what_ended_the_search(operator: Path, tmp_path: Path, budget: int, by: str) -> None:
    settings = EpisodeSettings("Ascend910B2", budget, 1, "few")
    episode = Episode(read_operator(operator), toy_workload(), FakeDevice(), Few, settings, tmp_path / "out")
    assert episode.run().ended_by == by
    assert read_report(tmp_path / "out").ended_by == by


def test_a_paused_run_rests_and_goes_on_to_the_same_end(operator: Path, tmp_path: Path) -> None:
    toy_episode(operator, FakeDevice(), tmp_path / "whole", budget=10).run()
    rests: list[float] = []

    def rest() -> None:
        rests.append(time.monotonic())
        threading.Timer(0.6, token.resume).start()

    token = CancelToken(on_pause=rest)
    times: dict[int, float] = {}

    def told(event: TrialEvent) -> None:
        times[event.number] = time.monotonic()
        if event.number == 4:
            token.pause()

    toy_episode(operator, FakeDevice(), tmp_path / "rested", budget=10).run(cancel=token, on_trial=told)
    assert journal(tmp_path / "rested") == journal(tmp_path / "whole")
    assert len(rests) == 1 and times[5] - times[4] > 0.55
    # What it rested is not what it took.
    assert token.paused_s > 0.55
    assert read_elapsed(tmp_path / "rested") < times[10] - times[1] + 5 - 0.55


def test_a_paused_run_can_be_cancelled(operator: Path, tmp_path: Path) -> None:
    token = CancelToken(on_pause=lambda: threading.Timer(0.3, token.cancel).start())
    token.pause()
    with pytest.raises(Cancelled):
        toy_episode(operator, FakeDevice(), tmp_path / "out", budget=10).run(cancel=token)
