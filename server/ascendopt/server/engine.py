"""The seam to the analysis: what it is given, what comes back. Nothing here knows LSP.

A request is an immutable snapshot, so an analysis may run in another thread while the user types on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ascendopt.analysis.active_case import ActiveCase
from ascendopt.analysis.checking import check_facts, check_kernel
from ascendopt.analysis.chips import DEFAULT_SOC, Chip, UnknownChip, load_chip, soc_for
from ascendopt.analysis.config import Config, ConfigError, load_config
from ascendopt.analysis.facts import FactsCache, KernelModel, OperatorFacts, analyse_file, analyse_operator, macros_of
from ascendopt.analysis.findings import Finding
from ascendopt.analysis.fixing import whole_statements
from ascendopt.analysis.operators import NotAnOperator, ParsedFiles, discover
from ascendopt.analysis.quiet import QuietRules
from ascendopt.analysis.rules.registry import UnknownRule
from ascendopt.analysis.rules.rule import Context
from ascendopt.analysis.selection import Selection
from ascendopt.analysis.source.source_file import SourceFile
from ascendopt.analysis.suppression import judge
from ascendopt.server.collector import Collector
from ascendopt.server.config import Settings
from ascendopt.server.rule_pages import RulePages

OPERATOR_FOLDERS = ("op_host", "op_kernel")
MOST_OPERATORS = 2
"""Operators whose facts stay in memory: the one that is edited, and the one that the user was at before."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """What to analyse: the file, the open texts that stand in for the disk's, chip, rules, active case."""

    path: Path
    texts: Mapping[Path, SourceFile]
    soc: str
    settings: Settings
    case: ActiveCase | None


@dataclass(frozen=True)
class Report:
    """What came of it. `facts` is None when the file belongs to no operator and was analysed on its own."""

    path: Path
    chip: Chip
    case: ActiveCase | None
    findings: tuple[Finding, ...]
    kernel: KernelModel
    facts: OperatorFacts | None = None

    @cached_property
    def context(self) -> Context:
        """Facts with the chip and the case in which sizes are numbers."""
        return Context(self.kernel, self.chip, self.facts, self.case)


@dataclass
class Engine:
    """Runs analyses, one at a time. `rule_pages` gives the address of a rule's page."""

    rule_pages: RulePages = field(default_factory=RulePages)
    _facts: FactsCache = field(default_factory=lambda: FactsCache(MOST_OPERATORS))
    _parsed: ParsedFiles = field(default_factory=ParsedFiles)
    _quiet: QuietRules = field(default_factory=QuietRules)
    _collector: Collector = field(default_factory=Collector)
    _targets: dict[Path, Path | None] = field(default_factory=dict[Path, "Path | None"])
    _configs: dict[Path, Config] = field(default_factory=dict[Path, Config])
    _socs: dict[Path, str] = field(default_factory=dict[Path, str])

    def rule_page(self, code: str) -> str | None:
        """Address of a rule's page, None when it can't be written."""
        return self.rule_pages.address(code)

    def operator_folder(self, path: Path) -> Path | None:
        """The folder of the operator that a file belongs to, the file itself for a single-file operator, else None."""
        if path not in self._targets:
            self._targets[path] = _target_of(path)
        return self._targets[path]

    def forget_disk(self) -> None:
        """What was remembered of files and folders may be out of date."""
        self._targets.clear()
        self._configs.clear()
        self._socs.clear()

    def free(self) -> None:
        """Give back the memory of reports that were dropped; takes some tenths of a second."""
        self._collector.free()

    def request(
        self, source: SourceFile, texts: Mapping[Path, SourceFile], settings: Settings, case: ActiveCase | None
    ) -> Request:
        """A request for `source`; the case counts only on the chip that it was made for."""
        soc = self._soc(source.path, settings)
        matching = case if case is not None and case.soc.lower() == soc.lower() else None
        return Request(source.path, dict(texts), soc, settings, matching)

    def macros(self, path: Path, settings: Settings) -> Mapping[str, int | None]:
        """Preprocessor macros of the chip that `path` is analysed for."""
        return macros_of(_chip(self._soc(path, settings)).name)

    def analyse(self, request: Request) -> Report:
        """Findings and facts. A setting that names no chip or rule counts as not given; the log says so."""
        with self._collector.paused():
            return self._report(request)

    def _report(self, request: Request) -> Report:
        chip = _chip(request.soc)
        selection = _selection(request.settings, self._config_of(request.path))
        try:
            texts = {path: _text(source) for path, source in request.texts.items()}
            operator = discover(request.path, texts, self._parsed)
        except NotAnOperator:
            kernel = analyse_file(request.texts[request.path], chip.name, self._facts)
            found = check_kernel(kernel, chip, None, selection, self._quiet)
            return Report(request.path, chip, None, _kept(found, request, {}), kernel)
        facts = analyse_operator(operator, chip.name, self._facts, dict(request.texts))
        found = check_facts(facts, chip, None, selection, self._quiet)
        if request.case is not None:
            found += check_facts(facts, chip, request.case, selection, self._quiet)
        ran = dict.fromkeys((*operator.kernel_files, *operator.host_files), selection.on(chip))
        # A comment in a header of several operators may be meant for another one.
        own = {path: codes for path, codes in ran.items() if path.is_relative_to(operator.root)}
        return Report(request.path, chip, request.case, _kept(found, request, own), facts.kernel, facts)

    def _config_of(self, path: Path) -> Config:
        folder = self.operator_folder(path)
        if folder is None:
            return Config()
        if folder not in self._configs:
            self._configs[folder] = _config(folder)
        return self._configs[folder]

    def _soc(self, path: Path, settings: Settings) -> str:
        return settings.soc or self._config_of(path).soc or self._own_soc(path)

    def _own_soc(self, path: Path) -> str:
        """The chip that the operator of a file is defined for."""
        folder = self.operator_folder(path)
        if folder is None:
            return DEFAULT_SOC
        if folder not in self._socs:
            try:
                definition = discover(folder, {}, self._parsed).definition
            except NotAnOperator:
                definition = None
            self._socs[folder] = soc_for(definition.socs if definition is not None else ())
        return self._socs[folder]


def _kept(found: list[Finding], request: Request, ran: Mapping[Path, frozenset[str]]) -> tuple[Finding, ...]:
    """Without what comments silence, and without saying for the active case what holds for all cases. ``ran`` are the
    rules by file, where a comment that silences nothing is sure to be of no use."""
    once: dict[tuple[str, Path, int], Finding] = {}
    for finding in found:
        once.setdefault((finding.rule, finding.path, finding.span.start), finding)
    texts = {path: source.data for path, source in request.texts.items()}
    kept = judge(once.values(), texts, ran).kept
    return tuple(whole_statements(kept, texts | _edited_on_disk(kept, texts)))


def _edited_on_disk(findings: Iterable[Finding], known: Mapping[Path, bytes]) -> dict[Path, bytes]:
    """The files that fixes change and no editor has open."""
    edited = {edit.path for finding in findings if finding.fix is not None for edit in finding.fix.edits}
    texts: dict[Path, bytes] = {}
    for path in edited - known.keys():
        with suppress(OSError):
            texts[path] = path.read_bytes()
    return texts


def _text(source: SourceFile) -> str:
    return source.data.decode("utf-8", "surrogateescape")


def _target_of(path: Path) -> Path | None:
    for folder in path.parents:
        if folder.name in OPERATOR_FOLDERS:
            return folder.parent
        if any((folder / name).is_dir() for name in OPERATOR_FOLDERS):
            return None
    return path if path.suffix == ".asc" else None


def _config(folder: Path) -> Config:
    """The operator's configuration. A broken file counts as absent here; the command line says what is wrong."""
    try:
        return load_config(folder)
    except ConfigError as error:
        _log.warning("%s", error)
        return Config()


def _chip(name: str) -> Chip:
    try:
        return load_chip(name)
    except UnknownChip as error:
        _log.warning("%s; using %s", error, DEFAULT_SOC)
        return load_chip(DEFAULT_SOC)


def _selection(settings: Settings, config: Config) -> Selection:
    try:
        ignore = (*settings.ignore, *(config.ignore or ()))
        return Selection.of(settings.select or config.select or (), ignore)
    except UnknownRule as error:
        _log.warning("%s; all rules are on", error)
        return Selection.everything()
