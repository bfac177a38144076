"""From paths to findings: discovery, analysis, suppression. What `check` prints is made in `check_text`, `check_json`
and `check_sarif`."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.baseline import Baseline, Entry
from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import Chip, load_chip, soc_for
from ascendopt.analysis.config import load_config
from ascendopt.analysis.facts import FactsCache, analyse_operator, take_apart
from ascendopt.analysis.findings import Finding, Fix, Severity
from ascendopt.analysis.fixing import whole_statements
from ascendopt.analysis.operators import NotAnOperator, Operator, ParsedFiles, discover, find_operators
from ascendopt.analysis.selection import Selection
from ascendopt.analysis.suppression import Suppressed, judge
from ascendopt.cli.check_cache import CheckCache, Known
from ascendopt.cli.errors import user_message
from ascendopt.cli.main import TRACEBACK_FRAMES, UserError
from ascendopt.harness.operator_copy import read_operator


@dataclass(frozen=True)
class Report:
    """What one check found. ``files`` are the sources that were read, each once; ``ran`` says which rules looked at
    each. ``suppressed`` are findings that comments silence, ``known`` those of a baseline, ``gone`` the entries of a
    baseline that do not occur any more, with their number; ``baseline`` is its file. ``failed`` are operators that a
    defect of ours kept from being checked."""

    soc: str
    files: tuple[Path, ...]
    findings: tuple[Finding, ...]
    texts: dict[Path, bytes]
    operators: int
    ran: dict[Path, frozenset[str]] = field(default_factory=dict[Path, "frozenset[str]"])
    suppressed: tuple[Suppressed, ...] = ()
    baseline: Path | None = None
    known: tuple[Finding, ...] = ()
    gone: tuple[tuple[Entry, int], ...] = ()
    failed: tuple[Path, ...] = ()

    @property
    def has_errors(self) -> bool:
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def count(self, severity: Severity) -> int:
        """Findings of one level."""
        return sum(finding.severity is severity for finding in self.findings)

    def against(self, file: Path, baseline: Baseline, roots: Iterable[Path]) -> Report:
        """The same with only what ``baseline``, read from ``file``, does not know; ``roots`` are what was checked."""
        compared = baseline.compare(self.findings, self.texts, self.ran, roots)
        return replace(self, baseline=file, findings=compared.new, known=compared.known, gone=compared.gone)

    def paths_of(self, fixes: Iterable[Fix]) -> set[Path]:
        """Files that ``fixes`` edit."""
        return {edit.path for fix in fixes for edit in fix.edits}


@dataclass(frozen=True)
class _Root:
    """Where an operator is looked for. ``refusal`` is what to say when there is none: empty for what discovery says,
    None to go on without a word."""

    path: Path
    refusal: str | None


@dataclass(frozen=True)
class _Checked:
    """One operator with its findings."""

    chip: str
    ran: frozenset[str]
    files: tuple[Path, ...]
    findings: list[Finding]


class _Shared:
    """What the operators of one run have in common: headers are read once. Facts of an operator are not kept: nobody
    asks for them a second time."""

    def __init__(self) -> None:
        self.parsed = ParsedFiles()
        self.facts = FactsCache(operators=0)


@dataclass(frozen=True)
class Checker:
    """What the command line says: a chip, a choice of rules, and input shapes for the active case (none: symbolic).

    Where it says nothing, the configuration of each operator counts (``analysis.config``).
    """

    soc: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    cache: CheckCache | None = None

    def check(self, paths: Sequence[Path]) -> Report:
        """Raises UserError when a path holds no operator, UnknownChip, UnknownRule and ConfigError."""
        self._settings(Path.cwd())  # a wrong option is wrong whatever the paths hold
        texts: dict[Path, bytes] = {}
        findings: list[Finding] = []
        chips: dict[str, None] = {}
        ran: dict[Path, frozenset[str]] = {}
        operators = 0
        shared = _Shared()
        failed: list[Path] = []
        for root in self._roots(paths):
            try:
                checked = self._checked(root, shared)
            except Exception as error:
                if user_message(error) is not None:
                    raise
                # One operator that can't be digested must not keep the others from being checked.
                traceback.print_exception(error, limit=-TRACEBACK_FRAMES)
                failed.append(root.path)
                continue
            if checked is None:
                continue
            operators += 1
            chips[checked.chip] = None
            for path in checked.files:
                ran[path] = ran.get(path, frozenset()) | checked.ran
                if path not in texts and path.exists():
                    texts[path] = path.read_bytes()
            findings += checked.findings
        judged = judge(_once(findings), texts, ran)
        kept = whole_statements(judged.kept, texts)
        kept.sort(key=lambda one: (str(one.path), one.span, one.rule))
        files = tuple(sorted(texts))
        report = Report(", ".join(chips), files, tuple(kept), texts, operators, ran, tuple(judged.suppressed))
        return replace(report, failed=tuple(failed))

    def _settings(self, root: Path) -> tuple[Chip | None, Selection]:
        """The chip that the options or the configuration name, and the rules."""
        config = load_config(root)
        select = self.select or config.select or ()
        ignore = (*self.ignore, *(config.ignore or ()))
        soc = self.soc or config.soc
        return load_chip(soc) if soc else None, Selection.of(select, ignore)

    def _checked(self, asked: _Root, shared: _Shared) -> _Checked | None:
        """The findings of one operator, from before when nothing changed; None for a folder that is none."""
        named, selection = self._settings(asked.path)
        cache = self.cache if not self.shapes else None
        key = named.name if named is not None else ""
        known = cache.get(asked.path, key, selection.codes) if cache is not None else None
        if known is not None:
            return _Checked(known.chip, selection.on(load_chip(known.chip)), known.files, known.findings)
        operator = self._operator(asked, shared)
        if operator is None:
            return None
        if operator.root != asked.path:
            named, selection = self._settings(operator.root)
        chip = named or load_chip(soc_for(operator.definition.socs if operator.definition is not None else ()))
        files = (*operator.kernel_files, *operator.host_files)
        facts = analyse_operator(operator, chip.name, shared.facts)
        found = [one for case in self._cases(operator, chip) for one in check_facts(facts, chip, case, selection)]
        take_apart(facts.kernel)
        if cache is not None and operator.root == asked.path:
            cache.put(asked.path, key, selection.codes, Known(chip.name, files, found))
        return _Checked(chip.name, selection.on(chip), files, found)

    @staticmethod
    def _operator(asked: _Root, shared: _Shared) -> Operator | None:
        try:
            return discover(asked.path, parsed=shared.parsed)
        except NotAnOperator as error:
            if asked.refusal is None:
                return None
            raise UserError(asked.refusal or str(error)) from None

    @staticmethod
    def _roots(paths: Sequence[Path]) -> Iterator[_Root]:
        for path in paths:
            if not path.exists():
                raise UserError(f"{path}: no such file or folder")
            if path.name == "ascendopt.toml":
                path = path.parent
            roots = list(find_operators(path))
            if path.is_file() or not roots:
                yield _Root(path, "")
                continue
            if len(roots) == 1 and (roots[0] / "op_kernel").is_dir() and (roots[0] / "op_host").is_dir():
                read_operator(roots[0])  # the operator that was asked for must be readable, whole
            alone = f"{path}: no operator that can be analysed" if len(roots) == 1 else None
            yield from (_Root(root, alone) for root in roots)

    def _cases(self, operator: Operator, chip: Chip) -> Iterator[ActiveCase | None]:
        yield None
        if self.shapes:
            from ascendopt.cli.active_cases import cases_for_shapes

            yield from cases_for_shapes(operator, self.shapes, chip.name)


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Shared headers and several cases give the same finding again: the first one, for all cases, stays."""
    seen: set[tuple[str, Path, int]] = set()
    for finding in findings:
        key = (finding.rule, finding.path, finding.span.start)
        if key not in seen:
            seen.add(key)
            yield finding
