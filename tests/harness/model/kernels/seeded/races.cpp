// One pipe uses what another may still be working on.
#include "seeded.h"

BUG(missing_mte2_v) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    if (FIXED) sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
    // ^^^ race_raw MTE2_V
    store(gm, t);
}

BUG(missing_v_mte3) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
    if (FIXED) sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, t.b, kCount);
    // ^^^ race_raw V_MTE3
}

BUG(missing_v_mte2) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    sync<HardEvent::MTE2_V>();
    Adds(t.b, t.a, 1.0f, kCount);
    if (FIXED) sync<HardEvent::V_MTE2>();
    DataCopy(t.a, gm.x, kCount);
    // ^^^ race_war V_MTE2
    sync<HardEvent::MTE2_V>();
    store(gm, t);
}

BUG(missing_mte3_v) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    store(gm, t);
    if (FIXED) sync<HardEvent::MTE3_V>();
    Duplicate(t.b, 2.0f, kCount);
    // ^^^ race_war MTE3_V
}

// Without the compiler's own flags.
BUG(missing_v_s) {  // strict
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 3.0f, kCount);
    if (FIXED) sync<HardEvent::V_S>();
    float first = t.b.GetValue(0);
    // ^^^ race_raw V_S
    if (FIXED) PipeBarrier<PIPE_V>();
    Adds(t.b, t.b, first, kCount);
    store(gm, t);
}

// The first value comes in time, the second does not: the vector unit has begun to write there again.
BUG(missing_v_s_again) {  // strict
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 3.0f, kCount);
    sync<HardEvent::V_S>();
    float first = t.b.GetValue(0);
    PipeBarrier<PIPE_V>();
    Duplicate(t.b, 4.0f, kCount);
    if (FIXED) sync<HardEvent::V_S>();
    first += t.b.GetValue(0);
    // ^^^ race_raw V_S
    if (FIXED) PipeBarrier<PIPE_V>();
    Adds(t.b, t.b, first, kCount);
    store(gm, t);
}

BUG(missing_mte2_v_write) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.b, gm.x, kCount);
    if (FIXED) sync<HardEvent::MTE2_V>();
    Duplicate(t.b, 1.0f, kCount);
    // ^^^ race_waw MTE2_V
    store(gm, t);
}

// The wait is there, but only on one of two paths.
BUG(wait_in_one_branch) {
    Gm gm(x, y, workspace);
    Tiles t;
    const bool use_bias = GetBlockNum() > 1;
    DataCopy(t.a, gm.x, kCount);
    if (FIXED) sync<HardEvent::MTE2_V>();
    if (use_bias) {
        sync<HardEvent::MTE2_V>();
        Adds(t.a, t.a, 1.0f, kCount);
    }
    Muls(t.b, t.a, 2.0f, kCount);
    // ^^^ race_raw MTE2_V
    store(gm, t);
}

// A flag between the wrong pipes.
BUG(wrong_pair) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    if (FIXED) {
        sync<HardEvent::V_MTE3>();
    } else {
        sync<HardEvent::V_MTE2>();
    }
    DataCopy(gm.y, t.b, kCount);
    // ^^^ race_raw V_MTE3
}

// A barrier of one pipe holds no other back.
BUG(barrier_of_one_pipe) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    if (FIXED) {
        PipeBarrier<PIPE_ALL>();
    } else {
        PipeBarrier<PIPE_V>();
    }
    DataCopy(gm.y, t.b, kCount);
    // ^^^ race_raw V_MTE3
}

BUG(copy_through) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    if (FIXED) sync<HardEvent::MTE2_MTE3>();
    DataCopy(gm.y, t.a, kCount);
    // ^^^ race_raw MTE2_MTE3
}

// Queues order a buffer, not an address of global memory.
BUG(read_back) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    OutQueue out;
    Queue in;
    pipe.InitBuffer(out, 1, kCount * 4);
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = out.AllocTensor<float>();
    Duplicate(t, 1.0f, kCount);
    out.EnQue(t);
    t = out.DeQue<float>();
    DataCopy(gm.w, t, kCount);
    out.FreeTensor(t);
    if (FIXED) sync<HardEvent::MTE3_MTE2>();
    t = in.AllocTensor<float>();
    DataCopy(t, gm.w[8], kCount - 8);
    // ^^^ race_raw MTE3_MTE2
    in.EnQue(t);
    t = in.DeQue<float>();
    in.FreeTensor(t);
}

// A bound queue orders the transfer in and the transfer out; a vector call between them needs the positions.
BUG(bound_queue_without_positions) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bound;
    pipe.InitBuffer(bound, 1, kCount * 4);
    LocalTensor<float> t = bound.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    if (FIXED) {
        bound.EnQue<TPosition::GM, TPosition::VECIN, float>(t);
        t = bound.DeQue<TPosition::GM, TPosition::VECIN, float>();
    } else {
        bound.EnQue(t);
        t = bound.DeQue<float>();
    }
    Adds(t, t, 1.0f, kCount);
    // ^^^ race_raw
    bound.EnQue<TPosition::VECOUT, TPosition::GM, float>(t);
    t = bound.DeQue<TPosition::VECOUT, TPosition::GM, float>();
    DataCopy(gm.y, t, kCount);
    bound.FreeTensor(t);
}
