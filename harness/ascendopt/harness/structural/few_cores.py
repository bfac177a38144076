"""``few-cores``: see ``FewCores``."""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.findings import Span, TextEdit
from ascendopt.analysis.patterns import edits, parse
from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.harness.search.domains import SPLIT
from ascendopt.harness.search.tunables import find_numbers
from ascendopt.harness.structural.base import Change, OperatorView, StructuralOperator
from ascendopt.harness.structural.code import Code

SLOW = "$platform.GetCoreNumAic()"
FAST = ("$platform.GetCoreNumAiv()", "$platform.GetCoreNum()")
ONE_CORE = "if ($tile >= $total) {\n    $cores = 1;\n} else {\n    $$spread\n}"
ALL_CORES = "$$spread"
_CUBE_WORDS = ("Mmad", "Matmul", "MatmulImpl", "REGIST_MATMUL_OBJ", "Fixpipe", "LoadData")


class FewCores(StructuralOperator):
    """All vector cores of the chip.

    What it does
        A vector kernel is spread over the vector cores; the cube cores are half as many on chips that keep them apart.
        The least work that is worth another core is halved. Work that fits in one tile is spread all the same.

    Before
        ``uint32_t cores = platform.GetCoreNumAic();``

    After
        ``uint32_t cores = platform.GetCoreNumAiv();``

    When
        The kernel calls nothing of the cube unit. The least work of a core is a constant that is named so.

    Why it is faster
        Every core has its own vector unit and its own share of the way to memory; idle ones do nothing.
    """

    name = "few-cores"
    symptom = SymptomKind.FEW_CORES
    pipe = "scalar"

    def improvements(self, view: OperatorView) -> Iterator[Change]:
        """Aic to Aiv; a smaller least length."""
        if not _is_vector_kernel(view):
            return
        for code in view.host_codes():
            for match in code.find(SLOW):
                for fast in FAST:
                    yield self._change(code, match.span, edits(match, parse(fast)), fast)
            yield from self._small_shapes(code)
        yield from self._least(view, larger=False)

    def _small_shapes(self, code: Code) -> Iterator[Change]:
        """What fits in one tile goes to one core, although the others are free."""
        for match in code.find(ONE_CORE):
            spread, cores = match.bindings["spread"], match.text("cores")
            if cores.isidentifier() and code.writes(cores, spread.span):
                yield Change(
                    self.name,
                    "several cores also for what fits in one tile",
                    edits(match, parse(ALL_CORES)),
                    code.edit(match.span, ""),
                    ONE_CORE,
                    ALL_CORES,
                    {},
                    ("split-by-share",),
                )

    def removals(self, view: OperatorView) -> Iterator[Change]:
        """Aiv to Aic; a larger least length."""
        if not _is_vector_kernel(view):
            return
        for code in view.host_codes():
            for fast in FAST:
                for match in code.find(fast):
                    yield self._change(code, match.span, edits(match, parse(SLOW)), fast)
        yield from self._least(view, larger=True)

    def _change(self, code: Code, span: Span, changes: tuple[TextEdit, ...], fast: str) -> Change:
        return Change(
            self.name,
            "the vector cores instead of the cube cores",
            changes,
            code.edit(span, ""),
            SLOW,
            fast,
            {},
            ("vector-kernel",),
        )

    def _least(self, view: OperatorView, *, larger: bool) -> Iterator[Change]:
        texts = {path: source.data.decode("utf-8", "surrogateescape") for path, source in view.sources.items()}
        for tunable in find_numbers(texts):
            if tunable.role != SPLIT or "MIN" not in tunable.name.upper() or (not larger and tunable.value % 2):
                continue
            value = tunable.value * 2 if larger else tunable.value // 2
            changes = tuple(
                view.code(site.path).edit(Span(site.start, site.end), f"{value}{site.suffix}") for site in tunable.sites
            )
            small, large = min(value, tunable.value), max(value, tunable.value)
            yield Change(
                self.name,
                f"{tunable.name} {small} instead of {large}",
                changes,
                changes[0],
                f"$type {tunable.name} = {large};",
                f"$type {tunable.name} = {small};",
                {"name": tunable.name, "from": str(tunable.value), "to": str(value)},
                ("least-core-length",),
            )


def _is_vector_kernel(view: OperatorView) -> bool:
    return not any(code.has(word) for code in view.kernel_codes() for word in _CUBE_WORDS)
