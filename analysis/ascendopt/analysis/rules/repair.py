"""Fixes that put a statement before or behind another one. ``fixing`` sees to the indentation, and drops a fix where
the place is not a statement of its own (the body of an ``if`` without braces, an initialiser)."""

from __future__ import annotations

from ascendopt.analysis.facts.model import ApiCall, Event, Instance, Site
from ascendopt.analysis.findings import Fix, Span, TextEdit

_NAMESPACE = "AscendC::"


def namespace(call: ApiCall) -> str:
    """``AscendC::`` where the source calls the function by its full name."""
    return _NAMESPACE if call.name_span.start - call.site.span.start >= len(_NAMESPACE) else ""


def before(site: Site, title: str, statements: str, *, safe: bool) -> Fix:
    """``statements`` before the statement at ``site``."""
    start = site.span.start
    return Fix(f"AscendC: {title}", (TextEdit(site.path, Span(start, start), f"{statements}\n"),), safe)


def behind(site: Site, title: str, statements: str, *, safe: bool) -> Fix:
    """``statements``, without the last semicolon, behind the statement that ends with ``site``."""
    end = site.span.end
    return Fix(f"AscendC: {title}", (TextEdit(site.path, Span(end, end), f";\n{statements}"),), safe)


def together(left: Event, right: Event) -> bool:
    """True when both stand in one function, inside of the same loops and branches."""
    return left.path == right.path and left.calls == right.calls


def last_use(instance: Instance, handle: int, made: Event) -> ApiCall | None:
    """The last call that has the tensor ``handle`` as an argument or receiver, if it stands next to ``made``."""
    uses = [
        call
        for call in instance.of(ApiCall)
        if any(argument.tensor is not None and argument.tensor.handle == handle for argument in call.args)
        or (call.receiver is not None and call.receiver.handle == handle)
    ]
    return uses[-1] if uses and together(uses[-1], made) else None
