// Queues and tensors that are used out of order.
#include "seeded.h"

BUG(missing_free) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> t = in.AllocTensor<float>();
        // ^^^ queue_alloc
        DataCopy(t, gm.x, kCount);
        in.EnQue(t);
        t = in.DeQue<float>();
        Adds(t, t, 1.0f, kCount);
        if (FIXED) in.FreeTensor(t);
    }
}

BUG(missing_enque) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    if (FIXED) in.EnQue(t);
    t = in.DeQue<float>();
    // ^^^ queue_deque
    Adds(t, t, 1.0f, kCount);
    in.FreeTensor(t);
}

BUG(leak) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    if (FIXED) {
        t = in.DeQue<float>();
        in.FreeTensor(t);
    }
    pipe.Destroy();
    // ^^^ queue_leak
}

BUG(never_freed) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 2, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    t = in.DeQue<float>();
    Adds(t, t, 1.0f, kCount);
    if (FIXED) in.FreeTensor(t);
    pipe.Destroy();
    // ^^^ queue_leak
}

BUG(double_free) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    OutQueue out;
    pipe.InitBuffer(out, 2, kCount * 4);
    LocalTensor<float> t = out.AllocTensor<float>();
    Duplicate(t, 1.0f, kCount);
    out.EnQue(t);
    t = out.DeQue<float>();
    DataCopy(gm.y, t, kCount);
    out.FreeTensor(t);
    if (!FIXED) {
        out.FreeTensor(t);
        // ^^^ queue_free
    }
}

BUG(free_before_deque) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    if (!FIXED) {
        in.FreeTensor(t);
        // ^^^ queue_free
    }
    t = in.DeQue<float>();
    in.FreeTensor(t);
}

BUG(free_of_other_queue) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue one, two;
    pipe.InitBuffer(one, 1, kCount * 4);
    pipe.InitBuffer(two, 1, kCount * 4);
    LocalTensor<float> t = one.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    one.EnQue(t);
    t = one.DeQue<float>();
    if (FIXED) {
        one.FreeTensor(t);
    } else {
        two.FreeTensor(t);
        // ^^^ queue_owner
    }
}

BUG(free_between_other_pipes) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    OutQueue out;
    pipe.InitBuffer(in, 1, kCount * 4);
    pipe.InitBuffer(out, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    t = in.DeQue<float>();
    if (FIXED) {
        in.FreeTensor(t);
    } else {
        out.FreeTensor(t);
        // ^^^ queue_free
    }
}

BUG(enque_in_other_queue) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    OutQueue one, two;
    pipe.InitBuffer(one, 1, kCount * 4);
    pipe.InitBuffer(two, 1, 2 * kCount * 4);
    LocalTensor<float> t = FIXED ? two.AllocTensor<float>() : one.AllocTensor<float>();
    Duplicate(t, 1.0f, kCount);
    two.EnQue(t);
    // ^^^ queue_owner
    t = two.DeQue<float>();
    DataCopy(gm.y, t, kCount);
    two.FreeTensor(t);
    if (!FIXED) {
        t = one.AllocTensor<float>();
        one.FreeTensor(t);
    }
}

BUG(enque_twice) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 2, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    if (!FIXED) {
        in.EnQue(t);
        // ^^^ queue_enque
    }
    t = in.DeQue<float>();
    in.FreeTensor(t);
}

BUG(enque_of_freed) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    if (!FIXED) in.FreeTensor(t);
    in.EnQue(t);
    // ^^^ queue_enque
    t = in.DeQue<float>();
    in.FreeTensor(t);
}

BUG(queue_without_buffer) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    if (FIXED) pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    // ^^^ queue_uninitialised
    in.FreeTensor(t);
}

// The next tile may be loaded into it already.
BUG(use_after_free) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    TBuf<TPosition::VECCALC> sum;
    pipe.InitBuffer(in, 1, kCount * 4);
    pipe.InitBuffer(sum, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    t = in.DeQue<float>();
    if (!FIXED) in.FreeTensor(t);
    Adds(sum.Get<float>(), t, 1.0f, kCount);
    // ^^^ tensor_freed
    if (FIXED) in.FreeTensor(t);
}

BUG(value_after_free) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    t = in.DeQue<float>();
    sync<HardEvent::MTE2_S>();
    if (!FIXED) in.FreeTensor(t);
    if (t.GetValue(0) < 0) return;
    // ^^^ tensor_freed
    if (FIXED) in.FreeTensor(t);
}

// The first look at the block finds nothing wrong.
BUG(value_again_after_free) {
    Gm gm(x, y, workspace);
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, 1, kCount * 4);
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, gm.x, kCount);
    in.EnQue(t);
    t = in.DeQue<float>();
    sync<HardEvent::MTE2_S>();
    float sum = t.GetValue(0);
    if (!FIXED) in.FreeTensor(t);
    sum += t.GetValue(1);
    // ^^^ tensor_freed
    if (FIXED) in.FreeTensor(t);
    if (sum < 0) return;
}
