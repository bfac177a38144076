"""Findings that are kept between runs: given again while nothing changed, made anew when anything did."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.cli import checker as module
from ascendopt.cli.check_cache import CheckCache
from ascendopt.cli.checker import Checker, Report

HEADER = "#pragma once\nconstexpr uint32_t BYTES = 300000;\n"
KERNEL = """
#include "kernel_operator.h"
#include "sizes.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void big(GM_ADDR x) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, BYTES);
}
"""


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    root = tmp_path / "repo" / "math" / "big"
    (root / "op_kernel").mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    (root / "op_kernel" / "big.cpp").write_text(KERNEL)
    (root / "op_kernel" / "sizes.h").write_text(HEADER)
    return root


class Runs:
    """Checks in one cache folder, counting how often an operator is analysed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.analyses = 0
        analyse = module.analyse_operator

        def counted(*arguments: object) -> object:
            self.analyses += 1
            return analyse(*arguments)  # pyright: ignore[reportArgumentType]

        monkeypatch.setattr(module, "analyse_operator", counted)

    def check(self, root: Path, **options: object) -> Report:
        return Checker(cache=CheckCache(self.folder), **options).check([root])  # pyright: ignore[reportArgumentType]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(tmp_path / "cache", monkeypatch)


def test_the_same_findings_without_an_analysis(operator: Path, runs: Runs) -> None:
    first, second = runs.check(operator), runs.check(operator)
    assert runs.analyses == 1
    assert [finding.rule for finding in first.findings if finding.severity == "error"] == ["ASC-MEM001"]
    assert second == first


def test_an_edit_of_an_included_header_counts(operator: Path, runs: Runs) -> None:
    runs.check(operator)
    (operator / "op_kernel" / "sizes.h").write_text(HEADER.replace("300000", "1024"))
    assert not runs.check(operator).has_errors
    assert runs.analyses == 2


def test_a_new_source_of_the_repository_counts(operator: Path, runs: Runs) -> None:
    runs.check(operator)
    (operator.parents[1] / "other.h").write_text("\n")
    runs.check(operator)
    assert runs.analyses == 2


@pytest.mark.parametrize("options", [{"soc": "Ascend310P3"}, {"select": ("QUE",)}, {"ignore": ("MEM001",)}])
def test_another_question_counts(operator: Path, runs: Runs, options: dict[str, object]) -> None:
    runs.check(operator)
    runs.check(operator, **options)
    assert runs.analyses == 2


def test_a_broken_entry_is_not_there(operator: Path, runs: Runs) -> None:
    first = runs.check(operator)
    (entry,) = runs.folder.iterdir()
    entry.write_text('{"files": 3')
    assert runs.check(operator) == first
    assert runs.analyses == 2


def test_without_a_place_to_write_it_checks_all_the_same(operator: Path, runs: Runs) -> None:
    runs.folder.write_text("a file, no folder")
    assert runs.check(operator).has_errors


DEFINITION = """
#include "register/op_def_registry.h"
namespace ops {
class Big : public OpDef {
public:
    explicit Big(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().AddConfig("ascend310p");
    }
};
OP_ADD(Big);
}
"""


def test_an_operator_is_checked_for_a_chip_that_it_is_defined_for(operator: Path, runs: Runs) -> None:
    (operator / "op_host").mkdir()
    (operator / "op_host" / "big.cpp").write_text(DEFINITION)
    first, second, asked = runs.check(operator), runs.check(operator), runs.check(operator, soc="Ascend910B2")
    assert (first.soc, second.soc, asked.soc) == ("Ascend310P3", "Ascend310P3", "Ascend910B2")
    assert runs.analyses == 2
