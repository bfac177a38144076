"""The active case: the operator's host tiling, run on the device."""

from __future__ import annotations

from ascendopt.harness.cancelling import Cancelled
from ascendopt.harness.devices.base import BuildOptions, Device
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.target import Target
from ascendopt.harness.workload import Case
from ascendopt.server.jobs.orders import Orders
from ascendopt.server.worker import Channel, Job


def active_case(_job: Job, target: Target, device: Device, channel: Channel, orders: Orders) -> None:
    """Run the host tiling for the first case that is timed, else the first one."""
    if not target.workload.cases:
        channel.send("done", case=None)
        return
    case = first_case(target.workload.cases)
    with Scratch(target.sources) as scratch:
        built = device.build(scratch.materialise(None), BuildOptions(target.soc))
        active = built.active_case(case, target.soc)
    if orders.stop.is_set():
        raise Cancelled
    channel.send(
        "done",
        case={
            "name": active.name,
            "soc": active.soc,
            "tiling": dict(active.tiling),
            "dtypes": dict(active.dtypes),
            "block_dim": active.block_dim,
            "tiling_key": active.tiling_key,
        },
    )


def first_case(cases: tuple[Case, ...]) -> Case:
    """The case that the editor shows: the first that counts for speed."""
    return next((case for case in cases if not case.correctness_only), cases[0])
