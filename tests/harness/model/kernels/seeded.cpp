// Small kernels with one mistake each, and their repaired twins. `case_<name>` runs the mistake when `fixed` is false;
// the line that carries `// !! code` is where the runtime must report `code`. The tiling key picks case and variant:
// 2 * index + fixed, in the order of the `CASE` lines at the end.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kCount = 512;  // floats in a tile

struct Gm {
    GlobalTensor<float> x;
    GlobalTensor<float> y;
};

using Queue = TQue<TPosition::VECIN, 1>;
using OutQueue = TQue<TPosition::VECOUT, 1>;

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

void store(Gm& gm, Tiles& t) {
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, t.b, kCount);
}

void case_missing_mte2_v(Gm& gm, bool fixed) {
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    if (fixed) sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);  // !! race_raw
    store(gm, t);
}

void case_missing_v_mte3(Gm& gm, bool fixed) {
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
    if (fixed) sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, t.b, kCount);  // !! race_raw
}

void case_missing_v_mte2(Gm& gm, bool fixed) {
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
    if (fixed) sync<HardEvent::V_MTE2>();
    DataCopy(t.a, gm.x, kCount);  // !! race_war
    sync<HardEvent::MTE2_V>();
    store(gm, t);
}

void case_missing_mte3_v(Gm& gm, bool fixed) {
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    store(gm, t);
    if (fixed) sync<HardEvent::MTE3_V>();
    Duplicate(t.b, 2.0f, kCount);  // !! race_war
}

void case_missing_v_s(Gm& gm, bool fixed) {
    Tiles t;
    Duplicate(t.b, 3.0f, kCount);
    if (fixed) sync<HardEvent::V_S>();
    float first = t.b.GetValue(0);  // !! race_raw
    Adds(t.b, t.b, first, kCount);
    store(gm, t);
}

void case_missing_mte2_v_write(Gm& gm, bool fixed) {
    Tiles t;
    DataCopy(t.b, gm.x, kCount);
    if (fixed) sync<HardEvent::MTE2_V>();
    Duplicate(t.b, 1.0f, kCount);  // !! race_waw
    store(gm, t);
}

void case_missing_free(Gm& gm, bool fixed) {
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> x = in.AllocTensor<float>();  // !! queue_alloc
        DataCopy(x, gm.x, kCount);
        in.EnQue(x);
        x = in.DeQue<float>();
        Adds(x, x, 1.0f, kCount);
        if (fixed) in.FreeTensor(x);
    }
}

void case_missing_enque(Gm& gm, bool fixed) {
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> x = in.AllocTensor<float>();
    DataCopy(x, gm.x, kCount);
    if (fixed) in.EnQue(x);
    x = in.DeQue<float>();  // !! queue_deque
    Adds(x, x, 1.0f, kCount);
    in.FreeTensor(x);
}

void case_leak(Gm& gm, bool fixed) {
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> x = in.AllocTensor<float>();
    DataCopy(x, gm.x, kCount);
    in.EnQue(x);
    if (fixed) {
        x = in.DeQue<float>();
        in.FreeTensor(x);
    }
    pipe.Destroy();  // !! queue_leak
}

void case_double_free(Gm& gm, bool fixed) {
    TPipe pipe;
    OutQueue out;
    pipe.InitBuffer(out, 2, kCount * 4);
    LocalTensor<float> y = out.AllocTensor<float>();
    Duplicate(y, 1.0f, kCount);
    out.EnQue(y);
    y = out.DeQue<float>();
    DataCopy(gm.y, y, kCount);
    out.FreeTensor(y);
    if (!fixed) {
        out.FreeTensor(y);  // !! queue_free
    }
}

void case_ub_overflow(Gm&, bool fixed) {
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 2, fixed ? 98304 : 98336);  // !! ub_overflow
}

void case_gm_out_of_bounds(Gm& gm, bool fixed) {
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y[fixed ? 0 : kCount], t.b, kCount);  // !! gm_out_of_bounds
}

void case_wrong_event(Gm& gm, bool fixed) {
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(fixed ? EVENT_ID1 : EVENT_ID2);  // !! flag_wait
    DataCopy(gm.y, t.b, kCount);
}

void case_unaligned_length(Gm& gm, bool fixed) {
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, t.b, fixed ? 8 : 9);  // !! copy_unaligned
}

void case_misaligned_operand(Gm& gm, bool fixed) {
    LocalTensor<half> h{TPosition::VECIN, 0, 2 * kCount};
    Duplicate(h[fixed ? 16 : 3], half(1.0f), 128);  // !! ub_misaligned
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, h[16].ReinterpretCast<float>(), 8);
}

void case_misaligned_copy(Gm& gm, bool fixed) {
    Tiles t;
    DataCopy(t.a[fixed ? 8 : 1], gm.x, 8);  // !! ub_misaligned
}

void case_two_writers(Gm& gm, bool fixed) {
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y[GetBlockIdx() * (fixed ? 256 : 128)], t.b, 256);  // !! gm_write_conflict
}

void case_flag_left(Gm& gm, bool fixed) {
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);  // !! flag_unpaired
    if (fixed) WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

void case_flag_twice(Gm& gm, bool fixed) {
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
    if (fixed) WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);  // !! flag_twice
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

void case_sync_alone(Gm&, bool fixed) {
    if (fixed || GetBlockIdx() == 0) {
        SyncAll();  // !! sync_deadlock
    }
}

void case_endless(Gm&, bool fixed) {
    while (!fixed) {
        PipeBarrier<PIPE_V>();  // !! instruction_limit
    }
}

void case_past_the_buffer(Gm&, bool fixed) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> small, next;
    pipe.InitBuffer(small, 256);
    pipe.InitBuffer(next, 256);
    Duplicate(small.Get<float>(), 1.0f, fixed ? 64 : 72);  // !! buffer_overrun
}

void case_too_many_events(Gm&, bool fixed) {
    const int buffers = fixed ? 8 : 9;
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, buffers, 1024);
    for (int i = 0; i < buffers; ++i) {
        LocalTensor<float> x = in.AllocTensor<float>();
        in.EnQue(x);  // !! event_exhausted
    }
    while (in.HasTensorInQue()) {
        LocalTensor<float> x = in.DeQue<float>();
        in.FreeTensor(x);
        if (!fixed) pipe.Reset();
        if (!fixed) return;
    }
}

void case_assert(Gm&, bool fixed) {
    ascendc_assert(fixed);  // !! assert
}

#define CASES(CASE)               \
    CASE(0, missing_mte2_v)       \
    CASE(1, missing_v_mte3)       \
    CASE(2, missing_v_mte2)       \
    CASE(3, missing_mte3_v)       \
    CASE(4, missing_v_s)          \
    CASE(5, missing_mte2_v_write) \
    CASE(6, missing_free)         \
    CASE(7, missing_enque)        \
    CASE(8, leak)                 \
    CASE(9, double_free)          \
    CASE(10, ub_overflow)         \
    CASE(11, gm_out_of_bounds)    \
    CASE(12, wrong_event)         \
    CASE(13, unaligned_length)    \
    CASE(14, misaligned_operand)  \
    CASE(15, misaligned_copy)     \
    CASE(16, two_writers)         \
    CASE(17, flag_left)           \
    CASE(18, flag_twice)          \
    CASE(19, sync_alone)          \
    CASE(20, endless)             \
    CASE(21, past_the_buffer)     \
    CASE(22, too_many_events)     \
    CASE(23, assert)

#define RUN(index, name)                                            \
    if (TILING_KEY_IS(2 * index) || TILING_KEY_IS(2 * index + 1)) { \
        case_##name(gm, TILING_KEY_IS(2 * index + 1));              \
    }

extern "C" __global__ __aicore__ void seeded(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Gm gm;
    gm.x.SetGlobalBuffer((__gm__ float*)x, kCount);
    gm.y.SetGlobalBuffer((__gm__ float*)y, kCount);
    CASES(RUN)
}

// A fault in the kernel itself.
extern "C" __global__ __aicore__ void null_pointer(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;  // !! fault
}

extern "C" __global__ __aicore__ void deep_recursion(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    volatile char frame[4096];
    frame[0] = 1;
    deep_recursion(x, y, workspace, tiling);  // !! fault
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
