"""The kernel has an arm for each tiling key that the host sets.

## What it says
The host sets a tiling key that no ``TILING_KEY_IS`` of the kernel asks for.

## Why
The kernel is compiled once for each key that it names: for another one there is no binary to launch, and an arm that is
missing leaves the output as it was.

## Example
```cpp
context->SetTilingKey(3);  // and the kernel asks for TILING_KEY_IS(1) and TILING_KEY_IS(2)
```

## Instead
Add the arm, or set a key that the kernel has.

## Source
asc-devkit: tiling key, TILING_KEY_IS.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ArmStep, CopyEvent
from ascendopt.analysis.facts.model import Instance, KernelModel
from ascendopt.analysis.findings import Finding, Related, Severity
from ascendopt.analysis.rules.rule import Context, Rule
from ascendopt.analysis.values import Value


def check(context: Context) -> Iterator[Finding]:
    facts = context.facts
    if facts is None or facts.tiling is None or len(context.kernel.entries) != 1:
        return
    keys = _asked_for(context.kernel, facts.kernel_names.arguments_of("TILING_KEY_IS"))
    if not keys or not all(_is_in_an_arm(instance) for instance in context.kernel.instances):
        return
    entry = context.kernel.entries[0]
    for call in facts.tiling.calls_of("SetTilingKey"):
        chosen = _choices(call.value)
        # A negative one says that there is none, and 0 beside others may stand for a case that was refused before.
        start = 0 if len(chosen) == 1 else 1
        key = next((one for one in chosen if one >= start and one not in keys), None)
        if key is None:
            continue
        known = ", ".join(str(one) for one in sorted(keys))
        yield RULE.finding(
            call.site,
            f"tiling key {key} is set here, and {entry.short_name} has arms for {known} alone: there is nothing to run "
            f"for it. Add TILING_KEY_IS({key}) to the kernel, or set one of its keys",
            facts={"key": key, "entry": entry.short_name},
            related=(Related(entry.site.path, entry.name_span, "the kernel asks for its keys here"),),
        )


def _choices(value: Value | None) -> tuple[int, ...]:
    """The numbers that a key is one of; none where an arm of a condition is not a number."""
    if value is None:
        return ()
    atom = next(iter(value.atoms()), None) if not value.is_constant else None
    if atom is None or atom.kind != "cond" or value.text != atom.text:
        number = value.constant()
        return (number,) if number is not None else ()
    arms = [_choices(arm) for arm in atom.args[1:]]
    return tuple(one for arm in arms for one in arm) if all(arms) else ()


def _asked_for(kernel: KernelModel, texts: frozenset[str]) -> frozenset[int]:
    """The keys as numbers; none at all where one of them is not understood."""
    constants = {name.rpartition("::")[2]: value.constant() for name, value in kernel.constants}
    found = [_number(text) if text[:1].isdigit() else constants.get(text.rpartition("::")[2]) for text in texts]
    return frozenset(one for one in found if one is not None) if None not in found else frozenset()


def _number(text: str) -> int | None:
    try:
        return int(text.rstrip("uUlL"), 0)
    except ValueError:
        return None


def _is_in_an_arm(instance: Instance) -> bool:
    """False for a run that does its work whatever the key is."""
    if instance.key is not None:
        return True
    copies = instance.of(CopyEvent)
    return bool(copies) and all(any(_asks_for_a_key(step) for step in copy.path) for copy in copies)


def _asks_for_a_key(step: object) -> bool:
    condition = step.condition if isinstance(step, ArmStep) else None
    return condition is not None and any(
        atom.kind == "cmp==" and atom.args[0].text == "tiling_key" for atom in condition.atoms()
    )


RULE = Rule("ASC-MIS013", "tiling-key-without-arm", Severity.WARNING, check, by_instance=False)
