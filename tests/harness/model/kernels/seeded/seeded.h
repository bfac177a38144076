// What the kernels with a seeded mistake share. `BUG(name)` is an entry; tiling key 1 runs its repaired twin. The line
// above a mark `// ^^^ code` is where the runtime must report `code`.
#pragma once
#include "kernel_operator.h"

using namespace AscendC;

#define BUG(name) extern "C" __global__ __aicore__ void name(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
#define FIXED TILING_KEY_IS(1)

constexpr uint32_t kCount = 512;  // floats in a tile

using Queue = TQue<TPosition::VECIN, 1>;
using OutQueue = TQue<TPosition::VECOUT, 1>;

struct Gm {
    GlobalTensor<float> x;
    GlobalTensor<float> y;
    GlobalTensor<float> w;

    Gm(GM_ADDR from, GM_ADDR to, GM_ADDR workspace) {
        x.SetGlobalBuffer((__gm__ float*)from);
        y.SetGlobalBuffer((__gm__ float*)to);
        w.SetGlobalBuffer((__gm__ float*)workspace);
    }
};

template <HardEvent event>
void sync() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// Two tiles in UB without a pipe's help.
struct Tiles {
    LocalTensor<float> a{TPosition::VECIN, 0, kCount};
    LocalTensor<float> b{TPosition::VECOUT, kCount * 4, kCount};
};

inline void store(Gm& gm, Tiles& t) {
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, t.b, kCount);
}
