"""Gated activations that take integers and give integers."""

from __future__ import annotations

from collections.abc import Mapping

from ascendopt.harness.workload import Case, TensorSpec, Workload
from ascendopt.harness.workloads.build import tensor


def _dequant_swiglu(name: str, rows: int, columns: int, groups: int, dtypes: tuple[str, str], only: bool) -> Case:
    """``groups`` of consecutive rows share scales; ``columns`` are those of y. ``dtypes``: scale and group index."""
    scale, index = dtypes
    return Case(
        f"{name}/{scale}-{index}",
        (
            tensor("x", "int32", (rows, 2 * columns), "integers(-1000, 1000)"),
            tensor("weight_scale", "float32", (groups, 2 * columns), "uniform(0.001, 0.002)"),
            tensor("activation_scale", "float32", (rows,), "uniform(0.5, 1)"),
            TensorSpec("bias", "float32", ()),
            tensor("quant_scale", scale, (groups, columns), "uniform(0.5, 1.5)"),
            TensorSpec("quant_offset", "float32", ()),
            tensor("group_index", index, (groups,), f"constant({rows // groups})"),
        ),
        (tensor("y", "int8", (rows, columns)), tensor("scale", "float32", (rows,))),
        {"activate_left": True, "quant_mode": "dynamic"},
        correctness_only=only,
    )


WORKLOADS: Mapping[str, Workload] = {
    # The tiling function takes nothing but int32 with groups, or with a scale of float16. Without a reference: what
    # is rounded where is not documented.
    "DequantSwigluQuant": Workload(
        tuple(
            _dequant_swiglu(name, rows, columns, groups, dtypes, only)
            for dtypes in (("float32", "int32"), ("float16", "int64"))
            for name, rows, columns, groups, only in (
                # Fewer rows at a time leave no room for the eight that are spread at once.
                ("small", 16, 64, 1, True),
                ("groups", 96, 256, 4, True),
                ("large", 1024, 1024, 8, False),
            )
        ),
        function="",
    ),
}
