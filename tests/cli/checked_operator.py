"""A small operator with known findings, and the command that checks it."""

from __future__ import annotations

from pathlib import Path

# 100 halves are 200 bytes, no multiple of 32: ASC-ALN008, twice. The emoji is two UTF-16 code units in one character.
KERNEL = """\
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t TILE = 4096;
class Kernel {
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, TPipe* pipe) {
        xGm.SetGlobalBuffer((__gm__ half*)x);
        yGm.SetGlobalBuffer((__gm__ half*)y);
        pipe->InitBuffer(inQueue, 2, TILE * sizeof(half));
        pipe->InitBuffer(outQueue, 2, TILE * sizeof(half));
    }
    __aicore__ inline void Process() {
        LocalTensor<half> in = inQueue.AllocTensor<half>();
        /* 😀 */ DataCopy(in, xGm, 100);
        inQueue.EnQue(in);
        LocalTensor<half> out = outQueue.AllocTensor<half>();
        LocalTensor<half> got = inQueue.DeQue<half>();
        Abs(out, got, 128);
        inQueue.FreeTensor(got);
        outQueue.EnQue(out);
        LocalTensor<half> done = outQueue.DeQue<half>();
        DataCopy(yGm, done, 100);
        outQueue.FreeTensor(done);
    }

  private:
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    GlobalTensor<half> xGm, yGm;
};

extern "C" __global__ __aicore__ void halves(GM_ADDR x, GM_ADDR y) {
    TPipe pipe;
    Kernel op;
    op.Init(x, y, &pipe);
    op.Process();
}
"""
IN_LINE = 14
OUT_LINE = 22


def write_operator(folder: Path) -> Path:
    """The operator's folder; its kernel is ``op_kernel/halves.cpp``."""
    (folder / "op_kernel").mkdir(parents=True)
    (folder / "op_kernel" / "halves.cpp").write_text(KERNEL, encoding="utf-8")
    return folder


def edit(path: Path, old: str, new: str) -> None:
    """Replace the one occurrence of ``old``."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
