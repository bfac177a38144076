"""`ascendopt explain` in both languages."""

from __future__ import annotations

import pytest
from cli.shell import Shell

from ascendopt.analysis.rules.registry import codes


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def test_a_page_in_english_and_chinese(shell: Shell) -> None:
    assert shell("explain", "aln008") == 0
    assert shell.out.startswith("# ASC-ALN008: DataCopy moves whole blocks of 32 bytes\n\nSeverity: error\n")
    assert shell("explain", "ALN008", "--lang", "zh") == 0
    assert shell.out.startswith("# ASC-ALN008: DataCopy 只搬运整块 32 字节\n\n级别：错误（error）\n")
    assert "DataCopy(x, xGm, 100);  // half：200 字节，实际搬运 192 字节" in shell.out


def test_the_list_in_chinese(shell: Shell) -> None:
    assert shell("explain", "--all", "--lang", "zh") == 0
    assert len(shell.out.splitlines()) == len(codes())
    assert "ASC-QUE001  error    AllocTensor 与 FreeTensor 成对出现" in shell.out


def test_a_wrong_request(shell: Shell) -> None:
    assert shell("explain", "MEM001", "--lang", "fr") == 2
    assert shell("explain", "XXX001", "--lang", "zh") == 2 and "no rule is called" in shell.err
