"""STFT: a short-time Fourier transform as a product of frames with a matrix that the caller makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import tensor
from ascendopt.harness.workloads.numeric import Array

# name, batch, samples, length of a frame (whole blocks), step
_CASES = (("small", 2, 512, 64, 16), ("tail", 3, 1000, 128, 37), ("large", 8, 8000, 256, 64))


def _case(name: str, batch: int, samples: int, frame: int, step: int) -> Case:
    bins, frames = frame // 2 + 1, samples // step + 1
    return Case(
        f"{name}/float32",
        (
            # The caller has padded the samples by half a frame on both sides.
            tensor("x", "float32", (batch, samples + frame)),
            tensor("plan", "float32", (bins, 2, frame), "uniform(-1, 1)"),
            tensor("window", "float32", (frame,), "uniform(0, 1)"),
        ),
        (tensor("y", "float32", (batch, bins, frames, 2)),),
        {
            "hop_length": step,
            "win_length": frame,
            "normalized": False,
            "onesided": True,
            "return_complex": False,
            "n_fft": frame,
        },
        correctness_only=name != "large",
    )


WORKLOAD = Workload(tuple(_case(*each) for each in _CASES))


def reference(inputs: Sequence[Array], attrs: Mapping[str, Any]) -> list[Array]:
    """Each frame under the window times the rows of the plan, real and imaginary in turn."""
    x, plan, window = (array.astype(np.float64) for array in inputs)
    frames = np.lib.stride_tricks.sliding_window_view(x, attrs["n_fft"], axis=1)[:, :: attrs["hop_length"]]
    return [np.einsum("mck,btk->bmtc", plan * window, frames).astype(np.float32)]
