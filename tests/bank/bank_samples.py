"""A bank of invented motifs, one or two of every kind, and how its users would ask for them."""

from __future__ import annotations

from ascendopt.analysis.symptoms.model import SymptomKind
from ascendopt.bank.identity import motif_id
from ascendopt.bank.motif import Conditions, Evidence, Motif, Provenance, Rewrite

Kind = SymptomKind


def evidence(before: float, after: float, *, modelled: bool = True, held: int = 1, failed: int = 0) -> Evidence:
    ratio = before / after
    interval = (ratio * 0.95, ratio * 1.05)
    device = "model" if modelled else "cann"
    return Evidence(device, modelled, "Ascend910B2", ("large",), before, after, interval, held, failed)


def sample(
    kind: Kind,
    title: str,
    before: str,
    after: str,
    *,
    description: str = "",
    pipe: str = "vector",
    conditions: Conditions | None = None,
    gain: float = 1.2,
    operator: str = "",
    tests: tuple[Evidence, ...] | None = None,
) -> Motif:
    rewrite = Rewrite(operator=operator, before=before, after=after, diff=f"-{before}\n+{after}\n")
    return Motif(
        id=motif_id(kind, rewrite),
        title=title,
        description=description,
        symptom=kind,
        pipe=pipe,
        conditions=conditions or Conditions(),
        rewrite=rewrite,
        evidence=(evidence(100 * gain, 100.0),) if tests is None else tests,
        provenance=Provenance("samples/toy", "op_kernel/toy.cpp", "Apache-2.0", "2026-11-29", "0.1.0"),
    )


def varied() -> list[Motif]:
    """Fourteen motifs over all eleven kinds."""
    return [
        sample(
            Kind.SINGLE_BUFFER,
            "Give the input queue a second buffer",
            "pipe.InitBuffer($q, 1, $n)",
            "pipe.InitBuffer($q, 2, $n)",
            operator="buffer-depth",
        ),
        sample(
            Kind.SINGLE_BUFFER,
            "Output queue deep enough for stores to run beside the computation",
            "TQue<QuePosition::VECOUT, 1> $q",
            "TQue<QuePosition::VECOUT, 2> $q",
            pipe="mte3",
            gain=1.1,
        ),
        sample(
            Kind.SMALL_TILE,
            "Fill the unified buffer with one tile",
            "tileLength = 256",
            "tileLength = ubSize / 4",
            gain=2.5,
            operator="tile-length",
        ),
        sample(
            Kind.SMALL_TILE,
            "Tile of the softmax rows enlarged",
            "rowsPerTile = 1",
            "rowsPerTile = 8",
            gain=1.6,
        ),
        sample(
            Kind.SMALL_BURST,
            "Rows moved by one strided DataCopy",
            "for ($i) { DataCopy($d[$i * $w], $s[$i * $w], $w); }",
            "DataCopy($d, $s, $params)",
            pipe="mte2",
            gain=1.9,
        ),
        sample(
            Kind.SCALAR_LOOP,
            "Element loop becomes Adds",
            "for ($i) { $y.SetValue($i, $x.GetValue($i) + $c); }",
            "Adds($y, $x, $c, $n)",
            pipe="scalar",
            gain=8.0,
        ),
        sample(Kind.SLOW_VECTOR_OP, "Division becomes Muls", "Div($y, $x, $c, $n)", "Muls($y, $x, 1 / $v, $n)"),
        sample(
            Kind.EXTRA_FILL,
            "Max with a filled tensor becomes Maxs",
            "Duplicate($t, $v, $n); Max($y, $x, $t, $n);",
            "Maxs($y, $x, $v, $n);",
        ),
        sample(
            Kind.WIDE_BARRIER,
            "PIPE_ALL between vector calls becomes PIPE_V",
            "PipeBarrier<PIPE_ALL>()",
            "PipeBarrier<PIPE_V>()",
            gain=1.3,
        ),
        sample(
            Kind.LOOP_INVARIANT,
            "Duplicate of a constant moved before the tile loop",
            "for ($i) { Duplicate($t, $v, $n); $body; }",
            "Duplicate($t, $v, $n); for ($i) { $body; }",
        ),
        sample(
            Kind.LOOP_INVARIANT,
            "The scale is loaded once, not for every row",
            "for ($i) { DataCopy($g, $gamma, $n); $body; }",
            "DataCopy($g, $gamma, $n); for ($i) { $body; }",
            pipe="mte2",
            gain=1.4,
        ),
        sample(
            Kind.EXTRA_COPY,
            "Result computed where it is sent from",
            "Adds($t, $x, 0, $n); Exp($y, $t, $n);",
            "Exp($y, $x, $n);",
        ),
        sample(
            Kind.UNEVEN_SPLIT,
            "Blocks of 32 bytes spread over all cores",
            "last = total - per * (cores - 1)",
            "per = blocks / cores + (id < blocks % cores)",
            pipe="mte2",
            gain=1.7,
        ),
        sample(
            Kind.FEW_CORES,
            "Block dimension taken from the platform",
            "context->SetBlockDim(8)",
            "context->SetBlockDim(platform.GetCoreNumAiv())",
            gain=5.0,
        ),
    ]


PHRASINGS = {
    "vector pipe idle while MTE2 waits, single buffer": Kind.SINGLE_BUFFER,
    "no ping-pong: loading and computing never happen concurrently": Kind.SINGLE_BUFFER,
    "hundreds of iterations over tiny chunks although local memory is almost empty": Kind.SMALL_TILE,
    "lots of short DMA transfers, a couple of bytes each, bandwidth is bad": Kind.SMALL_BURST,
    "values are read and written individually with GetValue/SetValue, scalar unit saturated": Kind.SCALAR_LOOP,
    "costly quotient by a fixed number, want to use the reciprocal": Kind.SLOW_VECTOR_OP,
    "a whole tensor is memset with one number just so that a binary op can use it": Kind.EXTRA_FILL,
    "every pipe stalls at a full synchronisation after each instruction": Kind.WIDE_BARRIER,
    "same thing recomputed on every pass, could be hoisted": Kind.LOOP_INVARIANT,
    "needless intermediate staging from one local tensor to another": Kind.EXTRA_COPY,
    "load imbalance, the tail core finishes long after the others": Kind.UNEVEN_SPLIT,
    "only one AI core is busy, most of the chip is unused": Kind.FEW_CORES,
}

# Written after the vocabulary, without looking at it.
MORE_PHRASINGS = {
    "my kernel has queue length 1 so loads don't overlap with compute": Kind.SINGLE_BUFFER,
    "MTE2 and vector are busy at different times": Kind.SINGLE_BUFFER,
    "each iteration handles just 64 elements but there are 192 KB available": Kind.SMALL_TILE,
    "DataCopy of 32 bytes per call inside a loop, MTE2 efficiency terrible": Kind.SMALL_BURST,
    "for loop over every element with GetValue": Kind.SCALAR_LOOP,
    "the Div instruction takes too many cycles": Kind.SLOW_VECTOR_OP,
    "Duplicate used before Add to make an operand": Kind.EXTRA_FILL,
    "too many PipeBarrier<PIPE_ALL>()": Kind.WIDE_BARRIER,
    "loading gamma again for every row": Kind.LOOP_INVARIANT,
    "tmp tensor copied to output tensor before CopyOut": Kind.EXTRA_COPY,
    "core 47 processes twice as much as the rest": Kind.UNEVEN_SPLIT,
    "SetBlockDim(1)": Kind.FEW_CORES,
    "scalar pipe bound, vector does nothing": Kind.SCALAR_LOOP,
    "GM reads of one row at a time, each very short": Kind.SMALL_BURST,
    "UB usage is 3 percent": Kind.SMALL_TILE,
    "some cores finish early and wait": Kind.UNEVEN_SPLIT,
}
