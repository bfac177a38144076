"""A Ray cluster as an executor sees it: how many workers it has room for, workers, and answers that come later.

All use of the package ``ray`` is here. It is an extra, and imported when a cluster is asked for.
"""

# Ray gives the types of its functions in part only.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ascendopt.harness.candidate import Candidate
from ascendopt.harness.evaluation import Evaluation
from ascendopt.harness.executors.base import ExecutorError
from ascendopt.harness.executors.ray_worker import AlikeDevice, RayWorker, own_version
from ascendopt.harness.executors.shipping import Shipment

# A resource of Ray's: of nodes with devices it is set by Ray itself, which also gives each worker its own.
DEVICES = "NPU"


NO_CLUSTER = (
    "there is no Ray cluster on this machine: start one with ray start --head, or join one with ray start --address."
)
# Ray itself tries for minutes.
_REACH_S = 5.0


class WorkerGone(RuntimeError):
    """A worker ended: its node was lost, or Ray ended it. The text is Ray's, one line."""


@dataclass(frozen=True)
class Answer:
    """What a worker will have said."""

    reference: Any


class ClusterWorker:
    """A worker somewhere in the cluster. It may never come to be: its answers then stay out."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def open(self) -> Answer:
        """Make it ready; the answer is None, or an exception."""
        return Answer(self._handle.open.remote())

    def evaluate(self, candidate: Candidate, baseline: Evaluation) -> Answer:
        """Hand it a candidate; the answer is its evaluation, or an exception."""
        return Answer(self._handle.evaluate.remote(candidate, baseline))

    def end(self) -> None:
        """End it, whatever it does."""
        import ray

        with contextlib.suppress(Exception):  # it is gone, and so is perhaps the cluster
            ray.kill(self._handle)


class Cluster:
    """The cluster at ``address`` (``host:port``; by default RAY_ADDRESS, or that of this machine).

    This process stays connected until it ends. Raises ExecutorError.
    """

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise ExecutorError(
                "the executor ray needs the package ray: install ascendopt[ray] on a Python that ray supports."
            ) from None
        if address is not None:
            _check_reachable(address)
        where = address or "auto"
        before = signal.getsignal(signal.SIGTERM)
        try:
            # Ray's own messages are for who runs the cluster.
            ray.init(where, ignore_reinit_error=True, configure_logging=False, log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            if address is None and isinstance(error, ConnectionError):
                raise ExecutorError(NO_CLUSTER) from None
            raise ExecutorError(f"the Ray cluster can't be used: {_line(error)}.") from error
        finally:
            # Ray takes the signal for itself; it is ours.
            signal.signal(signal.SIGTERM, before)

    def room(self, modelled: bool) -> int:
        """How many workers it can have at a time: one a device, or one a CPU where devices are modelled."""
        import ray

        return int(ray.cluster_resources().get("CPU" if modelled else DEVICES, 0))

    def shared(self, shipment: Shipment) -> Answer:
        """``shipment`` in the cluster's memory, sent to each node once."""
        import ray

        return Answer(ray.put(shipment))

    def worker(self, shipment: Answer, open_device: AlikeDevice, limit_s: float) -> ClusterWorker:
        """A new worker, where there is or will be room."""
        import ray

        modelled = open_device.expected.modelled
        needs: dict[str, Any] = {"num_cpus": 1} if modelled else {"num_cpus": 0, "resources": {DEVICES: 1}}
        actor: Any = ray.remote(RayWorker)
        options = actor.options(**needs, scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0)
        return ClusterWorker(options.remote(shipment.reference, open_device, limit_s, own_version()))

    def arrived(self, answers: Sequence[Answer], patience_s: float) -> list[Answer]:
        """Those of ``answers`` that are there; waits at most ``patience_s`` for the first."""
        import ray

        references = [answer.reference for answer in answers]
        if not references:
            return []
        ray.wait(references, num_returns=1, timeout=patience_s)
        here: list[Any] = ray.wait(references, num_returns=len(references), timeout=0)[0]
        return [answer for answer in answers if answer.reference in here]

    def value(self, answer: Answer) -> Any:
        """What was said. Raises WorkerGone."""
        import ray
        from ray.exceptions import RayError

        try:
            return ray.get(answer.reference)
        except RayError as error:
            raise WorkerGone(_line(error)) from error


def _check_reachable(address: str) -> None:
    """Raises ExecutorError when nothing listens at ``host:port``."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ExecutorError(f"'{address}' is no address of a Ray cluster; it is HOST:PORT.")
    try:
        socket.create_connection((host, int(port)), _REACH_S).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExecutorError(f"there is no Ray cluster at {address}: {reason.lower()}.") from None


def _line(error: BaseException) -> str:
    """Ray's texts begin with what happened; those that quote a worker's traceback end with its cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = next((lines[index] for index in (-1, 0) if "Traceback" in str(error) or index == 0), "") if lines else ""
    return (line or type(error).__name__)[:300].rstrip(".")
