"""The structural operators there are, by name."""

from __future__ import annotations

from ascendopt.harness.structural.base import StructuralOperator
from ascendopt.harness.structural.buffer_depth import BufferDepth
from ascendopt.harness.structural.even_split import EvenSplit
from ascendopt.harness.structural.few_cores import FewCores
from ascendopt.harness.structural.fused_muls_add import FusedMulsAdd
from ascendopt.harness.structural.hoist import Hoist
from ascendopt.harness.structural.merged_copies import MergedCopies
from ascendopt.harness.structural.narrow_barrier import NarrowBarrier
from ascendopt.harness.structural.reciprocal import Reciprocal
from ascendopt.harness.structural.scalar_loop import ScalarLoop
from ascendopt.harness.structural.scalar_operand import ScalarOperand
from ascendopt.harness.structural.tile_length import TileLength
from ascendopt.harness.structural.ub_copy import UbCopy


def structural_operators() -> tuple[StructuralOperator, ...]:
    """All of them, in the order in which they are tried."""
    return (
        BufferDepth(),
        TileLength(),
        MergedCopies(),
        ScalarLoop(),
        Reciprocal(),
        ScalarOperand(),
        UbCopy(),
        FusedMulsAdd(),
        Hoist(),
        NarrowBarrier(),
        EvenSplit(),
        FewCores(),
    )


def structural_operator(name: str) -> StructuralOperator:
    """The one of this name. Raises KeyError with the known names."""
    operators = {operator.name: operator for operator in structural_operators()}
    if name not in operators:
        raise KeyError(f"no structural operator is called {name}; known are {', '.join(sorted(operators))}")
    return operators[name]
