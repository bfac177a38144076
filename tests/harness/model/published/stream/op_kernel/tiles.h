// Load, compute, store, tile by tile, with buffers at fixed addresses and flags of our own; and a change of layout.
#pragma once
#include "kernel_operator.h"

namespace {
using namespace AscendC;

// One tile's worth of z = f(x) or z = f(x, y) in buffers that take turns.
template <typename T>
class Tiles {
  public:
    __aicore__ inline Tiles(GM_ADDR x, GM_ADDR y, GM_ADDR z, const uint32_t* work)
        : compute(work[2]), operands(work[3]), buffers(work[4]), tile(work[5]), pitch(work[6]), inPlace(work[10]) {
        const uint64_t start = uint64_t(work[7]) * GetBlockIdx(), total = work[8];
        length = start >= total ? 0 : total - start < work[7] ? total - start : work[7];
        xGm.SetGlobalBuffer((__gm__ T*)x + start, length);
        yGm.SetGlobalBuffer((__gm__ T*)y + start, length);
        zGm.SetGlobalBuffer((__gm__ T*)z + start, length);
        if (work[9]) {
            xGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
            yGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
    }

    __aicore__ inline void Run() {
        if (compute == 0) {
            return Pipeline<HardEvent::S_MTE2, HardEvent::MTE2_S, HardEvent::MTE3_S, HardEvent::S_MTE3>();
        }
        Pipeline<HardEvent::V_MTE2, HardEvent::MTE2_V, HardEvent::MTE3_V, HardEvent::V_MTE3>();
    }

  private:
    template <HardEvent free, HardEvent loaded, HardEvent stored, HardEvent done>
    __aicore__ inline void Pipeline() {
        for (uint32_t turn = 0; turn < buffers; ++turn) {
            SetFlag<free>(turn);
            SetFlag<stored>(turn);
            if (inPlace) {
                SetFlag<HardEvent::MTE3_MTE2>(turn);
            }
        }
        uint32_t turn = 0;
        for (uint64_t at = 0; at < length; at += tile, turn = (turn + 1) % buffers) {
            const uint32_t count = length - at < tile ? length - at : tile;
            LocalTensor<T> z = Buffer(inPlace ? operands * turn : operands * buffers + turn);
            WaitFlag<free>(turn);
            if (inPlace) {
                WaitFlag<HardEvent::MTE3_MTE2>(turn);
            }
            DataCopy(Buffer(operands * turn), xGm[at], count);
            if (operands == 2) {
                DataCopy(Buffer(operands * turn + 1), yGm[at], count);
            }
            SetFlag<loaded>(turn);
            WaitFlag<loaded>(turn);
            WaitFlag<stored>(turn);
            Compute(z, Buffer(operands * turn), Buffer(operands * turn + operands - 1), count);
            SetFlag<free>(turn);
            SetFlag<done>(turn);
            WaitFlag<done>(turn);
            DataCopy(zGm[at], z, count);
            SetFlag<stored>(turn);
            if (inPlace) {
                SetFlag<HardEvent::MTE3_MTE2>(turn);
            }
        }
        for (turn = 0; turn < buffers; ++turn) {
            if (inPlace) {
                WaitFlag<HardEvent::MTE3_MTE2>(turn);
            }
            WaitFlag<free>(turn);
            WaitFlag<stored>(turn);
        }
    }

    __aicore__ inline void Compute(LocalTensor<T> z, LocalTensor<T> x, LocalTensor<T> y, uint32_t count) {
        if (compute == 0) {
            for (uint32_t i = 0; i < count; ++i) {
                z.SetValue(i, static_cast<T>(static_cast<float>(x.GetValue(i)) + static_cast<float>(y.GetValue(i))));
            }
        } else if (compute == 1) {
            Add(z, x, y, count);
        } else {
            Gelu(z, x, count);
        }
    }

    // x / (1 + exp(-1.595769 (x + 0.044715 x^3)))
    __aicore__ inline void Gelu(LocalTensor<T> z, LocalTensor<T> x, uint32_t count) {
        LocalTensor<T> cube = Buffer(2 * buffers);
        Mul(cube, x, x, count);
        Mul(cube, cube, x, count);
        Muls(cube, cube, T(0.044715f), count);
        Add(cube, cube, x, count);
        Muls(cube, cube, T(-1.595769f), count);
        Exp(cube, cube, count);
        Adds(cube, cube, T(1), count);
        Div(z, x, cube, count);
    }

    __aicore__ inline LocalTensor<T> Buffer(uint32_t number) {
        return LocalTensor<T>(TPosition::VECCALC, number * pitch, tile);
    }

    GlobalTensor<T> xGm, yGm, zGm;
    uint64_t length = 0;
    uint32_t compute, operands, buffers, tile, pitch, inPlace;
};

// ND to NZ: a tile of rows x 128 halves becomes eight columns of 16, `stride` blocks apart in UB. Two buffers.
class LayoutChange {
  public:
    __aicore__ inline LayoutChange(GM_ADDR x, GM_ADDR z, const uint32_t* work)
        : rows(work[2]), stride(work[3]), columns(work[4]), allRows(work[5]) {
        source.SetGlobalBuffer((__gm__ half*)x, uint64_t(allRows) * columns);
        target.SetGlobalBuffer((__gm__ half*)z, uint64_t(allRows) * columns);
    }

    __aicore__ inline void Run() {
        const uint32_t across = columns / 128, down = (allRows + rows - 1) / rows;
        for (uint32_t turn = 0; turn < 2; ++turn) {
            SetFlag<HardEvent::V_MTE2>(turn);
            SetFlag<HardEvent::MTE3_V>(turn);
        }
        uint32_t turn = 0;
        for (uint32_t tile = GetBlockIdx(); tile < across * down; tile += GetBlockNum(), turn = 1 - turn) {
            const uint32_t row = tile / across * rows, column = tile % across * 128;
            Tile(turn, row, column, allRows - row < rows ? allRows - row : rows);
        }
        for (turn = 0; turn < 2; ++turn) {
            WaitFlag<HardEvent::V_MTE2>(turn);
            WaitFlag<HardEvent::MTE3_V>(turn);
        }
    }

  private:
    __aicore__ inline void Tile(uint32_t turn, uint32_t row, uint32_t column, uint32_t count) {
        const uint32_t size = 48 * 1024;
        const LocalTensor<half> in(TPosition::VECIN, turn * size, rows * 128);
        const LocalTensor<half> out(TPosition::VECOUT, (2 + turn) * size, 8 * stride * 16);
        WaitFlag<HardEvent::V_MTE2>(turn);
        DataCopy(in, source[uint64_t(row) * columns + column], DataCopyParams(count, 8, (columns - 128) / 16, 0));
        SetFlag<HardEvent::MTE2_V>(turn);
        WaitFlag<HardEvent::MTE2_V>(turn);
        WaitFlag<HardEvent::MTE3_V>(turn);
        Copy(out, in, uint64_t(128), static_cast<uint8_t>(count), {static_cast<uint16_t>(stride), 1, 1, 8});
        SetFlag<HardEvent::V_MTE2>(turn);
        SetFlag<HardEvent::V_MTE3>(turn);
        WaitFlag<HardEvent::V_MTE3>(turn);
        const DataCopyParams whole(8, count, stride - count, allRows - count);
        DataCopy(target[uint64_t(column) * allRows + row * 16], out, whole);
        SetFlag<HardEvent::MTE3_V>(turn);
    }

    GlobalTensor<half> source, target;
    uint32_t rows, stride, columns, allRows;
};

}  // namespace
