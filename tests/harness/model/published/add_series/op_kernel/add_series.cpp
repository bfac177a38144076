// z = x + y with buffers at fixed addresses in UB and flags of our own, so that nothing but the parameters counts.
#include "kernel_operator.h"

using namespace AscendC;

class AddSeries {
  public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint64_t count, uint64_t start, uint32_t tileLength,
                                uint32_t bufferCount, bool bypass) {
        xGm.SetGlobalBuffer((__gm__ half*)x + start, count);
        yGm.SetGlobalBuffer((__gm__ half*)y + start, count);
        zGm.SetGlobalBuffer((__gm__ half*)z + start, count);
        if (bypass) {
            xGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
            yGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
        length = count;
        tile = tileLength;
        buffers = bufferCount;
    }

    __aicore__ inline void Vector() {
        for (uint32_t turn = 0; turn < buffers; ++turn) {
            SetFlag<HardEvent::V_MTE2>(turn);
            SetFlag<HardEvent::MTE3_V>(turn);
        }
        uint32_t turn = 0;
        for (uint64_t at = 0; at < length; at += tile, turn = (turn + 1) % buffers) {
            const uint32_t count = Count(at);
            LocalTensor<half> x = Buffer(2 * turn), y = Buffer(2 * turn + 1), z = Buffer(2 * buffers + turn);
            WaitFlag<HardEvent::V_MTE2>(turn);
            DataCopy(x, xGm[at], count);
            DataCopy(y, yGm[at], count);
            SetFlag<HardEvent::MTE2_V>(turn);
            WaitFlag<HardEvent::MTE2_V>(turn);
            WaitFlag<HardEvent::MTE3_V>(turn);
            Add(z, x, y, count);
            SetFlag<HardEvent::V_MTE2>(turn);
            SetFlag<HardEvent::V_MTE3>(turn);
            WaitFlag<HardEvent::V_MTE3>(turn);
            DataCopy(zGm[at], z, count);
            SetFlag<HardEvent::MTE3_V>(turn);
        }
        for (turn = 0; turn < buffers; ++turn) {
            WaitFlag<HardEvent::V_MTE2>(turn);
            WaitFlag<HardEvent::MTE3_V>(turn);
        }
    }

    __aicore__ inline void Scalar() {
        LocalTensor<half> x = Buffer(0), y = Buffer(1), z = Buffer(2);
        SetFlag<HardEvent::S_MTE2>(0);
        SetFlag<HardEvent::MTE3_S>(0);
        for (uint64_t at = 0; at < length; at += tile) {
            const uint32_t count = Count(at);
            WaitFlag<HardEvent::S_MTE2>(0);
            DataCopy(x, xGm[at], count);
            DataCopy(y, yGm[at], count);
            SetFlag<HardEvent::MTE2_S>(0);
            WaitFlag<HardEvent::MTE2_S>(0);
            WaitFlag<HardEvent::MTE3_S>(0);
            for (uint32_t i = 0; i < count; ++i) {
                z.SetValue(i, static_cast<half>(static_cast<float>(x.GetValue(i)) + static_cast<float>(y.GetValue(i))));
            }
            SetFlag<HardEvent::S_MTE2>(0);
            SetFlag<HardEvent::S_MTE3>(0);
            WaitFlag<HardEvent::S_MTE3>(0);
            DataCopy(zGm[at], z, count);
            SetFlag<HardEvent::MTE3_S>(0);
        }
        WaitFlag<HardEvent::S_MTE2>(0);
        WaitFlag<HardEvent::MTE3_S>(0);
    }

  private:
    // x and y of one turn lie side by side, every pair and the results at multiples of 64 KB with two buffers.
    __aicore__ inline LocalTensor<half> Buffer(uint32_t number) {
        const uint32_t pair = 2 * 16384 * sizeof(half);
        const uint32_t address = number / 2 * pair + number % 2 * tile * sizeof(half);
        return LocalTensor<half>(TPosition::VECCALC, address, tile);
    }
    __aicore__ inline uint32_t Count(uint64_t at) {
        return static_cast<uint32_t>(length - at < tile ? length - at : tile);
    }

    GlobalTensor<half> xGm, yGm, zGm;
    uint64_t length = 0;
    uint32_t tile = 0, buffers = 1;
};

extern "C" __global__ __aicore__ void add_series(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    const uint64_t start = data.perCore * GetBlockIdx();
    const uint64_t left = data.total - start;
    AddSeries op;
    op.Init(x, y, z, left < data.perCore ? left : data.perCore, start, data.tile, data.buffers, data.bypass != 0);
    if (data.scalar) {
        op.Scalar();
    } else {
        op.Vector();
    }
}
