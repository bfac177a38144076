// Modes that are left on, memory that is not free, kernels that never end.
#include "seeded.h"

BUG(atomic_left_on) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    sync<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    // ^^^ atomic_left_on
    DataCopy(gm.y, t.b, kCount);
    if (FIXED) SetAtomicNone();
}

BUG(counter_left_on) {
    Tiles t;
    SetMaskCount();
    // ^^^ mask_left_on
    SetVectorMask<float, MaskMode::COUNTER>(0, 100);
    Duplicate<float, false>(t.b, 1.0f, MASK_PLACEHOLDER, 1, 1, 8);
    if (FIXED) SetMaskNorm();
    ResetMask();
}

// Select takes the last 8 KB of UB for itself.
BUG(buffer_in_reserved_ub) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> large;
    pipe.InitBuffer(large, (FIXED ? 184 : 190) * 1024);
    LocalTensor<float> a = large.Get<float>();
    LocalTensor<uint8_t> bits = a[1024].ReinterpretCast<uint8_t>();
    Duplicate(a, 1.0f, 512);
    CompareScalar(bits, a, 0.0f, CMPMODE::GT, 256);
    Select(a[512], bits, a, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 256);
    // ^^^ ub_reserved
}

BUG(endless) {
    while (!FIXED) {
        PipeBarrier<PIPE_V>();
        // ^^^ instruction_limit
    }
}

BUG(failed_assertion) {
    ascendc_assert(FIXED, "the tile must fit");
    // ^^^ assert
}
