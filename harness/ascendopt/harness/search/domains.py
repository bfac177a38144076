"""What a number is for, judged by its name, and the values worth trying for it.

The names are those that operators use in practice: 136 of 252 cann-ops host files split by a remainder over
cores, 240 of 1803 queues take their depth from a constant, and most tile lengths are UB bytes over a hand-
counted divisor (corpus figures of the project's survey).
"""

from __future__ import annotations

import re

BUFFERS = "buffer-count"
SHARES = "buffer-share"
"""A count of buffers that host code alone knows: it divides UB by it, so more of it takes less."""
DIVISOR = "ub-divisor"
TILE = "tile-size"
TILES = "tile-count"
RESERVE = "ub-reserve"
SPLIT = "core-split"
ALIGN = "alignment"
BLOCKS = "block-count"

# Larger ones are limits of types.
_MOST = 1 << 31
_NOT_TUNABLE = re.compile(
    r"INDEX|_IDX|IDX_|KEY|MODE|DTYPE|ATTR|VERSION|EVENT|OFFSET|STRIDE|MASK|FORMAT|ERROR|FLAG|MAGIC"
    r"|DIM_?(NUM|0|1|2|3)|MAX_?(DIM|RANK|TENSOR)|(INPUT|OUTPUT|TENSOR|VAR)_?(NUM|COUNT)|SIZE_?OF|BYTES?_PER"
    r"|PER_?(REPEAT|BLOCK)|REPEAT|WORKSPACE|(?<![A-Z])(B\d+|FP\d*|FLOAT|HALF|INT\d*|DTYPE)_?(BYTE|SIZE|LEN)"
)
_HARDWARE_BLOCK = re.compile(r"BLOCK|DATABLOCK")
# Elements of a type in a block of 32 bytes.
_TYPED_BLOCK = re.compile(r"(FP|FLOAT|HALF|U?INT|BF)\d*_?BLOCK")
_BUFFERS = re.compile(r"(BUFFER|BUF|QUEUE|QUE|PIPELINE|PING_?PONG|DB)_?(NUM|COUNT|CNT|DEPTH)|DOUBLE_?BUFFER|DEPTH$")
_DIVISOR = re.compile(
    r"DIVISOR|UB_?(PARTS?|SHARE|SPLIT|DATA_?NUM|DATA_?NUMBER|PART_?NUM|COUNTS?|NUM)"
    r"|DATA_?NUMBER|PART_?NUM|SHARES?$"
)
_SPLIT = re.compile(
    r"(MIN|PER|SINGLE|EACH|EVERY).*(CORE|THREAD)|CORE.*(MIN|UNIT|LENGTH|DATA|SIZE|ALIGN)"
    r"|MIN_?(LEN|DATA|SIZE|ROWS|NUM)"
)
_ALIGN = re.compile(r"ALIGN")
_TILE = re.compile(
    r"TILE|CHUNK|UB_?(FACTOR|LEN|LENGTH|SIZE)|SMALL_REDUCE|ROWS?_PER|FACTOR"
    r"|(MAX|ONCE|LOOP|STEP|SLICE|BATCH).*(LEN|SIZE|NUM|COUNT|DATA|ROWS|ELEM)"
)
_RESERVE = re.compile(r"RESERVED?_?(FOR_?)?(UB|BUF|SPACE|SIZE|BYTES|MEM)|(UB|BUF(FER)?)_?(SIZE_?)?RESERVED?")
# Into how many tiles a core's share is cut: what a size would be the other way round.
_TILES = re.compile(r"(TILE|CHUNK)S?_?(NUM|COUNT|CNT)|(NUM|COUNT|CNT)_?(OF_?)?(TILE|CHUNK)S?$")
# Kernels hold many limits of instructions (repeats, lanes) under names like ONCE_SIZE: they are not free.
_KERNEL_TILE = re.compile(r"TILE|CHUNK")
_BLOCKS = re.compile(r"SETBLOCKDIM|BLOCK_?DIM|(CORE|BLOCK)_?(NUM|COUNT|CNT)|(NUM|COUNT|USED?)_?CORES?|USED?_?BLOCKS?")


def role_of(name: str, value: int, constant: bool, host: bool) -> str | None:
    """The role of a number called ``name``, or None when it is not known to be free to choose.

    ``constant`` tells a constant from a variable that is set once; variables count only where their name says
    that they divide UB or are the block count.
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()
    if not 0 < value < _MOST:
        return None
    if _TYPED_BLOCK.search(words):
        return None
    if _BLOCKS.search(words) and host and value <= 64:
        return BLOCKS
    if _NOT_TUNABLE.search(words):
        return None
    if _BUFFERS.search(words):
        return BUFFERS if value <= 8 else None
    if _DIVISOR.search(words) and host and value <= 256:
        return DIVISOR
    if not constant or (value == 32 and _HARDWARE_BLOCK.search(words)):
        return None
    if _SPLIT.search(words) and host:
        return SPLIT
    if _ALIGN.search(words) and host and value in (32, 64, 128, 256, 512):
        return ALIGN
    if _TILES.search(words) and value <= 256:
        return TILES
    if value >= 8 and host and _RESERVE.search(words):
        return RESERVE
    if value >= 8 and (_TILE if host else _KERNEL_TILE).search(words):
        return TILE
    return None


def domain_for(role: str, value: int) -> tuple[int, ...]:
    """Values worth trying for a number of this role, ascending, ``value`` among them."""
    if role in (BUFFERS, SHARES):
        values = {1, 2, 3, 4}
    elif role == DIVISOR:
        # Every count near the present one, and coarser steps to half and to twice of it.
        values = {value + step for step in range(-6, 7)} | {value * eighth // 8 for eighth in range(2, 17)}
    elif role == ALIGN:
        values = {32, 64, 128, 256, 512}
    elif role == BLOCKS:
        values = {1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48}
    else:
        values = _scaled(value)
    return tuple(sorted(v for v in {*values, value} if v >= 1))


def _scaled(value: int) -> set[int]:
    """From an eighth to eight times ``value`` in steps of 2 and 3/2, kept to the value's own granularity."""
    granularity = min(value & -value, 256)
    values: set[int] = set()
    for power in range(-3, 4):
        for numerator in (2, 3):
            scaled = value * numerator * 2 ** (power + 3) // 16
            values.add(max(granularity if value >= 64 else 1, scaled // granularity * granularity))
    if value < 64:
        values |= {1, 2, 3, 4, 6, 8}
    return values
