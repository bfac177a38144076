"""`--profile`: operators in the order of what there is to win, which is said on stderr with the reasons."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ascendopt.cli.progress import Progress
from ascendopt.harness.cancelling import CancelToken
from ascendopt.harness.executors.base import GateSetup
from ascendopt.harness.gates.evaluator import EvaluatorSettings
from ascendopt.harness.op_summary import EndToEnd
from ascendopt.harness.opening import Devices
from ascendopt.harness.operator_copy import Scratch
from ascendopt.harness.target import Target
from ascendopt.harness.work_list import WorkItem, ordered, work_item


def work_order(targets: Sequence[Target], devices: Devices, profile: EndToEnd, token: CancelToken) -> list[Target]:
    """``targets``, those with most to win first. Each is evaluated as it is. Raises Cancelled."""
    items: list[WorkItem] = []
    with Progress(len(targets), "baselines") as progress:
        for target in targets:
            setup = GateSetup(target.sources, target.workload, EvaluatorSettings(target.soc), target.reference)
            with Scratch(target.sources) as scratch:
                gates = setup.evaluator(devices.on(target.soc), scratch)
                items.append(work_item(target, token.interruptible(gates.original), profile))
            progress.advance(target.sources.name)
    order = ordered(items)
    for rank, index in enumerate(order, 1):
        sys.stderr.write(f"{rank}. {items[index].sentence()}\n")
    return [targets[index] for index in order]
