"""Workers of a real Ray cluster with two nodes: what all executors do, and what becomes of a node that goes down."""

from __future__ import annotations

import importlib.util
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.executors.batches import run
from harness.executors.conformance import ExecutorConformance, candidate, gates, setup
from harness.executors.toy_device import DEADLY, SLOW, SLUGGISH, open_toy_device
from harness.fake_device import FakeDevice, write_toy_operator

from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.episode_result import TrialEvent
from ascendopt.harness.evaluation import State
from ascendopt.harness.executors.base import ExecutorError, ExecutorFactory, GateSetup
from ascendopt.harness.executors.choice import Executors
from ascendopt.harness.executors.on_ray import RayExecutor, RayWorkers
from ascendopt.harness.executors.ray_cluster import Answer, Cluster, WorkerGone
from ascendopt.harness.gates.evaluator import Evaluator
from ascendopt.harness.report.model import read_report
from ascendopt.harness.report.terminal import summary_lines

__all__ = ["gates", "setup"]

pytestmark = pytest.mark.timeout(300)
if importlib.util.find_spec("ray") is None:
    # The development packages ask for it wherever it has a wheel.
    assert sys.version_info >= (3, 15), "the package ray is not installed: make dev"
    pytest.skip(f"ray has no wheel for Python {sys.version.split()[0]}", allow_module_level=True)

TESTS = Path(__file__).parents[2]
MEMORY = 100 << 20


class TwoNodes:
    """A cluster on this machine: a head, where the run is, and one node beside it; one CPU each, or one device."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": MEMORY, "resources": {"NPU": 1}}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.node = self._second()
        self.address: str = self.cluster.address

    def _second(self) -> Any:
        return self.cluster.add_node(num_cpus=1, object_store_memory=MEMORY, resources={"NPU": 1})

    def kill_node(self) -> None:
        """Its processes are killed; the head is not told."""
        self.cluster.remove_node(self.node, allow_graceful=False)

    def restore(self) -> None:
        self.node = self._second()


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Worker nodes know the package; of the tests they have to be told.
        patch.setenv("PYTHONPATH", str(TESTS))
        nodes = TwoNodes()
        try:
            yield nodes
        finally:
            ray.shutdown()
            nodes.cluster.shutdown()


@pytest.fixture
def chosen(nodes: TwoNodes) -> Executors:
    return Executors(f"ray:{nodes.address}")


class TestRayWorkers(ExecutorConformance):
    @pytest.fixture
    def make(self, chosen: Executors) -> ExecutorFactory:
        return chosen.factory(open_toy_device(), open_toy_device)


def test_a_worker_that_dies_over_a_candidate_is_a_failed_evaluation(
    chosen: Executors, setup: GateSetup, gates: Evaluator
) -> None:
    batch = [candidate(setup, 64), candidate(setup, 128, DEADLY), candidate(setup, 256)]
    with chosen.factory(open_toy_device(), open_toy_device)(setup, gates, CancelToken()) as executor:
        given = list(executor.evaluate(batch, gates.original()))
    assert [each.state for each in given] == [State.OK, State.FAILED, State.OK]
    assert given[1].reason == "the worker that evaluated it was killed by SIGKILL."


def test_one_worker_a_device_where_devices_measure(nodes: TwoNodes, chosen: Executors) -> None:
    measuring = FakeDevice(modelled=False)
    assert RayWorkers(Cluster(nodes.address), open_toy_device, measuring.capabilities, 5).count == 2


def test_candidates_in_work_on_a_node_that_goes_down_are_given_out_again(
    nodes: TwoNodes, chosen: Executors, setup: GateSetup, gates: Evaluator
) -> None:
    baseline = gates.original()
    batch = [candidate(setup, tile, core) for tile, core in ((64, 1024), (128, SLUGGISH), (256, SLUGGISH))]
    expected = [gates.candidate(each, baseline) for each in batch]
    lost: list[str] = []
    value = Cluster.value

    def counted(self: Cluster, answer: Answer) -> Any:
        try:
            return value(self, answer)
        except WorkerGone as gone:
            lost.append(str(gone))
            raise

    with (
        pytest.MonkeyPatch.context() as patch,
        chosen.factory(open_toy_device(), open_toy_device)(setup, gates, CancelToken()) as executor,
    ):
        patch.setattr(Cluster, "value", counted)
        # Both are up.
        assert isinstance(executor, RayExecutor)
        ready: list[bool] = []
        while not all(ready) or not ready:
            list(executor.evaluate([candidate(setup, 1024, SLOW)], baseline))
            ready = [place.ready for place in executor._places]
        assert len(ready) == executor.workers == 2
        stream = executor.evaluate(batch, baseline)
        given = [next(stream)]
        # Each worker has one of the others in hand now.
        nodes.kill_node()
        try:
            given += stream
        finally:
            nodes.restore()
    assert lost
    assert [each.to_json() for each in given] == [each.to_json() for each in expected]


def test_what_is_no_cluster_is_refused_in_one_sentence() -> None:
    with pytest.raises(
        ExecutorError, match=r"^there is no executor 'slurm'; known are local, ray and ray:HOST:PORT\.$"
    ):
        Executors("slurm")
    with pytest.raises(ExecutorError, match=r"^'6379' is no address of a Ray cluster; it is HOST:PORT\.$"):
        Executors("ray:6379")
    with socket.socket() as taken:
        # Bound, and nobody listens.
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ExecutorError, match=f"^there is no Ray cluster at {address}: connection refused"):
            Executors(f"ray:{address}")


def test_a_run_that_loses_a_node_writes_the_journal_of_one_that_does_not(nodes: TwoNodes, tmp_path: Path) -> None:
    operator = write_toy_operator(tmp_path / "toy")
    whole = run(operator, tmp_path / "here", Executors())
    killed_at: list[int] = []

    def kill(event: TrialEvent) -> None:
        if event.attempts == 6 and not killed_at:
            killed_at.append(event.number)
            nodes.kill_node()

    # The last of this file: the node is not needed any more.
    two = Executors(f"ray:{nodes.address}", 2)
    journal = run(operator, tmp_path / "cluster", two, on_trial=kill)
    assert killed_at
    assert journal == whole
    report = read_report(tmp_path / "cluster")
    assert (report.workers, report.executor) == (2, "ray")
    assert "; 2 workers of a Ray cluster; " in "".join(summary_lines(report))
