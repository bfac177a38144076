"""What each part of a made-up workload was inferred from, for the person who goes on with it."""

from __future__ import annotations

from collections.abc import Sequence

from ascendopt.harness.inference.pattern import Pattern


def basis(patterns: Sequence[Pattern], columns: int, *, asked: bool) -> tuple[str, ...]:
    """One sentence a part. ``asked``: the compiled host code gave definition and output shapes, and judged cases."""
    where = "as the compiled host code registers it" if asked else "as its text shows it"
    counted = "1 combination" if columns == 1 else f"{columns} combinations"
    outputs = "the operator's own shape inference, else like the inputs" if asked else "like the inputs"
    return (
        f"dtypes: {counted} of the definition, {where}",
        f"shapes: {_shapes(patterns)}",
        f"attributes: {_attributes(patterns)}",
        "values: what the example spells out, else floats 0.01 to 10, integers 1 to 10, indices below any dimension",
        f"output shapes: {outputs}",
        "reference: none is known; a changed operator is compared with the original",
    )


def _shapes(patterns: Sequence[Pattern]) -> str:
    read = list(dict.fromkeys(pattern.source for pattern in patterns if pattern.source))
    names = ", ".join(dict.fromkeys(pattern.name for pattern in patterns))
    if not read:
        return f"made up to spread ({names}): no example that can be read was accepted"
    return f"{', '.join(read)} ({names})"


def _attributes(patterns: Sequence[Pattern]) -> str:
    stated = any(pattern.attrs for pattern in patterns)
    return f"{'the same example, else ' if stated else ''}the operator's defaults, and placeholders where it has none"
