// Cores that make the calls of the core before them, up to some point. Each core adds tiles of 256 halfs: y = x + x.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kTile = 256;

class Adder {
  public:
    Adder(GM_ADDR x, GM_ADDR y) {
        xGm_.SetGlobalBuffer((__gm__ half*)x);
        yGm_.SetGlobalBuffer((__gm__ half*)y);
        pipe_.InitBuffer(xQueue_, 2, kTile * sizeof(half));
        pipe_.InitBuffer(yQueue_, 2, kTile * sizeof(half));
    }
    void add(uint32_t at, uint32_t count = kTile) { add(at, at, count); }
    void add(uint32_t from, uint32_t to, uint32_t count) {
        LocalTensor<half> x = xQueue_.AllocTensor<half>();
        DataCopy(x, xGm_[from], count);
        xQueue_.EnQue(x);
        x = xQueue_.DeQue<half>();
        LocalTensor<half> y = yQueue_.AllocTensor<half>();
        Add(y, x, x, count);
        yQueue_.EnQue(y);
        xQueue_.FreeTensor(x);
        y = yQueue_.DeQue<half>();
        DataCopy(yGm_[to], y, count);
        yQueue_.FreeTensor(y);
    }
    // From y to y, with no flag between the store before and the load.
    void again(uint32_t from, uint32_t to) {
        GlobalTensor<half> x = xGm_;
        xGm_ = yGm_;
        add(from, to, kTile);
        xGm_ = x;
    }

  private:
    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> xQueue_;
    TQue<QuePosition::VECOUT, 2> yQueue_;
    GlobalTensor<half> xGm_, yGm_;
};

extern "C" __global__ __aicore__ void same(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    for (uint32_t tile = 0; tile < 3; ++tile) adder.add((3 * GetBlockIdx() + tile) * kTile);
}

// Each core's part begins elsewhere in a granule of 512 bytes.
extern "C" __global__ __aicore__ void skewed(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    for (uint32_t tile = 0; tile < 3; ++tile) adder.add((3 * GetBlockIdx() + tile) * kTile + 16 * GetBlockIdx());
}

// All cores read the same.
extern "C" __global__ __aicore__ void common(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    for (uint32_t tile = 0; tile < 3; ++tile) adder.add(tile * kTile, (3 * GetBlockIdx() + tile) * kTile, kTile);
}

// The first three cores have one tile more, the last has a short one.
extern "C" __global__ __aicore__ void tails(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    const uint32_t core = GetBlockIdx();
    const uint32_t first = core < 3 ? 4 * core : 12 + 3 * (core - 3), tiles = core < 3 ? 4 : 3;
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        const bool last = core + 1 == GetBlockNum() && tile + 1 == tiles;
        adder.add((first + tile) * kTile, last ? 48 : kTile);
    }
}

// A call that no other core can stand for.
extern "C" __global__ __aicore__ void written(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    for (uint32_t tile = 0; tile < 3; ++tile) adder.add((3 * GetBlockIdx() + tile) * kTile);
    LocalTensor<half> place(TPosition::VECCALC, 8192, 32);
    place.SetValue(0, (half)GetBlockIdx());
    PipeBarrier<PIPE_ALL>();
    adder.add(3 * GetBlockIdx() * kTile);
}

extern "C" __global__ __aicore__ void meeting(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    for (uint32_t tile = 0; tile < 3; ++tile) adder.add((3 * GetBlockIdx() + tile) * kTile);
    SyncAll();
    adder.add(3 * GetBlockIdx() * kTile);
}

// Core 5 sets a flag as all do, and does not wait for it.
extern "C" __global__ __aicore__ void forgets(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    adder.add(3 * GetBlockIdx() * kTile);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID7);
    adder.add((3 * GetBlockIdx() + 1) * kTile);
    if (GetBlockIdx() != 5) WaitFlag<HardEvent::V_MTE3>(EVENT_ID7);
    adder.add((3 * GetBlockIdx() + 2) * kTile);
}

// Core 5 leaves y in its last copy.
extern "C" __global__ __aicore__ void strays(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    for (uint32_t tile = 0; tile < 3; ++tile) {
        const uint32_t at = (3 * GetBlockIdx() + tile) * kTile;
        adder.add(at, GetBlockIdx() == 5 && tile == 2 ? 48 * kTile : at, kTile);
    }
}

// Core 0 reads where nothing was written, core 5 where it has just written itself.
extern "C" __global__ __aicore__ void rereads(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    const uint32_t at = 3 * GetBlockIdx() * kTile;
    adder.add(at);
    adder.again(GetBlockIdx() == 5 ? at : at + 2 * kTile, at + kTile);
}

// Every core says the same: none is a model for others.
extern "C" __global__ __aicore__ void warns(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    for (uint32_t tile = 0; tile < 3; ++tile) adder.add((3 * GetBlockIdx() + tile) * kTile, 120);
}

// Core 5 divides by zero after what all cores do.
extern "C" __global__ __aicore__ void crashes(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Adder adder(x, y);
    adder.add(3 * GetBlockIdx() * kTile);
    volatile int32_t zero = GetBlockIdx() == 5 ? 0 : 1;
    adder.add((3 * GetBlockIdx() + 7 / zero) % 48 * kTile);
}
