// What the kernels of this folder share: tiling data, loads and stores that wait.
#pragma once
#include "kernel_operator.h"

using namespace AscendC;

struct Shape {
    uint32_t n[8];
    float f[4];
};
#define ASC_TILING_STRUCT Shape

// Each tensor has 16 KB of UB of its own.
constexpr uint32_t kSlot = 16384;

template <typename T>
LocalTensor<T> place(uint32_t slot) {
    return LocalTensor<T>(TPosition::VECCALC, slot * kSlot, kSlot / sizeof(T));
}
template <typename T>
LocalTensor<T> load(GM_ADDR from, uint32_t slot, uint32_t count) {
    GlobalTensor<T> global;
    global.SetGlobalBuffer((__gm__ T*)from);
    LocalTensor<T> tensor = place<T>(slot);
    DataCopyPad(tensor, global, DataCopyExtParams{1, uint32_t(count * sizeof(T)), 0, 0, 0},
                DataCopyPadExtParams<T>{false, 0, 0, T(0)});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    return tensor;
}
template <typename T>
void store(GM_ADDR to, const LocalTensor<T>& tensor, uint32_t count) {
    GlobalTensor<T> global;
    global.SetGlobalBuffer((__gm__ T*)to);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(global, tensor, DataCopyExtParams{1, uint32_t(count * sizeof(T)), 0, 0, 0});
}
