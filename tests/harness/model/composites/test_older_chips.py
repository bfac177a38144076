"""What chips before A2 have: region proposals (eight elements, sorted by the fifth), and the way between L0C and UB."""

from __future__ import annotations

import numpy as np
import pytest
from harness.model.composites.conftest import Runner

KERNELS = "older_chips.cpp"
pytestmark = pytest.mark.timeout(600)


def test_scores_are_merged_in_sorted_and_taken_out(runner: Runner) -> None:
    scores = np.random.default_rng(1).integers(-9, 9, 32).astype(np.float16)
    labels = np.arange(32).astype(np.float16)
    ran = runner("sorted", [scores, labels], [np.zeros((32, 8), np.float16), np.zeros(32, np.float16)])
    order = np.concatenate([half + np.argsort(-scores[half : half + 16], kind="stable") for half in (0, 16)])
    wanted = np.zeros((32, 8), np.float16)
    wanted[:, 4], wanted[:, 5] = scores[order], labels[order]
    np.testing.assert_array_equal(ran.outputs[0], wanted)
    np.testing.assert_array_equal(ran.outputs[1], labels[order])


def lists() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Four lists of eight proposals, each sorted; the labels number all of them."""
    out = np.zeros((4, 8, 8), np.float32)
    out[:, :, 4] = -np.sort(-np.random.default_rng(2).integers(0, 9, (4, 8)))
    out[:, :, 5] = np.arange(32).reshape(4, 8)
    return out


@pytest.mark.parametrize(("lengths", "valid"), [((8, 8, 8, 8), 15), ((5, 8, 2, 0), 7), ((8, 3, 0, 0), 3), ((6,), 1)])
def test_lists_are_merged(runner: Runner, lengths: tuple[int, ...], valid: int) -> None:
    x = lists()
    padded = (*lengths, *[0] * (4 - len(lengths)))
    ran = runner("merged", [x], [np.zeros((32, 8), np.float32)], n=(*padded, valid, 0))
    taken = np.concatenate([x[i, :length] for i, length in enumerate(padded)])
    wanted = taken[np.argsort(-taken[:, 4], kind="stable")]
    np.testing.assert_array_equal(ran.outputs[0][: len(wanted)], wanted)
    assert not ran.outputs[0][len(wanted) :].any()


def test_merging_stops_with_the_first_list_that_ends(runner: Runner) -> None:
    x = lists()
    x[0, :, 4] = 100
    ran = runner("merged", [x], [np.zeros((32, 8), np.float32)], n=(2, 8, 8, 8, 15, 1))
    np.testing.assert_array_equal(ran.outputs[0][:2], x[0, :2])
    assert not ran.outputs[0][2:].any()


def test_fractals_go_through_l0c(runner: Runner) -> None:
    x = np.random.default_rng(3).normal(size=512).astype(np.float32)
    ran = runner("through_l0c", [x], [np.zeros(528, np.float32)])
    wanted = np.zeros(528, np.float32)
    wanted[:256], wanted[264:520] = x[:256], x[256:]
    np.testing.assert_array_equal(ran.outputs[0], wanted)
