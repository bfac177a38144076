"""A transpose of planes works on whole blocks.

## What it says
A ``Transpose`` between NCHW and NHWC has planes whose bytes are no multiple of 32, or sizes beyond its fields.

## Why
The planes are moved in blocks of 32 bytes, and height times width ends at 4095, channels at 4095, images at 65535.

## Example
```cpp
TransposeParamsExt{1, 16, 3, 5, TransposeType::TRANSPOSE_NCHW2NHWC};  // 15 elements a plane
```

## Instead
Pad the planes.

## Source
asc-devkit: Transpose, constraints.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendopt.analysis.facts.events import ApiCall
from ascendopt.analysis.findings import Finding, Severity
from ascendopt.analysis.rules.rule import Context, Rule

BLOCK = 32
MOST = 4095
MOST_IMAGES = 65535


def check(context: Context) -> Iterator[Finding]:
    for instance in context.instances():
        for call in instance.of(ApiCall):
            params = next((argument for argument in call.args if argument.struct == "TransposeParamsExt"), None)
            tensor = call.args[0].tensor if call.name == "Transpose" and call.args else None
            if params is None or tensor is None:
                continue
            n, c, h, w = (context.number(params.field(name)) for name in ("nSize", "cSize", "hSize", "wSize"))
            each = tensor.element_bytes.constant()
            why = _wrong(n, c, h, w, each)
            if why is not None:
                yield RULE.finding(call.site, f"Transpose of planes: {why}", facts={"api": call.name})


def _wrong(n: int | None, c: int | None, h: int | None, w: int | None, each: int | None) -> str | None:
    if h is not None and w is not None and h * w > MOST:
        return f"height {h} x width {w} is {h * w}, above {MOST}. Cut the plane into several calls"
    if h is not None and w is not None and each and h * w * each % BLOCK:
        whole = -(-h * w * each // BLOCK) * BLOCK // each
        return (
            f"{h} x {w} x {each} = {h * w * each} bytes are no multiple of {BLOCK}. Pad each plane to {whole} elements"
        )
    if c is not None and c > MOST:
        return f"{c} channels are above {MOST}. Cut the channels into several calls"
    if n is not None and n > MOST_IMAGES:
        return f"{n} images are above {MOST_IMAGES}. Cut the images into several calls"
    return None


RULE = Rule("ASC-ALN018", "transpose-sizes", Severity.ERROR, check)
