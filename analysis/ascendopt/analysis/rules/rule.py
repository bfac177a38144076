"""What a rule is, and what it sees.

A rule is one module: its docstring is its documentation (fixed headings), ``RULE`` its identity, ``check`` the
test. Rules read facts and values; they never look at source text and never hard-code a chip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.chips import Chip
from ascendopt.analysis.facts.declared import Site
from ascendopt.analysis.facts.model import Instance, KernelModel
from ascendopt.analysis.facts.operator_facts import OperatorFacts
from ascendopt.analysis.findings import FactValue, Finding, Fix, Related, Severity
from ascendopt.analysis.values import Value, case_symbols, evaluate

# More further places than that are a list, and no explanation.
MOST_PLACES = 4


@dataclass
class Asked:
    """Whether a rule asked for more than the kernel, the chip and the active case: the host, or the rest of the
    operator."""

    operator: bool = False


@dataclass(frozen=True)
class Context:
    """Everything that a rule may look at."""

    kernel: KernelModel
    chip: Chip
    operator: OperatorFacts | None = None
    case: ActiveCase | None = None
    asked: Asked = field(default_factory=Asked, compare=False)

    @property
    def facts(self) -> OperatorFacts | None:
        """Both sides of the operator; None when only a lone file is analysed."""
        self.asked.operator = True
        return self.operator

    @cached_property
    def _symbols(self) -> dict[str, int]:
        return case_symbols(self.case) if self.case is not None else {}

    def narrowed(self, instance: Instance) -> Context:
        """The same with one run of the kernel alone."""
        return replace(self, kernel=replace(self.kernel, instances=(instance,)), asked=Asked())

    def number(self, value: Value | None) -> int | None:
        """The number of ``value``: known for all cases, from the host too, or for the active case. None when nothing
        decides."""
        known = self.kernel_number(value)
        return known if known is not None or value is None else self.linked(value).constant()

    def kernel_number(self, value: Value | None) -> int | None:
        """As ``number``, but for what only the host says: for rules that put a finding at the host's line."""
        if value is None:
            return None
        known = value.constant()
        return known if known is not None or not self._symbols else evaluate(value, self._symbols)

    def linked(self, value: Value) -> Value:
        """``value`` over what the host computes, where it sets a field once and for all tiling keys."""
        if value.is_constant or not value.is_known:
            return value
        facts = self.facts
        return facts.linked(value) if facts is not None and facts.has_one_key else value

    def case_of(self, *values: Value | None) -> str | None:
        """Name of the active case when one of ``values`` is a number only because of it."""
        if self.case is None:
            return None
        rests = any(value is not None and self.linked(value).constant() is None for value in values)
        return self.case.name if rests else None

    def host_side(self, *values: Value | None) -> tuple[Related, ...]:
        """Where the host sets the tiling fields and launch arguments that ``values`` are made of."""
        tiling = self.facts.tiling if self.facts is not None else None
        if tiling is None:
            return ()
        names = sorted({name for value in values if value is not None for name in value.symbols()})
        found: dict[object, Related] = {}
        for name in names:
            side, _, field = name.partition(".")
            for one in tiling.sets_of(field.partition("[")[0]) if side in ("tiling", "arg") else ():
                text = f"the host sets {one.field} here: {' '.join(one.value_text.split())}"
                found.setdefault((one.site.path, one.site.span), Related(one.site.path, one.site.span, text))
        return tuple(found.values())[:MOST_PLACES]

    def instances(self) -> Iterator[Instance]:
        """The runs of the kernel that the active case allows (all of them without one)."""
        for instance in self.kernel.instances:
            if self.case is None or _allowed(instance, self.case):
                yield instance


def _allowed(instance: Instance, case: ActiveCase) -> bool:
    keys = (instance.key, case.tiling_key)
    return (None in keys or keys[0] == keys[1]) and _columns_agree(instance, case)


def _columns_agree(instance: Instance, case: ActiveCase) -> bool:
    """False when the instance was bound to another dtype column than the case."""
    for macro, dtype in instance.dtypes:
        wanted = case.dtypes.get(macro.removeprefix("DTYPE_").lower())
        if wanted is not None and dtype_name(wanted) != dtype_name(dtype):
            return False
    return True


_DTYPE_NAMES = {
    "half": "float16",
    "float": "float32",
    "bfloat16_t": "bfloat16",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "uint16_t": "uint16",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
}


def dtype_name(name: str) -> str:
    """Canonical dtype name (``float16``) of a C++ or canonical name."""
    return _DTYPE_NAMES.get(name, name)


def more_places(sites: Iterable[Site], message: str = "and here") -> tuple[Related, ...]:
    """The further places of a finding that stands for several: each once, and not too many."""
    places = dict.fromkeys((site.path, site.span) for site in sites)
    return tuple(Related(path, span, message) for path, span in list(places)[:MOST_PLACES])


Check = Callable[[Context], Iterable[Finding]]


def judged_with_comments(_context: Context) -> Iterable[Finding]:
    """The check of a rule about comments: what they silence is known when all others have spoken (``suppression``)."""
    return ()


@dataclass(frozen=True)
class Rule:
    """Identity of a rule. ``name`` is a short slug; ``families`` are the chip families it applies to
    (empty: all). ``by_instance`` is False for a rule that reads more than the kernel's instances, the chip, the
    case and ``facts.tiling``: all others are run for one instance at a time, and not at all for one that they
    had nothing to say about before."""

    code: str
    name: str
    severity: Severity
    check: Check = field(repr=False, compare=False)
    families: frozenset[str] = frozenset()
    by_instance: bool = True

    def finding(
        self,
        site: Site,
        message: str,
        *,
        facts: dict[str, FactValue] | None = None,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
        case: str | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this rule at ``site``."""
        return Finding(
            rule=self.code,
            severity=severity or self.severity,
            path=site.path,
            span=site.span,
            message=message if case is None else f"{message} (in case {case!r})",
            facts=facts or {},
            related=related,
            fix=fix,
            case=case,
        )
