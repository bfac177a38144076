"""Fixes that put a statement before or behind another one. ``fixing`` sees to the indentation, and drops a fix where
the place is not a statement of its own (the body of an ``if`` without braces, an initialiser)."""

from __future__ import annotations

from ascendopt.analysis.facts.declared import Site
from ascendopt.analysis.facts.events import ApiCall, Event, FlagEvent, InitBufferEvent, PipeEvent
from ascendopt.analysis.facts.model import Instance
from ascendopt.analysis.facts.ordering import Race
from ascendopt.analysis.findings import Fix, Span, TextEdit

_NAMESPACE = "AscendC::"


def namespace(call: ApiCall) -> str:
    """``AscendC::`` where the source calls the function by its full name."""
    full = call.receiver is None and call.name_span.start - call.site.span.start >= len(_NAMESPACE)
    return _NAMESPACE if full else ""


def ahead(site: Site, statements: str) -> TextEdit:
    """``statements`` before the statement around ``site``."""
    start = site.span.start
    return TextEdit(site.path, Span(start, start), f"{statements}\n")


def after(site: Site, statements: str) -> TextEdit:
    """``statements``, without the last semicolon, behind the statement that ends with ``site``."""
    end = site.span.end
    return TextEdit(site.path, Span(end, end), f";\n{statements}")


def removed(site: Site) -> TextEdit:
    """Without the statement at ``site``."""
    return TextEdit(site.path, site.span, "")


def before(site: Site, title: str, statements: str, *, safe: bool) -> Fix:
    """One fix that puts ``statements`` ``ahead``."""
    return Fix(f"AscendC: {title}", (ahead(site, statements),), safe)


def behind(site: Site, title: str, statements: str, *, safe: bool) -> Fix:
    """One fix that puts ``statements`` ``after``."""
    return Fix(f"AscendC: {title}", (after(site, statements),), safe)


def other_half(event: FlagEvent, other: str) -> str | None:
    """The ``SetFlag`` or ``WaitFlag`` that goes with ``event``; None for flags between cores."""
    if event.name.startswith("H"):
        return None
    if event.name[0].islower():
        return f"{'set' if other == 'SetFlag' else 'wait'}_flag({', '.join(one.text for one in event.args)})"
    scope = namespace(event)
    return f"{scope}{other}<{scope}HardEvent::{event.event}>({event.flag})"


def ordered(instance: Instance, race: Race, *, safe: bool) -> Fix | None:
    """The event that is missing, set and waited for right before the second access. Without a pipe nobody hands out
    ids: the first one then, where no other flag of these pipes may be up with it."""
    name, scope = race.flag, namespace(race.after.event)
    event = f"{scope}HardEvent::{name}"
    if not instance.of(PipeEvent) and not instance.of(InitBufferEvent):
        if any(flag.event == name for flag in instance.of(FlagEvent)):
            return None
        flags = f"{scope}SetFlag<{event}>(EVENT_ID0); {scope}WaitFlag<{event}>(EVENT_ID0);"
        return before(race.after.event.site, f"wait for {name} here", flags, safe=safe)
    lines = (
        f"{{ const auto ordered = {scope}GetTPipePtr()->FetchEventID({event})",
        f"{scope}SetFlag<{event}>(ordered)",
        f"{scope}WaitFlag<{event}>(ordered); }}",
    )
    return before(race.after.event.site, f"wait for {name} here", "; ".join(lines), safe=safe)


def together(left: Event, right: Event) -> bool:
    """True when both stand in one function, inside of the same loops and branches."""
    return left.path == right.path and left.calls == right.calls


def last_use(instance: Instance, handle: int | None, made: Event) -> ApiCall | None:
    """The last call that has the tensor ``handle`` as an argument or receiver, if it stands next to ``made``."""
    uses = [
        call
        for call in instance.of(ApiCall)
        if any(argument.tensor is not None and argument.tensor.handle == handle for argument in call.args)
        or (call.receiver is not None and call.receiver.handle == handle)
    ]
    return uses[-1] if uses and together(uses[-1], made) else None


def name_in(call: ApiCall, handle: int | None) -> str | None:
    """The variable under which ``call`` has the tensor ``handle``."""
    names = (a.tensor.name for a in call.args if a.tensor is not None and a.tensor.handle == handle)
    return next((name for name in names if name.isidentifier()), None)
