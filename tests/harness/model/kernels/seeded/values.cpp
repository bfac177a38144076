// Values that nobody gave.
#include "seeded.h"

BUG(uninitialised) {
    Gm gm(x, y, workspace);
    Tiles t;
    if (FIXED) Duplicate(t.a, 1.0f, kCount);
    Adds(t.b, t.a, 1.0f, kCount);
    // ^^^ ub_uninitialised
    store(gm, t);
}

// The last block is filled up, but not with zeros.
BUG(sum_over_filler) {
    Gm gm(x, y, workspace);
    Tiles t;
    LocalTensor<float> work{TPosition::VECCALC, 8192, kCount};
    DataCopyPad(t.a, gm.x, DataCopyExtParams{1, 400, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
    sync<HardEvent::MTE2_V>();
    ReduceSum(t.b, t.a, work, FIXED ? 100 : 104);
    // ^^^ filler_read
}

// The sum of each row of four.
BUG(row_sums_over_filler) {
    Gm gm(x, y, workspace);
    Tiles t;
    DataCopyPadExtParams<float> pad{FIXED, 0, 4, 0.0f};
    DataCopyPad(t.a, gm.x, DataCopyExtParams{4, 80, 0, 0, 0}, pad);
    sync<HardEvent::MTE2_V>();
    WholeReduceSum(t.b, t.a, 24, 4, 1, 1, 3);
    // ^^^ filler_read
}

BUG(overlapping_operands) {
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.a, 1.0f, kCount);
    Adds(FIXED ? t.b : t.a[8], t.a, 1.0f, 256);
    // ^^^ overlap
}
