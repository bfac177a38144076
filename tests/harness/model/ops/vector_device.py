"""Drives the vector library through its C ABI: one block of local memory, calls, and what they reported."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import ml_dtypes
import numpy as np
import numpy.typing as npt

NATIVE = Path(__file__).parents[4] / "harness/ascendopt/harness/devices/model/native"
BF16 = np.dtype(ml_dtypes.bfloat16)
F16, F32 = np.dtype(np.float16), np.dtype(np.float32)
I8, U8, I16, U16 = (np.dtype(t) for t in (np.int8, np.uint8, np.int16, np.uint16))
I32, U32, I64 = (np.dtype(t) for t in (np.int32, np.uint32, np.int64))
DTYPES = {F16: 0, F32: 1, BF16: 2, I8: 3, U8: 4, I16: 5, U16: 6, I32: 7, U32: 8, I64: 9}
INT4 = 11
COUNT, LENGTH, BITS = 0, 1, 2
UB_BYTES = 196608


class Local(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_uint32),
        ("bytes", ctypes.c_uint32),
        ("dtype", ctypes.c_uint8),
        ("position", ctypes.c_uint8),
        ("reserved", ctypes.c_uint16),
    ]


class Call(ctypes.Structure):
    """`AscVector` of abi/rt.h, field by field."""

    _fields_ = [
        ("op", ctypes.c_uint16),
        ("form", ctypes.c_uint8),
        ("mode", ctypes.c_uint8),
        ("sources", ctypes.c_uint8),
        ("has_scalar", ctypes.c_uint8),
        ("set_mask", ctypes.c_uint8),
        ("option", ctypes.c_uint8),
        ("count", ctypes.c_uint32),
        ("repeat", ctypes.c_uint32),
        ("mask", ctypes.c_uint64 * 2),
        ("dst_block", ctypes.c_uint16),
        ("src_block", ctypes.c_uint16 * 2),
        ("dst_repeat", ctypes.c_uint16),
        ("src_repeat", ctypes.c_uint16 * 2),
        ("scalar", ctypes.c_uint64),
        ("scalar_dtype", ctypes.c_uint8),
        ("dst", Local),
        ("src", Local * 3),
        ("tmp", Local),
        ("api", ctypes.c_char_p),
    ]


@dataclass(frozen=True)
class Tensor:
    """A place in local memory: byte address, element type, elements."""

    address: int
    dtype: np.dtype
    size: int
    code: int = -1

    @property
    def local(self) -> Local:
        code = DTYPES[self.dtype] if self.code < 0 else self.code
        return Local(self.address, self.size * self.dtype.itemsize, code, 9, 0)

    def at(self, offset: int) -> Tensor:
        return Tensor(self.address + offset * self.dtype.itemsize, self.dtype, self.size - offset, self.code)


@dataclass(frozen=True)
class Report:
    """What one call reported."""

    failed: bool
    violations: list[str] = field(default_factory=list)
    accesses: list[tuple[int, int, bool]] = field(default_factory=list)
    records: list[dict[str, int]] = field(default_factory=list)


def build_library(cache: Path) -> Path:
    """The vector library with the stub core, compiled file by file into `cache` unless a build of the same text is
    there. Raises CalledProcessError with the compiler's output."""
    sources = [Path(__file__).with_name("stub_core.cpp"), *sorted((NATIVE / "rt").glob("ops_*.cpp"))]
    sources += sorted([*(NATIVE / "rt").glob("vector*.cpp"), *(NATIVE / "rt").glob("composite*.cpp")])
    headers = sorted([*NATIVE.glob("abi/*.h"), *NATIVE.glob("rt/ops_*.h"), *NATIVE.glob("rt/vector*.h")])
    headers += [NATIVE / "rt/core.h", NATIVE / "rt/half.h", NATIVE / "rt/composite.h"]
    common = b"".join(header.read_bytes() for header in headers)
    objects = [_compile(source, common, cache) for source in sources]
    digest = hashlib.sha256("".join(map(str, objects)).encode()).hexdigest()[:16]
    library = cache / f"vector-{digest}.so"
    if not library.exists():
        partial = library.with_suffix(f".{os.getpid()}")
        subprocess.run(["g++", "-shared", *map(str, objects), "-o", str(partial)], check=True, timeout=120)
        partial.rename(library)
    return library


def _compile(source: Path, common: bytes, cache: Path) -> Path:
    digest = hashlib.sha256(source.read_bytes() + common).hexdigest()[:16]
    target = cache / f"{source.stem}-{digest}.o"
    if not target.exists():
        partial = target.with_suffix(f".{os.getpid()}")
        flags = ["-std=c++17", "-O2", "-fPIC", "-ffp-contract=off", "-fno-math-errno", f"-I{NATIVE}"]
        subprocess.run(["g++", *flags, "-c", str(source), "-o", str(partial)], check=True, timeout=170)
        partial.rename(target)
    return target


class VectorDevice:
    """Allocates tensors one after another, 32 B apart at least, and runs calls on them."""

    def __init__(self, library: Path) -> None:
        self.lib = ctypes.CDLL(str(library))
        self.lib.stub_memory.restype = ctypes.POINTER(ctypes.c_uint8)
        self.lib.stub_violations.restype = ctypes.c_char_p
        assert self.lib.stub_vector_size() == ctypes.sizeof(Call)
        self.memory: npt.NDArray[np.uint8] = np.ctypeslib.as_array(self.lib.stub_memory(), (UB_BYTES,))
        self.reset()

    def reset(self, functional: bool = True) -> None:
        self.lib.stub_reset(int(functional))
        self.memory[:] = 0xFF
        self._top = 0

    @cached_property
    def ops(self) -> dict[str, int]:
        text = (NATIVE / "abi/ops.h").read_text()
        body = re.sub(r"//[^\n]*", "", text[text.index("enum class Op") :])
        names = re.findall(r"\w+", body[body.index("{") + 1 : body.index("}")].replace("= 0", ""))
        return {name: i for i, name in enumerate(names)}

    def empty(self, size: int, dtype: np.dtype) -> Tensor:
        tensor = Tensor(self._top, dtype, size)
        self._top += (size * dtype.itemsize + 31) // 32 * 32 + 32
        assert self._top <= UB_BYTES
        return tensor

    def put(self, values: npt.NDArray[np.generic]) -> Tensor:
        tensor = self.empty(values.size, values.dtype)
        self.write(tensor, values)
        return tensor

    def write(self, tensor: Tensor, values: npt.NDArray[np.generic]) -> None:
        raw = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
        self.memory[tensor.address : tensor.address + raw.size] = raw

    def get(self, tensor: Tensor, size: int | None = None) -> npt.NDArray[np.generic]:
        count = tensor.size if size is None else size
        raw = self.memory[tensor.address : tensor.address + count * tensor.dtype.itemsize]
        return raw.copy().view(tensor.dtype)

    def build(
        self,
        op: str,
        dst: Tensor,
        *sources: Tensor,
        count: int | None = None,
        mask: int | list[int] | None = None,
        repeat: int = 0,
        dst_strides: tuple[int, int] = (1, 8),
        src_strides: tuple[tuple[int, int], ...] = ((1, 8), (1, 8)),
        scalar: np.generic | None = None,
        mode: int = 0,
        option: int = 0,
        set_mask: bool = True,
        tmp: Tensor | None = None,
    ) -> Call:
        call = Call()
        call.op = self.ops[op]
        call.api = op.encode()
        call.mode, call.option, call.set_mask = mode, option, int(set_mask)
        call.dst = dst.local
        call.sources = len(sources)
        for i, source in enumerate(sources):
            call.src[i] = source.local
        if tmp is not None:
            call.tmp = tmp.local
        if scalar is not None:
            raw = np.asarray(scalar).tobytes()
            call.has_scalar = 1
            call.scalar = int.from_bytes(raw, "little")
            call.scalar_dtype = DTYPES[np.asarray(scalar).dtype]
        if count is not None:
            call.form, call.count = COUNT, count & 0xFFFFFFFF
        elif isinstance(mask, list):
            call.form = BITS
            call.mask[0], call.mask[1] = mask
        else:
            call.form = LENGTH
            call.mask[0] = mask or 0
        call.repeat = repeat
        call.dst_block, call.dst_repeat = dst_strides
        for i, (block, step) in enumerate(src_strides[:2]):
            call.src_block[i], call.src_repeat[i] = block, step
        return call

    def run(self, op: str, dst: Tensor, *sources: Tensor, **options: object) -> Report:
        return self.submit(self.build(op, dst, *sources, **options))  # type: ignore[arg-type]

    def submit(self, call: Call) -> Report:
        self.lib.stub_clear_log()
        failed = bool(self.lib.stub_call(ctypes.byref(call)))
        violations = [line for line in self.lib.stub_violations().decode().split("\n") if line]
        return Report(failed, violations, self._accesses(), self._records())

    def clean(self, op: str, dst: Tensor, *sources: Tensor, **options: object) -> npt.NDArray[np.generic]:
        """Runs a call that must report nothing; the destination afterwards."""
        report = self.run(op, dst, *sources, **options)
        assert not report.violations, report.violations
        return self.get(dst)

    def mask_state(self) -> tuple[bool, int, int]:
        out = (ctypes.c_uint64 * 5)()
        self.lib.stub_mask_state(out)
        return bool(out[0]), out[1], out[2]

    def set_mask(self, counter: bool, low: int, high: int) -> None:
        self.lib.stub_mask(int(counter), ctypes.c_uint64(low), ctypes.c_uint64(high))

    def _accesses(self) -> list[tuple[int, int, bool]]:
        out = (ctypes.c_uint32 * 3)()
        result: list[tuple[int, int, bool]] = []
        for i in range(self.lib.stub_access_count()):
            self.lib.stub_access(i, out)
            result.append((out[0], out[1], bool(out[2])))
        return result

    def _records(self) -> list[dict[str, int]]:
        out = (ctypes.c_uint32 * 6)()
        result: list[dict[str, int]] = []
        for i in range(self.lib.stub_record_count()):
            self.lib.stub_record(i, out)
            result.append(dict(zip(("op", "dtype", "flags", "repeats", "elements", "address"), out, strict=True)))
        return result
