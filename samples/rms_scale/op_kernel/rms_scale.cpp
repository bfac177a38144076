// y = x / sqrt(mean(x^2) + epsilon) * gamma, one row at a time. gamma is read once per core and kept in float.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 1;

template <typename T>
class RmsScaleKernel {
  public:
    __aicore__ inline RmsScaleKernel() {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, uint32_t rows, uint32_t columns,
                                uint32_t paddedColumns, uint32_t rowsPerCore, float epsilon, TPipe* pipe) {
        const uint32_t firstRow = rowsPerCore * GetBlockIdx();
        const uint32_t left = rows - firstRow;
        this->rows = left < rowsPerCore ? left : rowsPerCore;
        this->columns = columns;
        this->epsilon = epsilon;
        xGm.SetGlobalBuffer((__gm__ T*)x + static_cast<uint64_t>(firstRow) * columns, this->rows * columns);
        gammaGm.SetGlobalBuffer((__gm__ T*)gamma, columns);
        yGm.SetGlobalBuffer((__gm__ T*)y + static_cast<uint64_t>(firstRow) * columns, this->rows * columns);
        pipe->InitBuffer(xQueue, BUFFER_NUM, paddedColumns * sizeof(T));
        pipe->InitBuffer(gammaQueue, 1, paddedColumns * sizeof(T));
        pipe->InitBuffer(yQueue, BUFFER_NUM, paddedColumns * sizeof(T));
        pipe->InitBuffer(wideBuffer, paddedColumns * sizeof(float));
        pipe->InitBuffer(gammaBuffer, paddedColumns * sizeof(float));
        pipe->InitBuffer(squareBuffer, paddedColumns * sizeof(float));
        pipe->InitBuffer(sumBuffer, 32);
    }

    __aicore__ inline void Process() {
        LoadGamma();
        for (uint32_t row = 0; row < this->rows; ++row) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

  private:
    __aicore__ inline void Load(TQue<QuePosition::VECIN, 1>& queue, GlobalTensor<T> from) {
        LocalTensor<T> tensor = queue.template AllocTensor<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(this->columns * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        DataCopyPad(tensor, from, copy, pad);
        queue.EnQue(tensor);
    }

    __aicore__ inline void Widen(LocalTensor<float> to, LocalTensor<T> from) {
        if constexpr (sizeof(T) == sizeof(float)) {
            Adds(to, from, 0.0f, this->columns);
        } else {
            Cast(to, from, RoundMode::CAST_NONE, this->columns);
        }
    }

    __aicore__ inline void LoadGamma() {
        Load(gammaQueue, gammaGm);
        LocalTensor<T> gamma = gammaQueue.template DeQue<T>();
        LocalTensor<float> gammaWide = gammaBuffer.Get<float>();
        Widen(gammaWide, gamma);
        gammaQueue.FreeTensor(gamma);
    }

    __aicore__ inline void CopyIn(uint32_t row) { Load(xQueue, xGm[static_cast<uint64_t>(row) * this->columns]); }

    __aicore__ inline void Compute() {
        LocalTensor<T> x = xQueue.template DeQue<T>();
        LocalTensor<T> y = yQueue.template AllocTensor<T>();
        LocalTensor<float> wide = wideBuffer.Get<float>();
        LocalTensor<float> gamma = gammaBuffer.Get<float>();
        LocalTensor<float> square = squareBuffer.Get<float>();
        LocalTensor<float> sum = sumBuffer.Get<float>();
        Widen(wide, x);
        xQueue.FreeTensor(x);
        Mul(square, wide, wide, this->columns);
        ReduceSum(sum, square, square, this->columns);
        Muls(sum, sum, 1.0f / static_cast<float>(this->columns), 1);
        Adds(sum, sum, this->epsilon, 1);
        Sqrt(sum, sum, 1);
        const event_t scalarWaits = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(scalarWaits);
        WaitFlag<HardEvent::V_S>(scalarWaits);
        Duplicate(square, sum.GetValue(0), this->columns);
        Div(wide, wide, square, this->columns);
        Mul(wide, wide, gamma, this->columns);
        if constexpr (sizeof(T) == sizeof(float)) {
            Adds(y, wide, 0.0f, this->columns);
        } else {
            Cast(y, wide, RoundMode::CAST_RINT, this->columns);
        }
        yQueue.template EnQue<T>(y);
    }

    __aicore__ inline void CopyOut(uint32_t row) {
        LocalTensor<T> y = yQueue.template DeQue<T>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(this->columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm[static_cast<uint64_t>(row) * this->columns], y, copy);
        yQueue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, BUFFER_NUM> xQueue;
    TQue<QuePosition::VECIN, 1> gammaQueue;
    TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue;
    TBuf<QuePosition::VECCALC> wideBuffer, gammaBuffer, squareBuffer, sumBuffer;
    GlobalTensor<T> xGm, gammaGm, yGm;
    uint32_t rows = 0;
    uint32_t columns = 0;
    float epsilon = 0.0f;
};

extern "C" __global__ __aicore__ void rms_scale(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    RmsScaleKernel<DTYPE_X> op;
    op.Init(x, gamma, y, tilingData.rows, tilingData.columns, tilingData.paddedColumns, tilingData.rowsPerCore,
            tilingData.epsilon, &pipe);
    op.Process();
}
