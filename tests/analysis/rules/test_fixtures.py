"""Every fixture gives exactly the findings that its comments say."""

from __future__ import annotations

from pathlib import Path

import pytest
from analysis.rules.fixture import read_fixture

from ascendopt.analysis.checking import check_facts
from ascendopt.analysis.chips import load_chip
from ascendopt.analysis.facts import analyse_operator
from ascendopt.analysis.findings import Finding
from ascendopt.analysis.operators import discover
from ascendopt.analysis.rules.pages import HEADINGS, page
from ascendopt.analysis.rules.registry import codes
from ascendopt.analysis.selection import Selection
from ascendopt.analysis.suppression import judge

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.cpp"))


def check(path: Path, soc: str, rules: str) -> list[Finding]:
    operator = discover(path)
    chosen = Selection.of(rules.split(",") if rules else ())
    found = check_facts(analyse_operator(operator, soc), load_chip(soc), None, chosen)
    texts = {file: file.read_bytes() for file in (*operator.kernel_files, *operator.host_files)}
    return judge(found, texts, dict.fromkeys(texts, chosen.on(load_chip(soc)))).kept


def place(finding: Finding, root: Path) -> tuple[str, int, int]:
    data = finding.path.read_bytes()
    start = data.rfind(b"\n", 0, finding.span.start) + 1
    base = root if root.is_dir() else root.parent
    line = data.count(b"\n", 0, finding.span.start) + 1
    return finding.path.relative_to(base).as_posix(), line, finding.span.start - start + 1


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_findings_are_exactly_those_marked(path: Path, tmp_path: Path) -> None:
    fixture = read_fixture(path)
    root = fixture.write(tmp_path.resolve())
    rules = fixture.options.get("rules", path.stem.split("_")[0].upper())
    findings = check(root, fixture.options.get("soc", "Ascend910B2"), rules)
    found = {(finding.rule, *place(finding, root)): finding.message for finding in findings}
    wanted = {(one.rule, one.file, one.line, one.column): one.text for one in fixture.expected}
    assert sorted(found) == sorted(wanted), "\n".join(f"{key}: {message}" for key, message in found.items())
    for key, text in wanted.items():
        assert text in found[key]


@pytest.mark.parametrize("code", codes())
def test_every_rule_has_a_page_and_fixtures_both_ways(code: str) -> None:
    text = page(code)
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == list(HEADINGS)
    stem = code.removeprefix("ASC-").lower()
    names = {path.stem for path in FIXTURES}
    assert any(name.startswith(stem) and not name.endswith("_clean") for name in names), "no failing fixture"
    assert f"{stem}_clean" in names, "no clean fixture"
