"""Small helpers to write cases: one case per dtype and shape, named after both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ascendopt.harness.workload import AttrValue, Case, TensorSpec

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Size:
    """One named shape of a workload. ``checked_only`` sizes are too small or too odd to be worth timing."""

    name: str
    shape: Shape
    checked_only: bool = True


# Elementwise operators: one 32-byte block or less, a tail at every level, many tiles on every core.
ELEMENTWISE = (
    Size("tiny", (7,)),
    Size("aligned", (8, 2048)),
    Size("tail", (1000, 333)),
    Size("large", (4096, 4096), checked_only=False),
)
# The same spread for operators of which the catalogue holds many: a few tiles on every core.
MODERATE = (
    Size("tiny", (7,)),
    Size("aligned", (8, 2048)),
    Size("tail", (37, 333)),
    Size("large", (1024, 1024), checked_only=False),
)

# For operators that copy whole blocks of 1024 elements and so read and write past the end of anything else.
WHOLE_BLOCKS = (
    Size("tiny", (1024,)),
    Size("aligned", (8, 2048)),
    Size("odd", (37, 1024)),
    Size("large", (1024, 1024), checked_only=False),
)


def elementwise(
    inputs: Mapping[str, str],
    outputs: Sequence[str] | Mapping[str, str],
    dtypes: Sequence[str],
    sizes: Sequence[Size] = ELEMENTWISE,
    attrs: Mapping[str, AttrValue] | None = None,
    scalars: Mapping[str, str] | None = None,
) -> tuple[Case, ...]:
    """A case per dtype and size in which every tensor has that dtype and shape.

    ``inputs`` maps a name to its distribution, both in OpDef order; ``scalars`` are one-element inputs after
    them. ``outputs`` are names, or names with a dtype of their own.
    """
    own: Mapping[str, str] = outputs if isinstance(outputs, Mapping) else {}
    return tuple(
        Case(
            name=f"{size.name}/{dtype}",
            inputs=(
                *(tensor(name, dtype, size.shape, how) for name, how in inputs.items()),
                *(tensor(name, dtype, (1,), how) for name, how in (scalars or {}).items()),
            ),
            outputs=tuple(tensor(name, own.get(name, dtype), size.shape) for name in outputs),
            attrs=dict(attrs or {}),
            correctness_only=size.checked_only,
        )
        for dtype in dtypes
        for size in sizes
    )


def tensor(name: str, dtype: str, shape: Shape, distribution: str = "normal") -> TensorSpec:
    """One tensor."""
    return TensorSpec(name, dtype, (shape,), distribution=distribution)


def tensors(name: str, dtype: str, shapes: Sequence[Shape], distribution: str = "normal") -> TensorSpec:
    """One tensor list."""
    return TensorSpec(name, dtype, tuple(shapes), is_list=True, distribution=distribution)


def products(shape: Shape, distributions: Sequence[str]) -> tuple[Case, ...]:
    """Cases of c = a @ b + bias, half into float32, for one ``(m, n, k)``: one a distribution of the values."""
    m, n, k = shape
    return tuple(
        Case(
            name=how,
            inputs=(
                tensor("a", "float16", (m, k), how),
                tensor("b", "float16", (k, n), how),
                tensor("bias", "float32", (n,), how),
            ),
            outputs=(tensor("c", "float32", (m, n)),),
            correctness_only=index > 0,
        )
        for index, how in enumerate(distributions)
    )
