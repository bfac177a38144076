"""What is known of the host's symbols without a case: the chip's UB, the sizes of the inputs' types."""

from __future__ import annotations

from ascendopt.analysis.chips import Chip
from ascendopt.analysis.facts.events import InitBufferEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.operators.names import TYPE_BYTES
from ascendopt.analysis.values import Value, evaluate, number

_UB_POSITIONS = ("VECIN", "VECOUT", "VECCALC")


def host_numbers(facts: OperatorFacts, chip: Chip, instance: Instance) -> dict[str, Value | int]:
    """Symbols of host expressions that this chip and the dtype column of ``instance`` decide."""
    # Ports are in the OpDef's order; the first input's type is the one that tilings ask for.
    definition = facts.operator.definition
    names = [port.name.upper() for port in definition.inputs] if definition is not None else []
    types = {key.removeprefix("DTYPE_"): value for key, value in instance.dtypes}
    known: dict[str, Value | int] = {"host.ub_size": chip.usable_ub_bytes or 0}
    for index, name in enumerate(names):
        size = TYPE_BYTES.get(types.get(name, ""))
        if size is not None:
            known[f"input{index}.dtype_size"] = size
    return known


def ub_bytes(facts: OperatorFacts, chip: Chip, instance: Instance) -> int | None:
    """All bytes of UB that ``instance`` asks for, through the host's expressions; None when that is no number."""
    total = number(0)
    for event in instance.of(InitBufferEvent):
        if event.queue is None or event.queue.positions[0] not in _UB_POSITIONS:
            return None
        total = total + event.total
    return evaluate(facts.linked(total), host_numbers(facts, chip, instance))
