"""From a published measurement to runs of our kernels: which operator, which numbers, and how times become the figure.

A point's ``work`` says what the published kernel did (tile, cores, buffers, addresses); the ``work`` attribute of an
operator beside this file takes the same numbers. Nothing here knows a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Work = Mapping[str, Any]

RUN = 64
"""Calls of an instruction in the shorter of two runs; the longer has twice as many, and the difference counts."""


@dataclass(frozen=True)
class Launch:
    """One launch of ``operator`` with the numbers ``work`` on tensors of ``size`` bytes; ``factor`` is its share in
    the figure."""

    operator: str
    work: tuple[int, ...]
    size: int
    factor: float = 1.0


@dataclass(frozen=True)
class Drive:
    """``figure = sum of factor x time``; ``cycles``: in cycles of the chip; ``core``: without launch cost."""

    soc: str
    launches: tuple[Launch, ...]
    cycles: bool = False
    core: bool = False
    notes: tuple[str, ...] = field(default=())


class NotDriven(Exception):
    """The point has no kernel of ours; the message says why."""


UB_BYTES = 192 * 1024
"""Larger sets of buffers are laid out in place: z over x."""


def drive(point: Mapping[str, Any]) -> Drive:
    """How to reproduce ``point``. Raises NotDriven."""
    work = point["work"]
    kind = work.get("kind")
    makers = {
        "vec_stream": _stream,
        "vinstr": _bank,
        "vraw": _raw,
        "vseq": _sequence,
        "mte": _transfer,
        "rowwise": _rowwise,
        "l1_stream": _l1_copies,
        "mmad": _mmad,
        "matmul": _matmul,
    }
    if not point.get("model_ready"):
        raise NotDriven("the source does not give the parameters")
    if kind not in makers:
        raise NotDriven(f"no kernel for {kind}")
    launches = makers[kind](work)
    target = point["target"]
    return Drive(_soc(point["soc"]), tuple(launches), target == "cycles", target in ("aiv_us", "aic_us"))


def _soc(text: str) -> str:
    if "950" in text:
        return "Ascend950"
    return "Ascend910B4" if "910B4" in text else "Ascend910B1"


def _stream(work: Work) -> list[Launch]:
    if work["buffers"] == "load_only":
        return [_copies(work)]
    if work["vec"] and work["vec"][0]["op"] == "Copy":
        rows, columns = work["shape"]
        stride = work["store"][0]["row_bytes"] // 32
        return [Launch("stream", (work["cores"], 3, work["tile"][0], stride, columns, rows), rows * columns * 2)]
    gelu = bool(work["vec"]) and work["vec"][0]["op"] == "GeluChain"
    size = 4 if work["dtype"] == "float" else 2
    rows, columns = work["shape"]
    cores = work["cores"]
    tile = work["load"][0]["row_bytes"] // size
    compute = 0 if work["scalar_elems"] else 2 if gelu else 1
    buffers = 2 if work["buffers"] == "double" else 1
    factor = 1
    if compute == 0:
        # One core works through the tiles one after the other, so the time is proportional to their number.
        factor = 64
        rows //= factor
    per_core = -(-rows * columns // cores // 16) * 16
    # Both operands start in one bank group unless the point says otherwise.
    conflict = bool(work["vec"]) and work["vec"][0].get("conflict") == "rr"
    pitch = -(-tile * size // 512) * 512 if conflict else tile * size
    numbers = (
        cores,
        2 if size == 4 else 1,
        compute,
        len(work["load"]),
        buffers,
        tile,
        pitch,
        per_core,
        rows * columns,
        int(work["l2"] == "bypass_read"),
        int(3 * buffers * pitch > UB_BYTES and len(work["load"]) == 2),
    )
    return [Launch("stream", numbers, rows * columns * size, factor)]


def _copies(work: Work) -> Launch:
    load = work["load"][0]
    rows, columns = work["shape"]
    # Loads alone, each datum once: a part of the rows tells the time of all.
    part = 8 if work["mode"] == "once" and load["row_bytes"] * load["rows"] < 512 else 1
    rows //= part
    cores, mode = work["cores"], work["mode"]
    tile_rows = load["rows"]
    shared = mode in ("same", "offset")
    tiles_down = rows // tile_rows
    core_rows = tile_rows if shared and tiles_down < cores else rows // cores // tile_rows * tile_rows
    numbers = (
        cores,
        0,
        {"same": 1, "offset": 2}.get(mode, 0),
        tile_rows,
        load["row_bytes"],
        load["src_stride_bytes"],
        columns * 2,
        core_rows,
        rows,
        4 if mode in ("repeat4", "split4") else 1,
        4 if mode == "split4" else 1,
        int(work["l2"] == "bypass_read"),
    )
    return Launch("stream", numbers, rows * load["src_stride_bytes"], part)


OPS = {
    "VADD": 1, "VSUB": 2, "VMUL": 3, "VDIV": 4, "VMAX": 5, "VMIN": 6, "VAND": 7, "VOR": 8, "VADDRELU": 9,
    "VSUBRELU": 10, "VMLA": 11, "VMADD": 12, "VMADDRELU": 13, "VCMPV": 14, "VSEL": 15,
    "VABS": 20, "VRELU": 21, "VNOT": 22, "VEXP": 23, "VLN": 24, "VSQRT": 25, "VRSQRT": 26, "VREC": 27, "VADDS": 28,
    "VMULS": 29, "VMAXS": 30, "VMINS": 31, "VSHL": 32, "VSHR": 33, "VLRELU": 34, "VAXPY": 35, "VCMPVS": 36,
    "VCADD": 40, "VCMAX": 41, "VCMIN": 42, "VCGADD": 43, "VCGMAX": 44, "VCGMIN": 45, "VCPADD": 46,
    "VECTORDUP": 50, "VCOPY": 51, "VBRCB": 52, "VGATHER": 53, "VGATHERB": 54, "VREDUCEV2": 55,
}  # fmt: skip
TYPES = {"FP16": 0, "FP32": 1, "INT16": 2, "INT32": 3, "UINT16": 4, "UINT32": 5}
CASTS = {
    "FP16_FP32": 10, "FP32_FP16": 11, "FP32_BF16": 12, "INT32_FP32": 13, "BF16_FP32": 14, "FP16_INT16": 15,
    "FP16_INT32": 16, "FP16_INT8": 17, "FP16_UINT8": 18, "FP32_INT32": 19, "FP32_INT64": 20, "INT16_FP16": 21,
    "INT16_FP32": 22, "INT64_FP32": 23, "INT8_FP16": 24, "UINT8_FP16": 25,
}  # fmt: skip
APART = {"VADD_FP16", "VMUL_FP16", "VCMPV_FP16", "VCMPV_FP32"}
"""Two-source instructions that were measured with their sources in different bank groups; the others were not."""


def _raw(work: Work) -> list[Launch]:
    op, types = work["op"], work["types"]
    if op == "VCONV":
        if types not in CASTS:
            raise NotDriven(f"no kernel for {op} {types}")
        return _run(0, CASTS[types], work["repeats"], src1=0x10100)
    kind = types.split("_")[0]
    if op not in OPS or kind not in TYPES:
        raise NotDriven(f"no kernel for {op} {types}")
    conflict = f"{op}_{kind}" not in APART
    return _run(OPS[op], TYPES[kind], work["repeats"], src1=0x10000 if conflict else 0x10100)


def _run(
    op: int, dtype: int, repeats: int, *, src0: int = 0, src1: int, dst: int = 0x20000, keep: int = 1,
    block: int = 1, stride: int = 8, calls: int = 1,
) -> list[Launch]:  # fmt: skip
    """``calls`` calls in the midst of a run: what a run of 2 n takes longer than one of n, n being RUN."""
    numbers = (op, dtype, repeats, RUN, src0, src1, dst, keep, block, stride)
    longer = (*numbers[:3], 2 * RUN, *numbers[4:])
    share = calls / RUN
    return [Launch("vector_calls", longer, 1024, share), Launch("vector_calls", numbers, 1024, -share)]


def _bank(work: Work) -> list[Launch]:
    src0, src1, dst = (int(address.split()[0], 16) for address in work["addr"])
    repeats = -(-work["elems"] * 4 // 256)
    block, stride = (0, 1) if "blkStride0" in work["addr"][0] else (1, 8)
    return _run(
        OPS["VADD"], 1, repeats, src0=src0, src1=src1, dst=dst, keep=0, block=block, stride=stride,
        calls=work["calls"],
    )  # fmt: skip


def _sequence(work: Work) -> list[Launch]:
    (first, repeats), (last, _) = work["seq"]
    if len(work["seq"]) != 2 or last != "ReduceRepeat" or first not in ("ReduceRepeat", "ReduceDataBlock"):
        raise NotDriven("no kernel for this sequence")
    op = OPS["VCGADD"] if first == "ReduceDataBlock" else OPS["VCADD"]
    return [Launch("vector_calls", (op, 1, repeats, work["calls"], 0, 0x8000, 0x10000, 2), 1024)]


def _transfer(work: Work) -> list[Launch]:
    path, size = work["path"], int(work["bytes"])
    if path in UNITS:
        what, unit = UNITS[path]
        return _unit(what, size // unit, alone=path in ("GM->L1 (L2)", "L0C->GM"))
    count = 8
    stores = {"UB->GM": 1}
    loads = {"GM->UB (HBM)": size, "GM->UB (L2)": 0}
    if path not in stores and path not in loads:
        raise NotDriven(f"no kernel for {path}")
    step = -(-size // 512) * 512 if path in stores else -(-loads[path] // 512) * 512
    numbers = (1, 4, stores.get(path, 0), size, count, step)
    nothing = (1, 4, 2, size, count, step)
    twice = (1, 4, stores.get(path, 0), size, 2 * count, step)
    barriers = (1, 4, 2, size, 2 * count, step)
    share = 1 / count
    # What the barriers between the transfers cost is taken off.
    space = 2 * count * step + size
    return [
        Launch("stream", twice, space, share),
        Launch("stream", numbers, space, -share),
        Launch("stream", barriers, space, -share),
        Launch("stream", nothing, space, share),
    ]


UNITS = {"GM->L1 (L2)": (1, 2), "L0C->GM": (2, 64), "L1->L0A": (3, 512), "L1->L0B": (4, 512)}
"""Instructions of the cube side: their number in the kernel, and the bytes that their length counts."""


def _unit(what: int, a: int, b: int = 0, c: int = 0, *, alone: bool) -> list[Launch]:
    def launch(unit: int, count: int, sign: int) -> Launch:
        numbers = (1, 1, unit, count, int(alone), a, b, c)
        return Launch("cube", numbers, 1 << 22, sign / RUN)

    run = [launch(what, 2 * RUN, 1), launch(what, RUN, -1)]
    # What the barriers between the instructions cost is taken off.
    return [*run, launch(0, 2 * RUN, -1), launch(0, RUN, 1)] if alone else run


def _mmad(work: Work) -> list[Launch]:
    return _unit(5, work["m"], work["n"], work["k"], alone=work["isolated"])


def _l1_copies(work: Work) -> list[Launch]:
    launch = _copies(work)
    size = max(1, work["dtype"] == "half") * 2
    cores, _, mode, rows, row_bytes, pitch, width, *rest = launch.work
    numbers = (cores, 0, mode, rows, row_bytes // size, pitch // size, width // size, *rest)
    return [Launch("cube", numbers, launch.size, launch.factor)]


def _matmul(work: Work) -> list[Launch]:
    m, n, k = work["M"], work["N"], work["K"]
    single_m, single_n, _ = work["single"]
    part = 8 if work["cores"] == 1 else 1
    if part > 1:
        # One core: its time is proportional to the rows once B has been read a few times.
        m, single_m = m // part, single_m // part
    double = work["template"] == "mdl" or work.get("l1_db", False)
    numbers = (
        work["cores"], 3 if work["out_bytes"] == 4 else 2, m, n, k, *work["base"], single_m, single_n,
        work["sharers_A"], work["stepKa"], work["stepKb"], 2 if double else 1, 2 if work.get("l2_split") else 1,
        int(work.get("mix", False)),
    )  # fmt: skip
    return [Launch("cube", numbers, max(m * k, k * n, m * n * work["out_bytes"] // 2) * 2, part)]


def _rowwise(work: Work) -> list[Launch]:
    rows, nearest = work["rows"], work["group"] == "turbo"
    cores = min(work["cores"], rows)
    share = -(-rows // cores)
    cores = -(-rows // share)
    batch = min(share, 12)
    return [Launch("rowwise", (cores, int(nearest), rows, share, batch), rows * 2048 + 4096)]
