"""The embedding: the same everywhere, near for what means the same."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from ascendopt.bank.embedding import DIMENSIONS, Embedder, similarity
from ascendopt.bank.vocabulary import stems


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def test_unit_length_and_dimensions(embedder: Embedder) -> None:
    vector = embedder.embed("copy in waits for the vector unit")
    assert len(vector) == DIMENSIONS
    assert math.hypot(*vector) == pytest.approx(1.0)
    assert not any(embedder.embed("  ... !"))


def test_equal_in_another_process_with_other_hash_seed(embedder: Embedder) -> None:
    code = "from ascendopt.bank.embedding import Embedder; print(Embedder().embed('PIPE_ALL in a loop, 全同步'))"
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert run.stdout.strip() == str(embedder.embed("PIPE_ALL in a loop, 全同步"))


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        ("unified buffer is mostly free", "UB has room left", "Div is slow"),
        ("MTE2 is the bound", "loading from global memory takes longest", "cores get unequal work"),
        ("PIPE_ALL after each call", "a full barrier", "GetValue in a loop"),
        ("ping-pong", "double buffering", "reciprocal"),
        ("set GetValue/SetValue aside", "element by element", "barrier"),
        ("queues with buffer num 1", "queue depth of one", "block dim"),
    ],
)
def test_synonyms_are_near(embedder: Embedder, first: str, second: str, other: str) -> None:
    a, b, c = (embedder.embed(text) for text in (first, second, other))
    assert similarity(a, b) > similarity(a, c) + 0.1


def test_forms_of_a_word_share_a_stem() -> None:
    assert stems("copies copy copying copied")[:2] == ["copy", "copy"]
    assert len(set(stems("tile tiles tiling tiled"))) == 1
    assert len(set(stems("wait waits waiting waited"))) == 1
    assert stems("DataCopyPad") == ["data", "copy", "pad"]
    # Adds is an instruction, no plural of Add.
    assert stems("Adds") != stems("Add")
