"""Names of the library that the structural operators tell apart."""

from __future__ import annotations

VECTOR_CALLS = frozenset(
    """Abs Add AddRelu Adds And Ands Axpy BlockReduceMax BlockReduceMin BlockReduceSum Brcb BroadCast Cast Compare
    Compares CompareScalar Copy Div Duplicate Exp FusedMulAdd FusedMulAddRelu Gather LeakyRelu Ln Max Maxs Min Mins Mul
    MulAddDst Muls Not Or Ors PairReduceSum Reciprocal ReduceMax ReduceMin ReduceSum RepeatReduceSum Relu Rsqrt Select
    ShiftLeft ShiftRight Sqrt Sub SubRelu Tanh Sigmoid Silu Sinh Cosh Log WholeReduceMax WholeReduceMin
    WholeReduceSum""".split()  # noqa: SIM905
)
"""Instructions of the vector pipe (and functions made of nothing else)."""
QUEUE_CALLS = frozenset(("AllocTensor", "FreeTensor", "EnQue", "DeQue"))
SCALAR_FORMS = {"Add": "Adds", "Mul": "Muls", "Max": "Maxs", "Min": "Mins"}
"""Vector operation -> the same with a number as second operand."""
TENSOR_CALLS = ("Get", "AllocTensor", "DeQue")
