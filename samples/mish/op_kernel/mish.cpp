// y = x * tanh(ln(1 + e^x)).
// With e = e^x and t = e * (e + 2) the hyperbolic tangent of the logarithm is t / (t + 2): one exponential, and
// nothing cancels for negative x.
// x is capped at 30 first: e^x must not overflow, and from there on y = x to the last bit.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
constexpr float EXP_CAP = 30.0f;

template <typename T>
class MishKernel {
  public:
    __aicore__ inline MishKernel() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t coreLength, uint32_t lastCoreLength,
                                uint32_t tileLength) {
        const uint32_t start = coreLength * GetBlockIdx();
        this->length = GetBlockIdx() + 1 == GetBlockNum() ? lastCoreLength : coreLength;
        this->tileLength = tileLength;
        xGm.SetGlobalBuffer((__gm__ T*)x + start, this->length);
        yGm.SetGlobalBuffer((__gm__ T*)y + start, this->length);
        pipe.InitBuffer(xQueue, BUFFER_NUM, tileLength * sizeof(T));
        pipe.InitBuffer(yQueue, BUFFER_NUM, tileLength * sizeof(T));
        pipe.InitBuffer(wideBuffer, tileLength * sizeof(float));
        pipe.InitBuffer(powerBuffer, tileLength * sizeof(float));
        pipe.InitBuffer(bottomBuffer, tileLength * sizeof(float));
    }

    __aicore__ inline void Process() {
        const uint32_t tiles = (this->length + this->tileLength - 1) / this->tileLength;
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            const uint32_t offset = tile * this->tileLength;
            const uint32_t count = tile + 1 == tiles ? this->length - offset : this->tileLength;
            CopyIn(offset, count);
            Compute(count);
            CopyOut(offset, count);
        }
    }

  private:
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count) {
        LocalTensor<T> x = xQueue.AllocTensor<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        DataCopyPad(x, xGm[offset], copy, pad);
        xQueue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> x = xQueue.DeQue<T>();
        LocalTensor<T> y = yQueue.AllocTensor<T>();
        LocalTensor<float> wide = wideBuffer.Get<float>();
        LocalTensor<float> power = powerBuffer.Get<float>();
        LocalTensor<float> bottom = bottomBuffer.Get<float>();
        if constexpr (sizeof(T) == sizeof(float)) {
            Adds(wide, x, 0.0f, count);
        } else {
            Cast(wide, x, RoundMode::CAST_NONE, count);
        }
        Mins(power, wide, EXP_CAP, count);
        Exp(power, power, count);
        Adds(bottom, power, 2.0f, count);
        Mul(power, power, bottom, count);
        Adds(bottom, power, 2.0f, count);
        Div(power, power, bottom, count);
        Mul(wide, wide, power, count);
        if constexpr (sizeof(T) == sizeof(float)) {
            Adds(y, wide, 0.0f, count);
        } else {
            Cast(y, wide, RoundMode::CAST_RINT, count);
        }
        yQueue.EnQue<T>(y);
        xQueue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count) {
        LocalTensor<T> y = yQueue.DeQue<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[offset], y, copy);
        yQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, BUFFER_NUM> xQueue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue;
    TBuf<QuePosition::VECCALC> wideBuffer, powerBuffer, bottomBuffer;
    GlobalTensor<T> xGm, yGm;
    uint32_t length = 0;
    uint32_t tileLength = 0;
};

extern "C" __global__ __aicore__ void mish(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    MishKernel<DTYPE_X> op;
    op.Init(x, y, tilingData.coreLength, tilingData.lastCoreLength, tilingData.tileLength);
    op.Process();
}
