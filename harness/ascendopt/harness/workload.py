"""The cases that an operator is judged on: shapes, dtypes, attributes, inputs, reference, tolerance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

AttrValue = bool | int | float | str | tuple[int, ...] | tuple[float, ...]


@dataclass(frozen=True)
class TensorSpec:
    """One tensor argument, or one tensor list when ``shapes`` has several entries and ``is_list`` is set.

    ``name`` is the OpDef name; ``dtype`` is a numpy-style name (``float16``, ``bfloat16``, ``int32``). An output
    that is not ``checked`` is one that the operator is documented to leave undefined.
    """

    name: str
    dtype: str
    shapes: tuple[tuple[int, ...], ...]
    is_list: bool = False
    distribution: str = "normal"
    checked: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a tensor that is not a list."""
        return self.shapes[0]


@dataclass(frozen=True)
class Sampled:
    """Which member of a case with ranges a case is: the case's name, its ranges as texts and this member's sizes.

    A range without a name is called like its text.
    """

    case: str
    ranges: tuple[tuple[str, str], ...]
    sizes: tuple[tuple[str, int], ...]

    @property
    def label(self) -> str:
        """``n=17,d=64``; the size alone for a range without a name."""
        return ",".join(f"{name}={size}" if name.isidentifier() else str(size) for name, size in self.sizes)

    @property
    def described(self) -> str:
        """``n = 1..4096, d = 64..512 step 64``."""
        return ", ".join(f"{name} = {text}" if name.isidentifier() else text for name, text in self.ranges)


@dataclass(frozen=True)
class Case:
    """One point of a workload: inputs and outputs in OpDef order. An absent optional input has no shape.

    ``weight`` is its part in the geometric mean over cases. A member of a case with ranges is ``sampled``.
    """

    name: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    attrs: Mapping[str, AttrValue] = field(default_factory=dict[str, AttrValue])
    weight: float = 1.0
    correctness_only: bool = False
    sampled: Sampled | None = None


@dataclass(frozen=True)
class Workload:
    """The cases of one operator and the file that holds its numpy reference.

    ``reference`` is a Python file that defines ``function(inputs, attrs) -> list of arrays``; it runs in a
    process of its own. None means: compare against the original operator on the same device.
    ``source`` is the file that the workload came from, or None when it was inferred. ``soc`` is a chip that the
    operator needs, where it does not run on every one that it names.
    """

    cases: tuple[Case, ...]
    reference: Path | None = None
    source: Path | None = None
    function: str = "reference"
    soc: str | None = None
