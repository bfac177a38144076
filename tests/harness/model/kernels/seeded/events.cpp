// Events that do not pair.
#include "seeded.h"

BUG(wrong_event) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(FIXED ? EVENT_ID1 : EVENT_ID2);
    // ^^^ flag_wait
    DataCopy(gm.y, t.b, kCount);
}

BUG(flag_left) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
    // ^^^ flag_unpaired
    if (FIXED) WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

BUG(flag_twice) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a, gm.x, kCount);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
    if (FIXED) WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
    // ^^^ flag_twice
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

BUG(event_out_of_range) {
    SetFlag<HardEvent::MTE2_V>(FIXED ? 7 : 8);
    // ^^^ event_range
    WaitFlag<HardEvent::MTE2_V>(7);
}

BUG(too_many_events) {
    const int buffers = FIXED ? 8 : 9;
    TPipe pipe;
    Queue in;
    pipe.InitBuffer(in, buffers, 1024);
    for (int i = 0; i < buffers; ++i) {
        LocalTensor<float> t = in.AllocTensor<float>();
        in.EnQue(t);
        // ^^^ event_exhausted
    }
    while (in.HasTensorInQue()) {
        LocalTensor<float> t = in.DeQue<float>();
        in.FreeTensor(t);
        if (!FIXED) pipe.Reset();
        if (!FIXED) return;
    }
}

BUG(events_all_taken) {
    TPipe pipe;
    const int most = FIXED ? 8 : 9;
    for (int i = 0; i < most; ++i) {
        pipe.AllocEventID<HardEvent::V_MTE3>();
        // ^^^ event_exhausted
    }
    for (int i = 0; i < most; ++i) pipe.ReleaseEventID<HardEvent::V_MTE3>(i < 8 ? i : 7);
}
