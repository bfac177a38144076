"""What every executor must do. An executor's tests derive from ``ExecutorConformance`` and give ``make``."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from harness.executors.toy_device import BROKEN, ENDLESS, SLOW, open_toy_device
from harness.fake_device import toy_workload, write_toy_operator

from ascendopt.harness.cancelling import Cancelled, CancelToken
from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation, State
from ascendopt.harness.executors.base import Executor, ExecutorFactory, GateSetup
from ascendopt.harness.gates.evaluator import Evaluator, EvaluatorSettings
from ascendopt.harness.operator_copy import Scratch, read_operator

HOST = "op_host/toy.cpp"


@pytest.fixture
def setup(tmp_path: Path) -> GateSetup:
    sources = read_operator(write_toy_operator(tmp_path / "toy"))
    return GateSetup(sources, toy_workload(), EvaluatorSettings("Ascend910B2"))


@pytest.fixture
def gates(setup: GateSetup) -> Iterator[Evaluator]:
    with Scratch(setup.sources) as scratch:
        yield setup.evaluator(open_toy_device(), scratch)


class ExecutorConformance:
    """The suite."""

    @pytest.fixture
    def make(self) -> ExecutorFactory:
        raise NotImplementedError

    @pytest.fixture
    def token(self) -> CancelToken:
        return CancelToken()

    @pytest.fixture
    def executor(
        self, make: ExecutorFactory, setup: GateSetup, gates: Evaluator, token: CancelToken
    ) -> Iterator[Executor]:
        with make(setup, gates, token) as made:
            yield made

    @pytest.fixture
    def baseline(self, gates: Evaluator) -> Evaluation:
        return gates.original()

    def test_evaluations_come_in_the_order_of_the_batch(
        self, executor: Executor, setup: GateSetup, gates: Evaluator, baseline: Evaluation
    ) -> None:
        tiles = [(64, SLOW), (128, 1024), (256, 1024), (1024, SLOW), (2048, 1024)]
        batch = [candidate(setup, *each) for each in tiles]
        given = list(executor.evaluate(batch, baseline))
        expected = [gates.candidate(each, baseline) for each in batch]
        assert [each.to_json() for each in given] == [each.to_json() for each in expected]
        # Larger tiles take fewer steps: five different times, falling.
        times = [each.latency_us for each in given]
        assert None not in times and times == sorted(set(times), reverse=True)

    def test_a_candidate_that_fails_leaves_the_others_alone(
        self, executor: Executor, setup: GateSetup, baseline: Evaluation
    ) -> None:
        batch = [candidate(setup, tile, core) for tile, core in ((64, 1024), (128, BROKEN), (256, 1024))]
        states = [each.state for each in executor.evaluate(batch, baseline)]
        assert states == [State.OK, State.COMPILE, State.OK]

    def test_batches_follow_each_other(self, executor: Executor, setup: GateSetup, baseline: Evaluation) -> None:
        assert list(executor.evaluate([], baseline)) == []
        for tile in (64, 128):
            (one,) = executor.evaluate([candidate(setup, tile)], baseline)
            assert one.ok

    def test_a_batch_that_is_given_up_does_not_reach_into_the_next(
        self, executor: Executor, setup: GateSetup, baseline: Evaluation
    ) -> None:
        batch = [candidate(setup, tile, core) for tile, core in ((64, 1024), (128, SLOW), (256, SLOW), (1024, SLOW))]
        first = executor.evaluate(batch, baseline)
        assert len(list(islice(first, 1))) == 1
        first.close()
        (other,) = executor.evaluate([candidate(setup, 96, BROKEN)], baseline)
        assert other.state is State.COMPILE

    def test_cancel_interrupts_within_a_second(
        self, executor: Executor, setup: GateSetup, baseline: Evaluation, token: CancelToken
    ) -> None:
        # Workers are up before the clock runs.
        assert all(each.ok for each in executor.evaluate([candidate(setup, 64), candidate(setup, 128)], baseline))
        cancelled_at: list[float] = []

        def cancel() -> None:
            cancelled_at.append(time.monotonic())
            token.cancel()

        threading.Timer(0.5, cancel).start()
        with pytest.raises(Cancelled), executor:
            list(executor.evaluate([candidate(setup, 256, ENDLESS), candidate(setup, 1024, ENDLESS)], baseline))
        assert time.monotonic() - cancelled_at[0] < 1.0


def candidate(setup: GateSetup, tile: int, core: int = 1024) -> Candidate:
    """The toy operator with other constants."""
    text = setup.sources.texts[HOST].replace("TILE = 512", f"TILE = {tile}")
    return Candidate({HOST: text.replace("CORE_LENGTH = 1024", f"CORE_LENGTH = {core}")}, "test", f"{tile}, {core}")
