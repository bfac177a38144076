// Copies in all forms, and what they leave behind. One entry a form; shapes come as tiling data.
#include "kernel_operator.h"

using namespace AscendC;

struct Shape {
    uint32_t rows;
    uint32_t row_bytes;
    uint32_t in_gap;   // bytes on the GM side
    uint32_t out_gap;  // bytes on the GM side
    uint32_t left;     // elements
    uint32_t right;
    uint32_t is_pad;
    uint32_t local_gap;  // blocks
};
#define ASC_TILING_STRUCT Shape

template <HardEvent event>
void sync() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// GM -> UB -> GM by DataCopyParams: rows with a gap before, dense after.
extern "C" __global__ __aicore__ void strided(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(shape, tiling);
    GlobalTensor<half> gx, gy;
    gx.SetGlobalBuffer((__gm__ half*)x);
    gy.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<half> t{TPosition::VECIN, 0, 16384};
    const uint16_t blocks = shape.row_bytes / 32;
    DataCopy(t, gx, {(uint16_t)shape.rows, blocks, (uint16_t)(shape.in_gap / 32), (uint16_t)shape.local_gap});
    sync<HardEvent::MTE2_MTE3>();
    DataCopy(gy, t, {(uint16_t)shape.rows, blocks, (uint16_t)shape.local_gap, (uint16_t)(shape.out_gap / 32)});
}

// Rows of any length through DataCopyPad, back again without the padding.
extern "C" __global__ __aicore__ void padded(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(shape, tiling);
    GlobalTensor<half> gx, gy;
    gx.SetGlobalBuffer((__gm__ half*)x);
    gy.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<half> t{TPosition::VECIN, 0, 16384};
    DataCopyExtParams in{(uint16_t)shape.rows, shape.row_bytes, shape.in_gap, shape.local_gap, 0};
    DataCopyPadExtParams<half> none{false, 0, 0, half(0)};
    DataCopyPad(t, gx, in, none);
    sync<HardEvent::MTE2_MTE3>();
    DataCopyExtParams out{(uint16_t)shape.rows, shape.row_bytes, shape.local_gap, shape.out_gap, 0};
    DataCopyPad(gy, t, out);
}

// One padded row, written out whole so that the filler shows.
extern "C" __global__ __aicore__ void filler(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(shape, tiling);
    GlobalTensor<half> gx, gy;
    gx.SetGlobalBuffer((__gm__ half*)x);
    gy.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<half> t{TPosition::VECIN, 0, 16384};
    DataCopyExtParams in{1, shape.row_bytes, 0, 0, 0};
    DataCopyPadExtParams<half> pad{shape.is_pad != 0, (uint8_t)shape.left, (uint8_t)shape.right, half(-2.0f)};
    if (shape.in_gap != 0) SetPadValue(half(9.0f));
    DataCopyPad(t, gx, in, pad);
    sync<HardEvent::MTE2_MTE3>();
    DataCopy(gy, t, 64);
}

// UB -> UB, and scalar access.
extern "C" __global__ __aicore__ void local(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x, 64);
    gy.SetGlobalBuffer((__gm__ float*)y, 64);
    LocalTensor<float> a{TPosition::VECIN, 0, 64}, b{TPosition::VECOUT, 256, 64};
    DataCopy(a, gx, 64);
    sync<HardEvent::MTE2_V>();
    DataCopy(b, a, 64);
    sync<HardEvent::V_S>();
    b.SetValue(3, b.GetValue(2) + gx.GetValue(1));
    sync<HardEvent::S_MTE3>();
    DataCopy(gy, b, 64);
}

// Every core adds its tile to the same output.
template <typename T>
void add_atomically(GM_ADDR x, GM_ADDR y) {
    GlobalTensor<T> gx, gy;
    gx.SetGlobalBuffer((__gm__ T*)x, 64);
    gy.SetGlobalBuffer((__gm__ T*)y, 64);
    LocalTensor<T> a{TPosition::VECIN, 0, 64};
    if (GetBlockIdx() == 0) {
        DataCopy(a, gx, 64);
        sync<HardEvent::MTE2_MTE3>();
        DataCopy(gy, a, 64);
        sync<HardEvent::MTE3_MTE2>();
    }
    SyncAll();
    DataCopy(a, gx, 64);
    sync<HardEvent::MTE2_MTE3>();
    SetAtomicAdd<T>();
    DataCopy(gy, a, 64);
    SetAtomicNone();
}

extern "C" __global__ __aicore__ void atomic_float(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    add_atomically<float>(x, y);
}
extern "C" __global__ __aicore__ void atomic_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    add_atomically<half>(x, y);
}
extern "C" __global__ __aicore__ void atomic_int(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    add_atomically<int32_t>(x, y);
}

// One padded row of 8-byte elements: they take no other padding than zeros.
extern "C" __global__ __aicore__ void wide_filler(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(shape, tiling);
    GlobalTensor<int64_t> gx, gy;
    gx.SetGlobalBuffer((__gm__ int64_t*)x);
    gy.SetGlobalBuffer((__gm__ int64_t*)y);
    LocalTensor<int64_t> t{TPosition::VECIN, 0, 64};
    DataCopyExtParams in{1, shape.row_bytes, 0, 0, 0};
    DataCopyPadExtParams<int64_t> pad{true, (uint8_t)shape.left, (uint8_t)shape.right, (int64_t)shape.in_gap};
    DataCopyPad(t, gx, in, pad);
    sync<HardEvent::MTE2_MTE3>();
    DataCopy(gy, t, 8);
}

// A flag that is set twice before it is waited for twice, as where FetchEventID gives the same number again.
extern "C" __global__ __aicore__ void counted_flag(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> a{TPosition::VECIN, 0, 8}, b{TPosition::VECIN, 32, 8};
    DataCopy(a, gx, 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(b, gx[8], 8);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(a, a, 1.0f, 8);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Add(a, a, b, 8);
    sync<HardEvent::V_MTE3>();
    DataCopy(gy, a, 8);
}

// The scalar unit moves the result of ReduceSum, so the copy that it starts next comes after the sum.
extern "C" __global__ __aicore__ void summed(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x);
    gy.SetGlobalBuffer((__gm__ float*)y);
    LocalTensor<float> t{TPosition::VECIN, 0, 16};
    DataCopy(t, gx, 16);
    sync<HardEvent::MTE2_V>();
    ReduceSum(t, t, t, 16);
    DataCopyExtParams out{1, 4, 0, 0, 0};
    DataCopyPad(gy, t, out);
}

// The scratch of the first fill is the second's too.
extern "C" __global__ __aicore__ void filled_twice(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    GlobalTensor<float> gy;
    gy.SetGlobalBuffer((__gm__ float*)y);
    InitOutput<float>(gy, 8, 1.0f);
    InitOutput<float>(gy[8], 8, 2.0f);
}

// Reads past the end of x, within the padding that device allocators add: a warning, and poison.
extern "C" __global__ __aicore__ void past_the_end(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<half> gx, gy;
    gx.SetGlobalBuffer((__gm__ half*)x);
    gy.SetGlobalBuffer((__gm__ half*)y);
    LocalTensor<half> a{TPosition::VECIN, 0, 64};
    DataCopy(a, gx, 16);
    sync<HardEvent::MTE2_MTE3>();
    DataCopy(gy, a, 16);
}

// Scalar control flow on data: no time without values.
extern "C" __global__ __aicore__ void data_dependent(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float*)x, 64);
    gy.SetGlobalBuffer((__gm__ float*)y, 64);
    LocalTensor<float> a{TPosition::VECIN, 0, 64};
    DataCopy(a, gx, 64);
    sync<HardEvent::MTE2_S>();
    if (a.GetValue(0) > 0) DataCopy(gy, a, 64);
}

// Two dependent vector instructions without a barrier.
extern "C" __global__ __aicore__ void chain(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<float> a{TPosition::VECCALC, 0, 64};
    Duplicate(a, 1.0f, 64);
    if (TILING_KEY_IS(1)) PipeBarrier<PIPE_V>();
    Adds(a, a, 1.0f, 64);
}
