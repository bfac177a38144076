"""Shapes with sizes that vary: ranges, the members that stand for them, and sizes as expressions over them."""

from __future__ import annotations

import math
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from ascendopt.harness.inference.expressions import evaluate

# The sizes that a dimension can have, rising: a ``range`` or a tuple.
Sizes = Sequence[int]
Member = Mapping[str, int]
LARGEST = 1 << 33
_RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d+)\s*(?:step\s+(\d+)\s*)?")
_DRAWS = 200


class RangeError(ValueError):
    """A range that has no sizes, or an expression without a size. The message completes a sentence."""


def is_range(text: str) -> bool:
    """Whether a text has the form of a range, ``1..4096`` or ``64..4096 step 64``."""
    return _RANGE.fullmatch(text) is not None


def parse_range(text: str) -> Sizes:
    """The sizes of ``low..high`` or ``low..high step s``, both ends included. Raises RangeError."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise RangeError(f'\'{text}\' is no range; write "1..4096" or "64..4096 step 64"')
    low, high, step = int(match[1]), int(match[2]), int(match[3] or 1)
    if low > high or high > LARGEST:
        raise RangeError(f"the range '{text}' must rise, to at most 2^33")
    if step < 1 or (high - low) % step:
        raise RangeError(f"the range '{text}' does not reach {high} from {low} in steps of {step}")
    return range(low, high + 1, step)


def sizes_text(sizes: Sizes) -> str:
    """``1..4096``, ``64..4096 step 64`` or ``128, 256``."""
    if isinstance(sizes, range):
        return f"{sizes[0]}..{sizes[-1]}" + (f" step {sizes.step}" if sizes.step > 1 else "")
    return ", ".join(map(str, sizes))


def parse_sizes(text: str) -> Sizes:
    """The sizes behind what ``sizes_text`` wrote."""
    return parse_range(text) if is_range(text) else tuple(int(size) for size in text.split(","))


def size_of(text: str, member: Member) -> int:
    """The size that an expression such as ``2 * n`` has for ``member``; division rounds down. Raises RangeError."""
    value = member[text] if text in member else evaluate(text, member)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        known = ", ".join(name for name in member if name.isidentifier())
        said = f"the names of 'dims' are {known}" if known else "there are no 'dims'"
        raise RangeError(f"'{text}' is no size: neither a range nor an expression over dims ({said})")
    return value


def sample_members(dims: Mapping[str, Sizes], count: int, seed: int, label: str) -> list[Member]:
    """At most ``count`` (at least 3) members of the product of ``dims``, the same for equal arguments.

    Everything where it fits; else all dimensions at their low ends, all at their high ends, all at a large size with
    a tail, then in turn a corner (one dimension at the other end than the rest), a random member and one beside
    powers of two. ``label`` keeps cases with equal dims apart.
    """
    total = 1
    for sizes in dims.values():
        total *= len(sizes)
    if total <= count:
        return [dict(zip(dims, values, strict=True)) for values in product(*dims.values())]
    rng = np.random.Generator(np.random.PCG64([seed, zlib.crc32(label.encode("utf-8"))]))
    found: dict[tuple[int, ...], None] = {}
    for values in _proposals(list(dims.values()), rng, count):
        found.setdefault(values)
        if len(found) == count:
            break
    return [dict(zip(dims, values, strict=True)) for values in found]


def _proposals(dims: Sequence[Sizes], rng: np.random.Generator, count: int) -> Iterator[tuple[int, ...]]:
    yield tuple(sizes[0] for sizes in dims)
    yield tuple(sizes[-1] for sizes in dims)
    yield tuple(_tail(sizes) for sizes in dims)
    corners = _corners(dims) if len(dims) > 1 else iter(())
    for _ in range(count * _DRAWS):
        yield tuple(_spread(sizes, rng) for sizes in dims)
        yield tuple(_beside_power(sizes, rng) for sizes in dims)
        corner = next(corners, None)
        if corner is not None:
            yield corner


def _corners(dims: Sequence[Sizes]) -> Iterator[tuple[int, ...]]:
    for most, one in ((-1, 0), (0, -1)):
        for position in range(len(dims)):
            yield tuple(sizes[one if index == position else most] for index, sizes in enumerate(dims))


def _tail(sizes: Sizes) -> int:
    """The largest size but the last that the smallest power of two divides: odd where there are odd ones."""
    inner = [sizes[index] for index in range(max(0, len(sizes) - 9), len(sizes) - 1)]
    return min(reversed(inner), key=lambda size: size & -size if size else LARGEST, default=sizes[0])


def _spread(sizes: Sizes, rng: np.random.Generator) -> int:
    """A random size, every magnitude as likely."""
    low, high = math.log(max(sizes[0], 1)), math.log(sizes[-1] + 1)
    return _nearest(sizes, int(math.exp(rng.uniform(low, high))))


def _beside_power(sizes: Sizes, rng: np.random.Generator) -> int:
    """A size one above or below a power of two, where the steps allow."""
    low, high = max(sizes[0], 1).bit_length() - 1, max(sizes[-1], 1).bit_length()
    return _nearest(sizes, (1 << int(rng.integers(low, high + 1))) + 2 * int(rng.integers(0, 2)) - 1)


def _nearest(sizes: Sizes, size: int) -> int:
    return sizes[max(0, bisect_right(sizes, size) - 1)]
