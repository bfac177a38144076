"""Whether a change asks for more UB than there is, as far as the facts know."""

from __future__ import annotations

from pathlib import Path

from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import analyse_operator, macros_of
from ascendopt.analysis.findings import TextEdit
from ascendopt.analysis.source.source_file import SourceFile
from ascendopt.analysis.summary.host_numbers import ub_bytes as instance_bytes
from ascendopt.harness.structural.base import OperatorView
from ascendopt.harness.structural.edited import edited_texts

MAX_EVENTS = 400
"""Beyond it the edited operator is not analysed again: that would take longer than to ask the device."""


def ub_bytes(view: OperatorView) -> int | None:
    """The most that an instance allocates in UB; None when the facts do not give a number for all of them."""
    return _most(view)


def overflows_ub(view: OperatorView, edits: tuple[TextEdit, ...]) -> bool:
    """True when the facts of the edited operator say that its buffers do not fit; False when they do not say."""
    limit = load_chip(view.soc).usable_ub_bytes
    events = sum(1 for instance in view.facts.kernel.instances for _ in instance.events())
    if limit is None or events > MAX_EVENTS or ub_bytes(view) is None:
        return False
    macros = macros_of(view.soc)
    overlays: dict[Path, SourceFile] = {source.path: source for source in view.sources.values()}
    for path, text in edited_texts(view, edits).items():
        source = SourceFile.of(view.sources[path].path, text.encode("utf-8", "surrogateescape"), macros)
        overlays[source.path] = source
    facts = analyse_operator(view.facts.operator, view.soc, None, overlays)
    used = _most(OperatorView(view.root, view.soc, view.sources, facts))
    return used is not None and used > limit


def _most(view: OperatorView) -> int | None:
    chip = load_chip(view.soc)
    sizes = [instance_bytes(view.facts, chip, instance) for instance in view.facts.kernel.instances]
    known = [size for size in sizes if size is not None]
    return max(known) if known and len(known) == len(sizes) else None
