// Cores that get in each other's way, or wait for each other in vain.
#include "seeded.h"

BUG(two_writers) {  // cores: 2
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f + GetBlockIdx(), kCount);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.y[GetBlockIdx() * (FIXED ? 256 : 128)], t.b, 256);
    // ^^^ gm_write_conflict
}

// Rows of 101 elements, rounded up to whole blocks.
BUG(rows_rounded_up) {  // cores: 4
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f + GetBlockIdx(), kCount);
    sync<HardEvent::V_MTE3>();
    if (FIXED) {
        DataCopyPad(gm.y[GetBlockIdx() * 101], t.b, DataCopyExtParams{1, 404, 0, 0, 0});
    } else {
        DataCopy(gm.y[GetBlockIdx() * 101], t.b, 104);
        // ^^^ gm_write_conflict
    }
}

// Each core reads what its neighbour has just written.
BUG(read_without_sync) {  // cores: 3
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, 64);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.w[64 * GetBlockIdx()], t.b, 64);
    if (FIXED) SyncAll();
    DataCopy(t.a, gm.w[64 * ((GetBlockIdx() + 1) % GetBlockNum())], 64);
    // ^^^ gm_read_conflict
}

// The flag follows the vector pipe, but the store is on MTE3.
BUG(flag_behind_wrong_pipe) {  // cores: 2
    Gm gm(x, y, workspace);
    Tiles t;
    Duplicate(t.b, 1.0f, 64);
    sync<HardEvent::V_MTE3>();
    DataCopy(gm.w[64 * GetBlockIdx()], t.b, 64);
    if (FIXED) {
        CrossCoreSetFlag<0, PIPE_MTE3>(2);
    } else {
        CrossCoreSetFlag<0, PIPE_V>(2);
    }
    CrossCoreWaitFlag(2);
    DataCopy(t.a, gm.w[64 * (1 - GetBlockIdx())], 64);
    // ^^^ gm_read_conflict
}

BUG(sync_alone) {  // cores: 2
    if (FIXED || GetBlockIdx() == 0) {
        SyncAll();
        // ^^^ sync_deadlock
    }
}

BUG(flag_never_set) {  // cores: 2
    if (FIXED || GetBlockIdx() == 1) CrossCoreSetFlag<0, PIPE_MTE3>(1);
    CrossCoreWaitFlag(1);
    // ^^^ sync_deadlock
}

BUG(signal_of_another_event) {  // cores: 2
    GlobalTensor<int32_t> cells;
    cells.SetGlobalBuffer((__gm__ int32_t*)workspace);
    LocalTensor<int32_t> scratch{TPosition::VECCALC, 0, 64};
    if (GetBlockIdx() == 1) {
        IBWait(cells, scratch, 0, FIXED ? 0 : 1);
        // ^^^ sync_deadlock
    } else {
        IBSet(cells, scratch, 0, 0);
    }
}

BUG(turn_not_passed) {  // cores: 3
    GlobalTensor<int32_t> cells;
    cells.SetGlobalBuffer((__gm__ int32_t*)workspace);
    LocalTensor<int32_t> scratch{TPosition::VECCALC, 0, 256};
    InitDetermineComputeWorkspace(cells, scratch);
    WaitPreBlock(cells, scratch);
    // ^^^ sync_deadlock
    if (FIXED || GetBlockIdx() != 1) NotifyNextBlock(cells, scratch);
}

// Words of one cache line, each set by another core.
BUG(one_cache_line) {  // cores: 2
    Gm gm(x, y, workspace);
    gm.y.SetValue(GetBlockIdx() * (FIXED ? 16 : 1), 1.0f);
    // ^^^ gm_cache_line
}

// What SetValue wrote may lie in the cache yet.
BUG(value_not_flushed) {
    Gm gm(x, y, workspace);
    Tiles t;
    gm.w.SetValue(0, 1.0f);
    if (FIXED) DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm.w);
    sync<HardEvent::S_MTE2>();
    DataCopy(t.a, gm.w, 16);
    // ^^^ gm_cache
}

// The first core reads a word of global memory until the last has set it, and then what that core stored before.
BUG(polls_in_vain) {  // cores: 2
    Gm gm(x, y, workspace);
    Tiles t;
    const auto refresh = [&gm] {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm.w);
        // ^^^ sync_deadlock
    };
    if (GetBlockIdx() == 0) {
        do {
            refresh();
        } while (gm.w.GetValue(0) != 7.0f);
        DataCopy(t.a, gm.w[512], 256);
        sync<HardEvent::MTE2_MTE3>();
        DataCopy(gm.y, t.a, 256);
    } else {
        Duplicate(t.b, 3.0f, 256);
        sync<HardEvent::V_MTE3>();
        DataCopy(gm.w[512], t.b, 256);
        sync<HardEvent::MTE3_S>();
        if (FIXED) gm.w.SetValue(0, 7.0f);
        refresh();
    }
}

// The word is set before the data are stored.
BUG(signals_too_early) {  // cores: 2
    Gm gm(x, y, workspace);
    Tiles t;
    const auto refresh = [&gm] {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm.w);
    };
    if (GetBlockIdx() == 0) {
        while (gm.w.GetValue(0) != 7.0f) refresh();
        DataCopy(t.a, gm.w[512], 256);
        // ^^^ gm_read_conflict
        sync<HardEvent::MTE2_MTE3>();
        DataCopy(gm.y, t.a, 256);
    } else {
        Duplicate(t.b, 3.0f, 256);
        sync<HardEvent::V_MTE3>();
        if (!FIXED) {
            gm.w.SetValue(0, 7.0f);
            refresh();
        }
        DataCopy(gm.w[512], t.b, 256);
        sync<HardEvent::MTE3_S>();
        if (FIXED) {
            gm.w.SetValue(0, 7.0f);
            refresh();
        }
    }
}
