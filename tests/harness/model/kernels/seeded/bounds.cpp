// Accesses outside of a memory, a buffer or an argument.
#include "seeded.h"

BUG(ub_overflow) {
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 2, FIXED ? 98304 : 98336);
    // ^^^ ub_overflow
}

BUG(touches_a_buffer_that_does_not_fit) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> most, rest;
    pipe.InitBuffer(most, FIXED ? 196352 : 196608);
    pipe.InitBuffer(rest, 256);
    Duplicate(rest.Get<float>(), 1.0f, 64);
}

BUG(l1_overflow) {
    TPipe pipe;
    TQue<TPosition::A1, 1> a;
    pipe.InitBuffer(a, 2, FIXED ? 262144 : 262176);
    // ^^^ ub_overflow
}

BUG(static_tensor_beyond_ub) {
    LocalTensor<float> t{TPosition::VECCALC, 192 * 1024 - 256, 128};
    Duplicate(t, 1.0f, FIXED ? 64 : 128);
    // ^^^ ub_overflow
}

BUG(past_the_last_buffer) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> last;
    pipe.InitBuffer(last, 256);
    Duplicate(last.Get<float>(), 1.0f, FIXED ? 64 : 72);
    // ^^^ buffer_overrun
}

BUG(past_the_buffer) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> small, next;
    pipe.InitBuffer(small, 256);
    pipe.InitBuffer(next, 256);
    Duplicate(small.Get<float>(), 1.0f, FIXED ? 64 : 72);
    // ^^^ buffer_overrun
}

BUG(copy_past_the_buffer) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in, next;
    pipe.InitBuffer(in, 1, 256);
    pipe.InitBuffer(next, 1, 256);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, FIXED ? 64 : 128);
    // ^^^ buffer_overrun
    in.EnQue(t);
    t = in.DeQue<float>();
    in.FreeTensor(t);
}

BUG(gm_write_out_of_bounds) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y[FIXED ? 0 : kCount], t.b, kCount);
    // ^^^ gm_out_of_bounds
}

BUG(gm_read_out_of_bounds) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a, gm.x[FIXED ? 0 : 64], kCount);
    // ^^^ gm_out_of_bounds
}

BUG(gm_value_out_of_bounds) {
    Gm gm(x, y, workspace);
    if (gm.x.GetValue(FIXED ? 511 : 600) < 0) return;
    // ^^^ gm_out_of_bounds
}
