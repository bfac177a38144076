"""FlashAttentionScoreWithLargeHeadDim: softmax(q k^T * scale) v of one head; keys must be more than 1024."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ascendopt.harness.workload import Case, Workload
from ascendopt.harness.workloads.build import tensor

_LANES = 8  # maximum and sum of a row fill a 32 B block


def _case(name: str, queries: int, keys: int, depth: int, *, timed: bool = False) -> Case:
    return Case(
        name=name,
        inputs=(
            tensor("query", "float16", (1, queries, depth), "uniform(1, 2)"),
            tensor("key", "float16", (1, keys, depth), "uniform(1, 2)"),
            tensor("value", "float16", (1, keys, depth), "uniform(1, 2)"),
        ),
        outputs=(
            tensor("softmax_max", "float32", (1, 1, queries, _LANES)),
            tensor("softmax_sum", "float32", (1, 1, queries, _LANES)),
            tensor("attention_out", "float16", (1, queries, depth)),
        ),
        attrs={"scale_value": 0.0625, "head_num": 1},
        correctness_only=not timed,
    )


WORKLOAD = Workload(cases=(_case("short", 256, 1152, 576), _case("even", 1280, 1280, 576, timed=True)))


def reference(inputs: Sequence[NDArray[Any]], attrs: Mapping[str, Any]) -> list[NDArray[Any]]:
    """The attention in single precision, and the maximum and the sum of each row."""
    query, key, value = (np.asarray(array[0], np.float32) for array in inputs)
    scores: NDArray[Any] = query @ np.transpose(key) * np.float32(attrs["scale_value"])
    largest: NDArray[Any] = np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - largest)
    total: NDArray[Any] = np.sum(weights, axis=-1, keepdims=True)
    out: NDArray[Any] = (weights / total) @ value
    shape = (1, 1, len(query), _LANES)
    return [
        np.broadcast_to(largest, shape).astype(np.float32),
        np.broadcast_to(total, shape).astype(np.float32),
        out[None].astype(np.float16),
    ]
