"""`ascendopt facts`: the JSON keeps its schema, the samples keep their facts, the numbers are those of a calculation by
hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.checked_operator import KERNEL, write_operator
from cli.shell import Shell
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(path.name for path in (ROOT / "samples").iterdir() if path.is_dir())
SNAPSHOTS = Path(__file__).parent / "facts"
SCHEMA = json.loads((ROOT / "docs" / "facts.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(ROOT)
    return Shell(capsys)


def source_of(sample: str) -> Path:
    single = Path("samples") / sample / f"{sample}.asc"
    return single if single.exists() else single.parent


def facts(shell: Shell, path: Path, *options: str) -> Any:
    assert shell("facts", path, "--json", *options) == 0
    document = shell.json()
    errors = list(Draft202012Validator(SCHEMA).iter_errors(document))
    assert not errors, "\n".join(f"{list(error.path)}: {error.message}" for error in errors)
    return document


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples_keep_their_facts(shell: Shell, sample: str) -> None:
    """A snapshot: `make snapshots` writes it anew after a change that is meant."""
    document = facts(shell, source_of(sample), "--static")
    assert document == json.loads((SNAPSHOTS / f"{sample}.json").read_text(encoding="utf-8"))


def line_of(path: str, text: str) -> int:
    """The 1-based line of the first occurrence of ``text``."""
    return (ROOT / path).read_text(encoding="utf-8").partition(text)[0].count("\n") + 1


def test_flow_of_a_tiling_field(shell: Shell) -> None:
    host, kernel = "samples/scaled_add/op_host/scaled_add.cpp", "samples/scaled_add/op_kernel/scaled_add.cpp"
    fields = {field["name"]: field for field in facts(shell, Path("samples/scaled_add"), "--static")["tiling"]}
    assert list(fields) == ["totalLength", "coreLength", "tileLength", "alpha"]
    tile = fields["tileLength"]
    assert tile["type"] == "uint32_t" and tile["length"] == 1
    (setting,) = tile["set"]
    assert (setting["place"]["file"], setting["place"]["line"]) == (host, line_of(host, "set_tileLength"))
    reads = {(read["file"], read["line"]) for read in tile["read"]}
    assert reads == {(kernel, line_of(kernel, "tilingData.tileLength"))}


def test_closed_forms_and_bounds(shell: Shell) -> None:
    """A queue of halves of tileLength elements, rounded up to 32 bytes: never below 0, always a multiple of 32."""
    runs = facts(shell, Path("samples/scaled_add"), "--static")["runs"]
    half = next(run for run in runs if run["dtypes"].get("DTYPE_X1") == "half")
    buffer = next(one for one in half["buffers"] if one["queue"] == "x1Queue")
    assert buffer["num"]["value"] == 1
    assert "tiling.tileLength" in buffer["length"]["text"] and buffer["length"]["value"] is None
    assert buffer["bytes"]["multiple_of"] == 32 and buffer["bytes"]["low"] == 0
    assert half["ub"]["exact"] is False and half["ub"]["limit"] == 192 * 1024 - 256


@pytest.mark.device
def test_numbers_of_a_case(shell: Shell) -> None:
    """rms_scale, 2048 rows of 4096 halves on 48 cores: 43 rows a core; three queues of 8192 bytes, three buffers of
    floats of 16384 and one block of 32."""
    document = facts(shell, Path("samples/rms_scale"), "--case", "large")
    case = next(one for one in document["cases"] if one["name"] == "large/float16")
    assert (case["tiling"]["columns"], case["tiling"]["rowsPerCore"]) == (4096, 43)
    assert case["block_dim"] == 48
    run = next(one for one in document["runs"] if one["dtypes"]["DTYPE_X"] == "half")
    sizes = {
        one["queue"]: one["bytes"]["by_case"].get("large/float16", one["bytes"]["value"]) for one in run["buffers"]
    }
    assert sizes["xQueue"] == 4096 * 2 and sizes["wideBuffer"] == 4096 * 4 and sizes["sumBuffer"] == 32
    assert run["ub"]["by_case"] == {
        "large/float16": {"bytes": 3 * 8192 + 3 * 16384 + 32, "exact": True, "limit": 196352}
    }
    load = next(one for one in run["copies"] if one["argument"] == "x")
    assert load["bytes"]["by_case"] == {"large/float16": 8192} and load["bursts"]["value"] == 1
    field = next(one for one in document["tiling"] if one["name"] == "rows")
    assert field["by_case"]["large/float16"] == 2048


def test_strided_copies_have_bursts(shell: Shell, tmp_path: Path) -> None:
    """16 rows of 3 blocks of 32 bytes."""
    kernel = write_operator(tmp_path / "op") / "op_kernel" / "halves.cpp"
    kernel.write_text(
        KERNEL.replace("DataCopy(in, xGm, 100);", "DataCopy(in, xGm, DataCopyParams{16, 3, 5, 0});"), encoding="utf-8"
    )
    (run,) = facts(shell, tmp_path / "op", "--static")["runs"]
    load, store = run["copies"]
    assert (load["direction"], load["bursts"]["value"], load["burst_bytes"]["value"]) == ("in", 16, 96)
    assert load["bytes"]["value"] == 16 * 96
    assert (store["direction"], store["local"], store["argument"]) == ("out", "outQueue", "y")
    assert [(queue["name"], queue["positions"], queue["depth"]) for queue in run_queues(shell, tmp_path / "op")] == [
        ("inQueue", ["VECIN"], 1),
        ("outQueue", ["VECOUT"], 1),
    ]


def run_queues(shell: Shell, path: Path) -> Any:
    return facts(shell, path, "--static")["queues"]


def test_text_names_places_and_numbers(shell: Shell) -> None:
    assert shell("facts", "samples/mish", "--static") == 0
    kernel = "samples/mish/op_kernel/mish.cpp"
    assert "TQue<VECIN> xQueue: 2 x " in shell.out and f"{kernel}:{line_of(kernel, 'InitBuffer(xQueue')}" in shell.out
    assert "tiling fields" in shell.out and "tunables" in shell.out and "BUFFER_NUM = 2" in shell.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "nowhere: no such file or folder"),
        (("docs",), "docs"),
        (("samples/mish", "--soc", "Ascend999"), "unknown chip"),
        (("samples/mish", "--static", "--case", "large"), "drop one of them"),
    ],
)
def test_a_wrong_request_is_one_sentence(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    assert shell("facts", *arguments) == 2
    assert shell.out == "" and words in shell.err and len(shell.err.splitlines()) == 1
