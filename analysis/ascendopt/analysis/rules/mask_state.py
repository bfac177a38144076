"""Where the state that vector calls take their mask from is switched off again."""

from __future__ import annotations

from collections.abc import Sequence

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.readings import read_call
from ascendopt.analysis.findings import Fix
from ascendopt.analysis.rules.repair import behind, namespace, together


def switched_off(instance: Instance, switch: ApiCall, resets: Sequence[str]) -> Fix | None:
    """Call ``resets`` behind the last call beside ``switch`` that takes a mask; safe where no later call may rely on
    the state. None where no such call stands beside it."""
    later = [call for call in instance.of(ApiCall) if call.order > switch.order and _takes_a_mask(call)]
    beside = [call for call in later if together(switch, call)]
    if not beside:
        return None
    text = ";\n".join(f"{namespace(switch)}{name}()" for name in resets)
    return behind(beside[-1].site, "switch it off behind the last call", text, safe=beside[-1] is later[-1])


def _takes_a_mask(call: ApiCall) -> bool:
    reading = read_call(call)
    return reading is not None and reading.page.pipe == "V"
