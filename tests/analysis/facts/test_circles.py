"""Facts that are of no use any more go without the cycle collector."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from ascendopt.analysis.facts import (
    ArmStep,
    BranchNode,
    Event,
    FactsCache,
    LoopNode,
    analyse_file,
    macros_of,
    take_apart,
)
from ascendopt.analysis.source import SourceFile

SOC = "Ascend910B2"
KERNEL = b"""#include "kernel_operator.h"
using namespace AscendC;
__global__ __aicore__ void k(GM_ADDR x, uint32_t n) {
    LocalTensor<half> t;
    for (uint32_t i = 0; i < n; ++i) {
        if (i > 3) { Adds(t, t, (half)1, 64); } else { Muls(t, t, (half)2, 64); }
    }
}
"""


@pytest.mark.parametrize("taken_apart", [True, False])
def test_the_nodes_of_facts_are_freed_by_reference_counts_once_they_are_taken_apart(taken_apart: bool) -> None:
    gc.collect()
    gc.disable()
    try:
        before = _alive()
        source = SourceFile.of(Path("k.cpp"), KERNEL, macros_of(SOC))
        model = analyse_file(source, SOC, FactsCache(operators=0))
        assert _alive() > before
        if taken_apart:
            take_apart(model)
        del model, source
        assert (_alive() == before) is taken_apart
    finally:
        gc.enable()


def _alive() -> int:
    return sum(isinstance(one, (LoopNode, BranchNode, ArmStep, Event)) for one in gc.get_objects())
