// Cores that work together: AI Cores with a cube core and vector cores, flags, signals, turns.
#include "kernel_operator.h"

using namespace AscendC;

template <HardEvent event>
void sync() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

struct Words {
    GlobalTensor<int32_t> gm;
    LocalTensor<int32_t> ub{TPosition::VECCALC, 0, 64};

    explicit Words(GM_ADDR address) { gm.SetGlobalBuffer((__gm__ int32_t*)address); }

    // One block of eight words, through UB.
    void store(int32_t block, int32_t value) {
        Duplicate(ub, value, 8);
        sync<HardEvent::V_MTE3>();
        DataCopy(gm[8 * block], ub, 8);
        sync<HardEvent::MTE3_V>();
    }
    int32_t load(int32_t block) {
        sync<HardEvent::MTE3_MTE2>();
        DataCopy(ub, gm[8 * block], 8);
        sync<HardEvent::MTE2_S>();
        return ub.GetValue(0);
    }
};

// Who am I: kind, block, sub-block, GetBlockIdx, ratio.
void introduce(GM_ADDR y, int32_t place) {
    GlobalTensor<int32_t> gy;
    gy.SetGlobalBuffer((__gm__ int32_t*)y + 16 * place);
    gy.SetValue(0, g_coreType);
    gy.SetValue(1, (int32_t)block_idx);
    gy.SetValue(2, (int32_t)GetSubBlockIdx());
    gy.SetValue(3, (int32_t)GetBlockIdx());
    gy.SetValue(4, (int32_t)GetTaskRatio());
    gy.SetValue(5, (int32_t)GetBlockNum());
}
extern "C" __global__ __aicore__ void names_mix(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    KERNEL_TASK_TYPE(7, KERNEL_TYPE_AIC_ONLY);
    introduce(y, g_coreType == AIC ? 3 * GetBlockIdx() : 3 * block_idx + 1 + GetSubBlockIdx());
}
extern "C" __global__ __aicore__ void names_alone(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    introduce(y, (int32_t)GetBlockIdx());
}

// Both vector cores of each AI Core hand a number to their cube core, which is on its way before them.
extern "C" __global__ __aicore__ void to_cube(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<int32_t> gy;
    gy.SetGlobalBuffer((__gm__ int32_t*)y);
    if ASCEND_IS_AIV {
        Words words(workspace);
        words.store(GetBlockIdx(), 10 + GetBlockIdx());
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
        CrossCoreWaitFlag(4);
        words.store(GetBlockIdx(), 0);
    }
    if ASCEND_IS_AIC {
        GlobalTensor<int32_t> gw;
        gw.SetGlobalBuffer((__gm__ int32_t*)workspace);
        CrossCoreWaitFlag(3);
        gy.SetValue(16 * block_idx, gw.GetValue(16 * block_idx) + gw.GetValue(16 * block_idx + 8));
        CrossCoreSetFlag<2, PIPE_FIX>(4);
    }
}

// Every vector core sees what all wrote before the flag.
extern "C" __global__ __aicore__ void all_flag(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Words words(workspace), out(y);
    words.store(GetBlockIdx(), GetBlockIdx() + 1);
    CrossCoreSetFlag<0, PIPE_MTE3>(1);
    CrossCoreWaitFlag(1);
    int32_t sum = 0;
    for (int i = 0; i < GetBlockNum(); ++i) sum += words.load(i);
    out.store(GetBlockIdx(), sum);
}

// The pair of an AI Core.
extern "C" __global__ __aicore__ void pair_flag(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIC
        return;
    Words words(workspace), out(y);
    words.store(GetBlockIdx(), GetBlockIdx() + 1);
    CrossCoreSetFlag<1, PIPE_MTE3>(1);
    CrossCoreWaitFlag(1);
    out.store(GetBlockIdx(), words.load(GetBlockIdx() ^ 1));
}

// The last core goes first: each core waits for the one after it.
extern "C" __global__ __aicore__ void chain(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Words signals(workspace), out(y);
    LocalTensor<int32_t> scratch{TPosition::VECCALC, 1024, 64};
    const int32_t me = GetBlockIdx(), last = GetBlockNum() - 1;
    int32_t sum = 100;
    if (me != last) {
        IBWait(signals.gm, scratch, me + 1, 0);
        sum = out.load(me + 1) + 1;
    }
    out.store(me, sum);
    IBSet(signals.gm, scratch, me, 0);
}

// In the order of the cores: x -> 2 x + index, twice round.
extern "C" __global__ __aicore__ void turns(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Words cells(workspace), out(y);
    LocalTensor<int32_t> scratch{TPosition::VECCALC, 1024, 256};
    InitDetermineComputeWorkspace(cells.gm, scratch);
    for (int round = 0; round < 2; ++round) {
        WaitPreBlock(cells.gm, scratch);
        if (round == 0 && GetBlockIdx() == 0) out.store(0, 1);
        out.store(0, 2 * out.load(0) + GetBlockIdx());
        NotifyNextBlock(cells.gm, scratch);
    }
}

// SyncAll of the first two cores only.
extern "C" __global__ __aicore__ void some_cores(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    Words cells(workspace), out(y);
    LocalTensor<int32_t> scratch{TPosition::VECCALC, 1024, 64};
    if (GetBlockIdx() < 2) out.store(GetBlockIdx(), 5 + GetBlockIdx());
    SyncAll(cells.gm, scratch, 2);
    if (GetBlockIdx() < 2) out.store(2 + GetBlockIdx(), out.load(1 - GetBlockIdx()));
}

// SyncAll<false>: cube cores too.
extern "C" __global__ __aicore__ void everyone(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    Words out(y);
    if ASCEND_IS_AIV {
        out.store(GetBlockIdx(), 7);
    }
    SyncAll<false>();
    if ASCEND_IS_AIC {
        out.gm.SetValue(16 * 8 + 16 * GetBlockIdx(), out.gm.GetValue(8 * GetBlockIdx()) + 1);
    }
}

// All cores prepare the same block and each reads what it wrote there; core 1 has a value of its own where `step` is 1.
inline void prepare(GM_ADDR y, GM_ADDR workspace, int32_t step) {
    Words shared(workspace), out(y);
    shared.store(0, 7 + step * (int32_t)GetBlockIdx());
    out.store(GetBlockIdx(), shared.load(0));
}
extern "C" __global__ __aicore__ void same_copy(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    prepare(y, workspace, 0);
}
extern "C" __global__ __aicore__ void other_copy(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    prepare(y, workspace, 1);
}

// Cores 0 and 1 prepare a block each, three times; cores 2 to 4 add both up, each time after both have arrived.
extern "C" __global__ __aicore__ void groups(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GroupBarrier<PipeMode::MTE3_MODE> ready(workspace, 2, 3), taken(workspace + 4096, 3, 2);
    Words words(workspace + 6144), out(y);
    const int32_t me = GetBlockIdx();
    int32_t sum = 0;
    for (int32_t round = 0; round < 3; ++round) {
        if (me < 2) {
            words.store(me, 10 * round + me + 1);
            ready.Arrive(me);
            taken.Wait(me);
        } else {
            ready.Wait(me - 2);
            sum += words.load(0) + words.load(1);
            taken.Arrive(me - 2);
        }
    }
    if (me >= 2) out.store(me - 2, sum);
    if (me == 0) out.store(3, ready.GetWorkspaceLen());
}
// Nobody arrives.
extern "C" __global__ __aicore__ void group_alone(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GroupBarrier<PipeMode::MTE3_MODE> ready(workspace, 1, 2);
    ready.Wait(GetBlockIdx());
}
