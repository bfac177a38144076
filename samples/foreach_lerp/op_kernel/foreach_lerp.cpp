// y_i = x1_i + weight * (x2_i - x1_i) for lists of tensors. Tile number k of the whole list belongs to core k % cores.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 1;

template <typename T, typename Tiling>
class ForeachLerpKernel {
  public:
    __aicore__ inline ForeachLerpKernel() {}

    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const Tiling* tiling, TPipe* pipe) {
        this->x1List = x1;
        this->x2List = x2;
        this->yList = y;
        this->tiling = tiling;
        this->tileLength = tiling->tileLength;
        pipe->InitBuffer(x1Queue, BUFFER_NUM, this->tileLength * sizeof(T));
        pipe->InitBuffer(x2Queue, BUFFER_NUM, this->tileLength * sizeof(T));
        pipe->InitBuffer(yQueue, BUFFER_NUM, this->tileLength * sizeof(T));
    }

    __aicore__ inline void Process() {
        uint64_t tile = 0;
        for (uint32_t tensor = 0; tensor < this->tiling->tensorCount; ++tensor) {
            const uint64_t length = this->tiling->lengths[tensor];
            x1Gm.SetGlobalBuffer(TensorAddress(this->x1List, tensor), length);
            x2Gm.SetGlobalBuffer(TensorAddress(this->x2List, tensor), length);
            yGm.SetGlobalBuffer(TensorAddress(this->yList, tensor), length);
            for (uint64_t offset = 0; offset < length; offset += this->tileLength) {
                if (tile % GetBlockNum() == GetBlockIdx()) {
                    const uint64_t left = length - offset;
                    ProcessTile(offset, static_cast<uint32_t>(left < this->tileLength ? left : this->tileLength));
                }
                ++tile;
            }
        }
    }

  private:
    // A tensor list in global memory starts with the byte offset of its pointer array.
    __aicore__ inline __gm__ T* TensorAddress(GM_ADDR list, uint32_t index) {
        __gm__ uint64_t* head = (__gm__ uint64_t*)list;
        __gm__ uint64_t* pointers = head + (*head >> 3);
        return (__gm__ T*)(*(pointers + index));
    }

    __aicore__ inline void ProcessTile(uint64_t offset, uint32_t count) {
        CopyIn(offset, count);
        Compute(count);
        CopyOut(offset, count);
    }

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
        Sub(y, x2, x1, count);
        Muls(y, y, static_cast<T>(this->tiling->weight), count);
        Add(y, y, x1, count);
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
    GlobalTensor<T> x1Gm, x2Gm, yGm;
    GM_ADDR x1List = nullptr;
    GM_ADDR x2List = nullptr;
    GM_ADDR yList = nullptr;
    const Tiling* tiling = nullptr;
    uint32_t tileLength = 0;
};

extern "C" __global__ __aicore__ void foreach_lerp(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    ForeachLerpKernel<DTYPE_X1, decltype(tilingData)> op;
    op.Init(x1, x2, y, &tilingData, &pipe);
    op.Process();
}
