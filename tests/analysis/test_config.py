"""Configuration files: the nearest key wins; what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendopt.analysis.config import Config, ConfigError, load_config


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_nearest_file_that_has_a_key_decides_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(
        tmp_path / "pyproject.toml", '[tool.ascendopt]\nsoc = "Ascend310P3"\n[tool.ascendopt.check]\nignore = ["PRF"]\n'
    )
    write(tmp_path / "ops" / "ascendopt.toml", '[check]\nselect = ["MEM", "ALN"]\n')
    kernel = write(tmp_path / "ops" / "add" / "op_kernel" / "add.cpp", "")
    write(tmp_path / "ops" / "add" / "ascendopt.toml", 'soc = "Ascend910B4"\n')
    assert load_config(kernel) == Config("Ascend910B4", ("MEM", "ALN"), ("PRF",))


def test_files_above_the_repository_do_not_count(tmp_path: Path) -> None:
    write(tmp_path / "ascendopt.toml", 'soc = "Ascend310P3"\n')
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    assert load_config(tmp_path / "repository") == Config()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('soc = "x"\nbroken = [', 2, "not valid TOML"),
        ("soc = 3\n", 1, "soc must be the name of a chip"),
        ('\ncheck = "MEM"\n', 2, "check must be a table"),
        ("[check]\nselect = [1]\n", 2, "select must be a list"),
        ('[check]\nselekt = ["MEM"]\n', 2, "unknown key 'selekt'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = write(tmp_path / "ascendopt.toml", text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path)
    assert (caught.value.path, caught.value.line) == (path, line)
    assert reason in str(caught.value)
