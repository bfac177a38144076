"""``even-split``: see ``EvenSplit``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendopt.analysis.findings import Span
from ascendopt.analysis.patterns import Match, edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import IDENTIFIER, Code

_CORES = re.compile(r"core|aiv|aic", re.I)
_ROWS = "8"
_BLOCKS = "1024"
_UNITS = "64"


@dataclass(frozen=True)
class SplitForm:
    """A quota rounded to a coarse unit and to a fine one. ``factor`` is what a removal writes for ``$k``."""

    slow: str
    fast: str
    factor: str
    counts_cores: bool = True
    """The quota divides by the number of cores in the expression itself."""


def split_forms() -> tuple[SplitForm, ...]:
    """A quota of whole rows, of aligned elements by function, and of aligned elements spelled out."""
    ways: list[SplitForm] = []
    for head in ("$type $q", "const $type $q", "$q"):
        for part in ("CeilDiv($n, $cores)", "($n + $cores - 1) / $cores"):
            ways.append(SplitForm(f"{head} = ({part} + $k - 1) / $k * $k;", f"{head} = {part};", _ROWS))
        for name in ("AlignUp", "CeilAlign", "RoundUp"):
            ways.append(SplitForm(f"{head} = {name}($n, $unit * $k);", f"{head} = {name}($n, $unit);", _BLOCKS))
    ways.append(
        SplitForm(
            "$q = ($q + $unit * $k - 1) / ($unit * $k) * ($unit * $k);",
            "$q = ($q + $unit - 1) / $unit * $unit;",
            _UNITS,
            counts_cores=False,
        )
    )
    return tuple(ways)


class EvenSplit(StructuralOperator):
    """Cores get the same amount of work, to a block.

    What it does
        The share of a core is rounded up to the smallest unit that is legal (a row, a block of 32 bytes, a cache line)
        and not to a multiple of it.

    Before
        ``rowsPerCore = ((rows + cores - 1) / cores + 8 - 1) / 8 * 8;``

    After
        ``rowsPerCore = (rows + cores - 1) / cores;``

    When
        The host divides the work by the number of cores, and the number of cores in use by the share: the last core
        takes what is left, whatever the share is.

    Why it is faster
        With a coarse unit some cores have nothing to do, or the last one little: the others have more, and they decide.
    """

    name = "even-split"
    symptom = SymptomKind.UNEVEN_SPLIT
    pipe = "scalar"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """The coarse unit to the fine one."""
        for code in view.host_codes():
            for form in split_forms():
                for match in code.find(form.slow):
                    if match.text("k").isdigit() and int(match.text("k")) > 1 and _is_share(code, match, form):
                        yield self._change(code, match, form, form.fast, match.text("k"))

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """The fine unit to a multiple of it."""
        for code in view.host_codes():
            taken: set[Span] = set()
            for form in split_forms():
                for match in code.find(form.fast):
                    if match.span not in taken and _is_share(code, match, form):
                        taken.add(match.span)
                        yield self._change(code, match, form, form.slow, form.factor)

    def _change(self, code: Code, match: Match, form: SplitForm, to: str, factor: str) -> Change:
        return Change(
            self.name,
            f"the share of a core is not rounded to {factor} units",
            edits(match, parse(to), {"k": factor}),
            code.edit(match.span, ""),
            form.slow,
            form.fast,
            {"k": factor},
            ("split-by-share",),
        )


def _is_share(code: Code, match: Match, form: SplitForm) -> bool:
    """True when the variable comes from a division by the cores and divides the work into cores."""
    quota = match.text("q")
    body = code.body_at(match.span.start)
    if not quota.isidentifier() or body is None:
        return False
    if form.counts_cores:
        text = " ".join(binding.text for name, binding in match.bindings.items() if name in ("n", "cores"))
        if "cores" in match.bindings:
            text = match.text("cores")
    else:
        text = " ".join(code.table.text(found.span) for found in code.find(f"$type {quota} = $value;", body))
    if not any(_CORES.search(name) for name in IDENTIFIER.findall(text)):
        return False
    rest = Span(match.span.end, body.end)
    used = [
        *code.find(f"($n + {quota} - 1) / {quota}", rest),
        *code.find(f"CeilDiv($n, {quota})", rest),
    ]
    return bool(used)
