"""A whole episode on the fake device: result, honesty, determinism, kill and resume."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from harness.episode_support import toy_episode
from harness.fake_device import FakeDevice, write_toy_operator

from ascendopt.harness.cancelling import Cancelled, CancelToken
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.episode import EpisodeError
from ascendopt.harness.journal.events import JournalError, read_events

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
