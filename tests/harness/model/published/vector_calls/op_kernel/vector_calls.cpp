// Runs of one vector instruction, or of two in turn, with nothing else: what single-instruction tables measure.
#include "kernel_operator.h"
#include "runs.h"

using namespace AscendC;

template <typename T>
__aicore__ inline void OfType(const Work& work) {
    if (!Binary<T>(work) && !Unary<T>(work) && !Reduction<T>(work) && !Movement<T>(work)) {
        Trap();
    }
}

// Two dependent reductions in turn, with the mask set once for each as a count.
__aicore__ inline void Sequence(const Work& work) {
    const LocalTensor<float> x = At<float>(work.src0), between = At<float>(work.src1), z = At<float>(work.dst);
    SetMaskCount();
    for (uint32_t call = 0; call < work.calls; ++call) {
        const uint32_t partial = work.op == OP_BLOCK_SUM ? work.repeats * 8 : work.repeats;
        SetVectorMask<float, MaskMode::COUNTER>(0, work.repeats * 64);
        if (work.op == OP_BLOCK_SUM) {
            BlockReduceSum<float, false>(between, x, 1, MASK_PLACEHOLDER, 1, 1, 8);
        } else {
            WholeReduceSum<float, false>(between, x, MASK_PLACEHOLDER, 1, 1, 1, 8);
        }
        PipeBarrier<PIPE_V>();
        SetVectorMask<float, MaskMode::COUNTER>(0, partial);
        WholeReduceSum<float, false>(z, between, MASK_PLACEHOLDER, 1, 1, 1, 8);
        PipeBarrier<PIPE_V>();
    }
    SetMaskNorm();
    ResetMask();
}

extern "C" __global__ __aicore__ void vector_calls(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    Work work;
    work.op = data.work[0];
    work.repeats = data.work[2];
    work.calls = data.work[3];
    work.src0 = data.work[4];
    work.src1 = data.work[5];
    work.dst = data.work[6];
    work.keep = data.work[7] != 0;
    work.block0 = data.work[8];
    work.stride0 = data.work[9];
    if (data.work[7] == 2) {
        Sequence(work);
        return;
    }
    switch (data.work[1]) {
        case 0:
            return OfType<half>(work);
        case 1:
            return OfType<float>(work);
        case 2:
            return OfType<int16_t>(work);
        case 3:
            return OfType<int32_t>(work);
        case 4:
            return OfType<uint16_t>(work);
        case 5:
            return OfType<uint32_t>(work);
        default:
            Casts(work, data.work[1]);
    }
}
