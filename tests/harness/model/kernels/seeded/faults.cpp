// Faults in the kernel itself, and a kernel of several cores without any.
#include "seeded.h"

extern "C" __global__ __aicore__ void null_pointer(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
    // ^^^ fault
}

extern "C" __global__ __aicore__ void deep_recursion(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    volatile char frame[4096];
    frame[0] = 1;
    deep_recursion(x, y, workspace, tiling);
    // ^^^ fault
    frame[1] = frame[0];
}

// Every core adds its index + 1, waits for all, then copies what its right neighbour wrote.
extern "C" __global__ __aicore__ void neighbours(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy, gw;
    gx.SetGlobalBuffer((__gm__ float*)x, kCount);
    gy.SetGlobalBuffer((__gm__ float*)y, kCount);
    gw.SetGlobalBuffer((__gm__ float*)workspace, kCount);
    const uint32_t each = kCount / GetBlockNum();
    const uint32_t mine = GetBlockIdx() * each;
    const uint32_t right = (GetBlockIdx() + 1) % GetBlockNum() * each;
    LocalTensor<float> t{TPosition::VECCALC, 0, each};
    DataCopy(t, gx[mine], each);
    sync<HardEvent::MTE2_V>();
    Adds(t, t, static_cast<float>(GetBlockIdx() + 1), each);
    sync<HardEvent::V_MTE3>();
    DataCopy(gw[mine], t, each);
    SyncAll();
    DataCopy(t, gw[right], each);
    sync<HardEvent::MTE2_MTE3>();
    DataCopy(gy[mine], t, each);
}
