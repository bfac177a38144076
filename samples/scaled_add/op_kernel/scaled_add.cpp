// y = x1 + alpha * x2. The arithmetic is done in float, except for float16 alone, which stays in half:
// bfloat16 has no vector add on this core and needs two float work buffers.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 1;

template <typename T>
class ScaledAddKernel {
  public:
    __aicore__ inline ScaledAddKernel() {}

    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const uint64_t totalLength,
                                const uint64_t coreLength, const uint32_t tileLength, const float alpha, TPipe* pipe) {
        const uint64_t start = coreLength * GetBlockIdx();
        const uint64_t left = totalLength - start;
        this->length = left < coreLength ? left : coreLength;
        this->tileLength = tileLength;
        this->alpha = alpha;
        x1Gm.SetGlobalBuffer((__gm__ T*)x1 + start, this->length);
        x2Gm.SetGlobalBuffer((__gm__ T*)x2 + start, this->length);
        yGm.SetGlobalBuffer((__gm__ T*)y + start, this->length);
        pipe->InitBuffer(x1Queue, BUFFER_NUM, tileLength * sizeof(T));
        pipe->InitBuffer(x2Queue, BUFFER_NUM, tileLength * sizeof(T));
        pipe->InitBuffer(yQueue, BUFFER_NUM, tileLength * sizeof(T));
        if constexpr (sizeof(T) == 2 && !std::is_same<T, half>::value) {
            pipe->InitBuffer(work1, tileLength * sizeof(float));
            pipe->InitBuffer(work2, tileLength * sizeof(float));
        }
    }

    __aicore__ inline void Process() {
        for (uint64_t offset = 0; offset < this->length; offset += this->tileLength) {
            const uint64_t left = this->length - offset;
            const uint32_t count = static_cast<uint32_t>(left < this->tileLength ? left : this->tileLength);
            CopyIn(offset, count);
            Compute(count);
            CopyOut(offset, count);
        }
    }

  private:
    __aicore__ inline void CopyIn(uint64_t offset, uint32_t count) {
        LocalTensor<T> x1 = x1Queue.template AllocTensor<T>();
        LocalTensor<T> x2 = x2Queue.template AllocTensor<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        DataCopyPad(x1, x1Gm[offset], copy, pad);
        DataCopyPad(x2, x2Gm[offset], copy, pad);
        x1Queue.EnQue(x1);
        x2Queue.EnQue(x2);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x1 = x1Queue.template DeQue<T>();
        LocalTensor<T> x2 = x2Queue.template DeQue<T>();
        LocalTensor<T> y = yQueue.template AllocTensor<T>();
        if constexpr (std::is_same<T, float>::value || std::is_same<T, half>::value) {
            Muls(y, x2, static_cast<T>(this->alpha), count);
            Add(y, y, x1, count);
        } else {
            LocalTensor<float> a = work1.template Get<float>();
            LocalTensor<float> b = work2.template Get<float>();
            Cast(a, x1, RoundMode::CAST_NONE, count);
            Cast(b, x2, RoundMode::CAST_NONE, count);
            Muls(b, b, this->alpha, count);
            Add(a, a, b, count);
            Cast(y, a, RoundMode::CAST_RINT, count);
        }
        yQueue.template EnQue<T>(y);
        x1Queue.FreeTensor(x1);
        x2Queue.FreeTensor(x2);
    }

    __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
        LocalTensor<T> y = yQueue.template DeQue<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[offset], y, copy);
        yQueue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, BUFFER_NUM> x1Queue, x2Queue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue;
    TBuf<QuePosition::VECCALC> work1, work2;
    GlobalTensor<T> x1Gm, x2Gm, yGm;
    uint64_t length = 0;
    uint32_t tileLength = 0;
    float alpha = 1.0f;
};

extern "C" __global__ __aicore__ void scaled_add(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    ScaledAddKernel<DTYPE_X1> op;
    op.Init(x1, x2, y, tilingData.totalLength, tilingData.coreLength, tilingData.tileLength, tilingData.alpha, &pipe);
    op.Process();
}
