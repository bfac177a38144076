// Addresses and lengths that a unit cannot do.
#include "seeded.h"

BUG(unaligned_length) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, t.b, FIXED ? 8 : 9);
    // ^^^ copy_unaligned
}

BUG(misaligned_operand) {
    Gm gm(x, y, workspace);
    LocalTensor<half> h{TPosition::VECIN, 0, 2 * kCount};
    Duplicate(h[FIXED ? 16 : 3], half(1.0f), 128);
    // ^^^ ub_misaligned
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y, h[16].ReinterpretCast<float>(), 8);
}

BUG(misaligned_copy) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopy(t.a[FIXED ? 8 : 1], gm.x, 8);
    // ^^^ ub_misaligned
}

BUG(too_many_blocks) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, kCount);
    sync<HardEvent::V_MTE3>();
    DataCopyPad(gm.y, t.b, DataCopyExtParams{(uint16_t)(FIXED ? 40 : 5000), 4, 0, 0, 0});
    // ^^^ copy_params
}

// Indices are given where offsets in bytes are asked for.
BUG(gather_by_index) {
    Gm gm(x, y, workspace);
    Tiles t;
    LocalTensor<int32_t> index{TPosition::VECCALC, 8192, 64};
    DataCopy(t.a, gm.x, kCount);
    CreateVecIndex(index, 0, 64);
    if (FIXED) Muls(index, index, 4, 64);
    sync<HardEvent::MTE2_V>();
    Gather(t.b, t.a, index.ReinterpretCast<uint32_t>(), 0, 64);
    // ^^^ gather_offset
}
