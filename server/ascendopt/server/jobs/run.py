"""Does the one job of a worker process."""

from __future__ import annotations

from ascendopt.bank.errors import BankError
from ascendopt.harness.cancelling import Cancelled
from ascendopt.harness.devices.base import DeviceFailure
from ascendopt.harness.episode import EpisodeError
from ascendopt.harness.operator_copy import OperatorError
from ascendopt.harness.target import TargetError, open_device
from ascendopt.harness.workload_file import WorkloadFileError
from ascendopt.server.jobs.active_case import active_case
from ascendopt.server.jobs.orders import Orders
from ascendopt.server.jobs.rewind import rewind_operator
from ascendopt.server.jobs.search import search
from ascendopt.server.jobs.target import target_of
from ascendopt.server.jobs.verify import verify
from ascendopt.server.worker import Channel, Job

DEVICE = "model"

# What the user can mend: shown as they are. Anything else is a defect and goes to the log with its traceback.
_USER_ERRORS = (
    OperatorError,
    WorkloadFileError,
    TargetError,
    EpisodeError,
    DeviceFailure,
    BankError,
    ValueError,
    OSError,
)


def run_job(job: Job, channel: Channel, orders: Orders) -> None:
    """Do `job`, report to `channel`, and end early once `orders` say so."""
    jobs = {"active-case": active_case, "search": search, "rewind": rewind_operator, "verify": verify}
    try:
        target = target_of(job.operator, job.soc, job.overlay)
        device = open_device(DEVICE, target.soc)
        try:
            jobs[job.kind](job, target, device, channel, orders)
        finally:
            device.close()
    except Cancelled:
        channel.send("cancelled")
    except _USER_ERRORS as error:
        channel.send("failed", reason=str(error))
