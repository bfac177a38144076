"""What `check` prints: text with excerpts, JSON, SARIF that the official schema accepts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli.checked_operator import IN_LINE, KERNEL, OUT_LINE, edit, write_operator
from cli.shell import Shell
from jsonschema import Draft4Validator, FormatChecker

SCHEMA = Path(__file__).parent / "sarif" / "sarif-schema-2.1.0.json"
RULE = "ASC-ALN008"


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    return write_operator(tmp_path / "a folder" / "halves")


def sarif(shell: Shell, *arguments: object) -> Any:
    """The log, once the schema has accepted it."""
    shell("check", *arguments, "--format", "sarif")
    log = shell.json()
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    errors = list(Draft4Validator(schema, format_checker=FormatChecker()).iter_errors(log))
    assert not errors, "\n".join(f"{list(error.path)}: {error.message}" for error in errors)
    (run,) = log["runs"]
    return run


def test_the_schema_is_one_that_can_say_no(shell: Shell, operator: Path) -> None:
    run = sarif(shell, operator)
    run["results"][0]["level"] = "perf"
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert list(Draft4Validator(schema).iter_errors({"version": "2.1.0", "runs": [run]}))


def test_text_shows_the_line_with_a_caret(shell: Shell, operator: Path) -> None:
    assert shell("check", operator, "--select", "ALN008") == 1
    lines = shell.out.splitlines()
    column = KERNEL.splitlines()[IN_LINE - 1].index("DataCopy")
    assert lines[0].startswith(f"a folder/halves/op_kernel/halves.cpp:{IN_LINE}:{column + 1}: error {RULE} ")
    assert lines[1] == "   |"
    assert lines[2] == f"{IN_LINE} |{' ' * 9}/* 😀 */ DataCopy(in, xGm, 100);"
    # The emoji takes two cells, so the caret stands one further than the character counts.
    assert lines[3] == "   |" + " " * (column + 2) + "^" * len("DataCopy(in, xGm, 100)")
    assert "2 error" in shell.out


def test_text_shows_the_other_place_and_the_help(shell: Shell, operator: Path) -> None:
    kernel = operator / "op_kernel" / "halves.cpp"
    edit(kernel, "        outQueue.FreeTensor(done);\n", "        outQueue.FreeTensor(done);\n" * 2)
    shell("check", operator, "--select", "QUE")
    blocks = shell.out.split("\n\n")
    block = next(block for block in blocks if f":{OUT_LINE + 2}:" in block.splitlines()[0])
    assert re.search(rf"::: a folder/halves/op_kernel/halves.cpp:{OUT_LINE + 1}:9: ", block)
    assert re.search(r"= help: .+ \(--fix applies it\)", block)


def test_concise_is_a_line_a_finding(shell: Shell, operator: Path) -> None:
    assert shell("check", operator, "--select", "ALN008", "--format", "concise") == 1
    first, second, *summary = shell.out.splitlines()
    assert f"halves.cpp:{IN_LINE}:17: error {RULE} " in first and f"halves.cpp:{OUT_LINE}:9: error {RULE} " in second
    assert summary[0].startswith("2 error, 0 warning")


def test_json_has_the_keys_of_the_contract(shell: Shell, operator: Path) -> None:
    assert shell("check", operator, "--select", "ALN008", "--format", "json") == 1
    data = shell.json()
    assert {"soc", "files", "findings", "summary"} <= data.keys()
    assert data["summary"] == {"error": 2, "warning": 0, "perf": 0, "info": 0}
    found = data["findings"][0]
    keys = ["rule", "severity", "file", "line", "column", "end_line", "end_column", "message", "facts", "fix"]
    assert set(keys) <= found.keys()
    column = KERNEL.splitlines()[IN_LINE - 1].index("DataCopy") + 1
    assert (found["line"], found["column"]) == (IN_LINE, column)
    assert (found["end_line"], found["end_column"]) == (IN_LINE, column + len("DataCopy(in, xGm, 100)"))


def test_sarif_counts_utf16_code_units(shell: Shell, operator: Path) -> None:
    run = sarif(shell, operator, "--select", "ALN008")
    assert run["columnKind"] == "utf16CodeUnits"
    first = run["results"][0]["locations"][0]["physicalLocation"]
    before = KERNEL.splitlines()[IN_LINE - 1].partition("DataCopy")[0]
    assert first["region"]["startColumn"] == len(before.encode("utf-16-le")) // 2 + 1
    assert first["region"]["startColumn"] == len(before) + 2
    assert first["artifactLocation"] == {"uri": "a%20folder/halves/op_kernel/halves.cpp", "uriBaseId": "SRCROOT"}


def test_sarif_rules_have_help_and_an_address(shell: Shell, operator: Path, tmp_path: Path) -> None:
    (rule,) = sarif(shell, operator, "--select", "ALN008")["tool"]["driver"]["rules"]
    assert rule["id"] == RULE and "## Instead" in rule["help"]["markdown"]
    assert rule["helpUri"].startswith("file:///") and rule["helpUri"].endswith(f"{RULE}.md")
    (tmp_path / "ascendopt.toml").write_text('[check]\nrules_url = "https://example.org/rules/"\n')
    (rule,) = sarif(shell, operator, "--select", "ALN008")["tool"]["driver"]["rules"]
    assert rule["helpUri"] == "https://example.org/rules/aln008.md"


def test_sarif_fixes_give_the_text_that_fix_writes(shell: Shell, operator: Path) -> None:
    kernel = operator / "op_kernel" / "halves.cpp"
    edit(kernel, "        outQueue.FreeTensor(done);\n", "        outQueue.FreeTensor(done);\n" * 2)
    result = next(one for one in sarif(shell, operator, "--select", "QUE")["results"] if "fixes" in one)
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    lines = kernel.read_text(encoding="utf-8").splitlines(keepends=True)
    head = "".join(lines[: region["startLine"] - 1]) + lines[region["startLine"] - 1][: region["startColumn"] - 1]
    tail = lines[region["endLine"] - 1][region["endColumn"] - 1 :] + "".join(lines[region["endLine"] :])
    inserted = replacement.get("insertedContent", {}).get("text", "")
    shell("check", operator, "--select", "QUE", "--fix")
    assert kernel.read_text(encoding="utf-8") == head + inserted + tail
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] and related["physicalLocation"]["region"]["startLine"] == OUT_LINE + 1


def test_what_comments_silence_is_in_json_and_sarif_with_its_reason(shell: Shell, operator: Path) -> None:
    kernel = operator / "op_kernel" / "halves.cpp"
    edit(kernel, "done, 100);", f"done, 100);  // ascendopt: ignore[{RULE}] the tail is scratch")
    assert shell("check", operator, "--select", "ALN008,SUP", "--format", "json") == 1
    data = shell.json()
    assert [one["reason"] for one in data["suppressed"]] == ["the tail is scratch"]
    assert [one["line"] for one in data["findings"]] == [IN_LINE]
    results = sarif(shell, operator, "--select", "ALN008,SUP")["results"]
    told = [(one["locations"][0]["physicalLocation"]["region"]["startLine"], one["suppressions"]) for one in results]
    silenced = {"kind": "inSource", "status": "accepted", "justification": "the tail is scratch"}
    assert told == [(IN_LINE, []), (OUT_LINE, [silenced])]


def test_a_comment_without_a_reason_or_effect_is_info(shell: Shell, operator: Path) -> None:
    kernel = operator / "op_kernel" / "halves.cpp"
    edit(kernel, "done, 100);", f"done, 100);  // ascendopt: ignore[{RULE}]")
    edit(kernel, "got, 128);", f"got, 128);  // ascendopt: ignore[{RULE}] counts are whole")
    assert shell("check", operator, "--select", "ALN008,SUP", "--format", "json") == 1
    found = [(one["rule"], one["line"], one["severity"]) for one in shell.json()["findings"]]
    assert found == [(RULE, IN_LINE, "error"), ("ASC-SUP002", 18, "info"), ("ASC-SUP001", OUT_LINE, "info")]
    # A comment about a rule that was not asked for may well silence something.
    shell("check", operator, "--select", "QUE,SUP", "--format", "json")
    assert [one["rule"] for one in shell.json()["findings"] if one["rule"].startswith("ASC-SUP")] == ["ASC-SUP001"]


@pytest.mark.parametrize(
    ("file", "text", "line", "words"),
    [
        ("ascendopt.toml", 'soc = "Ascend910B2"\n[check]\nselect = ["MEMM"]\n', 3, "no rule matches 'MEMM'"),
        ("ascendopt.toml", 'soc = "Ascend999"\n', 1, "unknown chip"),
        ("ascendopt.toml", 'sock = "Ascend910B2"\n', 1, "did you mean soc?"),
        ("ascendopt.toml", "[check]\nignore = 3\n", 2, "must be a list"),
        ("ascendopt.toml", '[check]\nrules_url = "docs/rules"\n', 2, "must be an address"),
        ("ascendopt.toml", "soc = [\n", 1, "not valid TOML"),
        ("pyproject.toml", '[project]\nname = "x"\n\n[tool.ascendopt]\nworkload = 1\n', 5, "unknown key 'workload'"),
        ("pyproject.toml", '[tool.ascendopt.check]\nselekt = ["MEM"]\n', 2, "unknown key 'selekt'"),
    ],
)
def test_a_bad_configuration_is_one_sentence(
    shell: Shell, operator: Path, file: str, text: str, line: int, words: str
) -> None:
    (operator / file).write_text(text)
    assert shell("check", operator) == 2
    assert shell.out == ""
    (said,) = shell.err.splitlines()
    assert said.startswith(f"ascendopt: {operator / file}:{line}: ") and words in said


def test_a_configuration_of_the_project_counts(shell: Shell, operator: Path) -> None:
    (operator / "pyproject.toml").write_text('[tool.ascendopt.check]\nignore = ["ALN008"]\n')
    assert shell("check", operator) == 0
    assert RULE not in shell.out
