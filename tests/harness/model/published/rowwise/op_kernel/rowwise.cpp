// Row-wise quantisation of rows of 512: by a scale of each row (dynamic), and by a code book of 16 (nearest centre).
// Rows are dealt out to the cores and worked on in batches, one batch after the other.
#include <type_traits>

#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t ROW = 512;

class Rowwise {
  public:
    __aicore__ inline Rowwise(GM_ADDR x, GM_ADDR z, GM_ADDR scale, const uint32_t* work) : batch(work[4]) {
        const uint32_t rows = work[2], share = work[3];
        first = GetBlockIdx() * share;
        last = first + share < rows ? first + share : rows;
        halves.SetGlobalBuffer((__gm__ half*)x, rows * ROW);
        floats.SetGlobalBuffer((__gm__ float*)x, rows * ROW);
        packed.SetGlobalBuffer((__gm__ uint8_t*)z, rows * 320);
        scales.SetGlobalBuffer((__gm__ float*)scale, rows + 8);
    }

    // q = round(x * 7 / max |x|) as int4, and the scale.
    __aicore__ inline void Dynamic() {
        Twice<half> in = TakeTwo<half>(batch * ROW);
        LocalTensor<float> x = Take<float>(batch * ROW), y = Take<float>(batch * ROW);
        LocalTensor<half> rounded = Take<half>(batch * ROW);
        Twice<int4b_t> outs = TakeTwo<int4b_t>(batch * ROW);
        Twice<float> scaled = TakeTwo<float>(batch * 8);
        Begin();
        for (uint32_t row = first; row < last; row += batch, turn = 1 - turn) {
            const uint32_t count = last - row < batch ? last - row : batch, all = count * ROW;
            Start();
            DataCopy(in.of[turn], halves[row * ROW], all);
            Loaded();
            const LocalTensor<int4b_t> out = outs.of[turn];
            const LocalTensor<float> most = scaled.of[turn];
            Cast(x, in.of[turn], RoundMode::CAST_NONE, all);
            PipeBarrier<PIPE_V>();
            Abs(y, x, all);
            PipeBarrier<PIPE_V>();
            for (uint32_t half = ROW / 2; half >= 64; half /= 2) {
                Fold(y, half, count);
                PipeBarrier<PIPE_V>();
            }
            WholeReduceMax(most, y, 64, count, 1, 1, 64, ReduceOrder::ORDER_ONLY_VALUE);
            PipeBarrier<PIPE_V>();
            SetFlag<HardEvent::V_S>(0);
            WaitFlag<HardEvent::V_S>(0);
            for (uint32_t i = 0; i < count; ++i) {
                Muls(x[i * ROW], x[i * ROW], 7.0f / most.GetValue(i), ROW);
            }
            PipeBarrier<PIPE_V>();
            Cast(rounded, x, RoundMode::CAST_RINT, all);
            PipeBarrier<PIPE_V>();
            Cast(out, rounded, RoundMode::CAST_RINT, all);
            Computed();
            const LocalTensor<uint8_t> bytes = out.ReinterpretCast<uint8_t>();
            DataCopy(packed[row * ROW / 2], bytes, all / 2);
            DataCopyPad(scales[row], most, DataCopyExtParams(1, count * 4, 0, 0, 0));
            Stored();
        }
        End();
    }

    // The nearest of 16 ascending centres: how many of the 15 middles lie below.
    __aicore__ inline void Nearest() {
        const uint32_t size = batch * ROW;
        Twice<float> in = TakeTwo<float>(size);
        LocalTensor<float> y = Take<float>(size), sum = Take<float>(batch * 8 + 64);
        LocalTensor<float> ones = Take<float>(64), index = Take<float>(size), chosen = Take<float>(size);
        LocalTensor<uint8_t> bits = Take<uint8_t>(size / 8 + 256);
        LocalTensor<half> narrow = Take<half>(size);
        Twice<int4b_t> outs = TakeTwo<int4b_t>(batch * 640);
        Begin();
        for (uint32_t row = first; row < last; row += batch, turn = 1 - turn) {
            const uint32_t count = last - row < batch ? last - row : batch, all = count * ROW;
            Start();
            const LocalTensor<float> x = in.of[turn];
            const LocalTensor<int4b_t> out = outs.of[turn];
            DataCopy(x, floats[row * ROW], all);
            Loaded();
            Mul(y, x, x, all);
            PipeBarrier<PIPE_V>();
            for (uint32_t i = 0; i < count; ++i) {
                ReduceSum(sum[i * 8], y[i * ROW], chosen, ROW);
            }
            SetFlag<HardEvent::V_S>(0);
            WaitFlag<HardEvent::V_S>(0);
            for (uint32_t i = 0; i < count; ++i) {
                Muls(x[i * ROW], x[i * ROW], 1.0f / sum.GetValue(i * 8), ROW);
            }
            Duplicate(index, 0.0f, all);
            Duplicate(y, 1.0f, all);
            PipeBarrier<PIPE_V>();
            for (uint32_t middle = 0; middle < 15; ++middle) {
                CompareScalar(bits, x, 0.125f * middle - 0.875f, CMPMODE::GE, all);
                PipeBarrier<PIPE_V>();
                Select(chosen, bits, y, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, all);
                PipeBarrier<PIPE_V>();
                Add(index, index, chosen, all);
                PipeBarrier<PIPE_V>();
            }
            CompareScalar(bits, index, 8.0f, CMPMODE::LT, all);
            PipeBarrier<PIPE_V>();
            Adds(chosen, index, -16.0f, all);
            PipeBarrier<PIPE_V>();
            Select(y, bits, index, chosen, SELMODE::VSEL_TENSOR_TENSOR_MODE, all);
            PipeBarrier<PIPE_V>();
            Cast(narrow, y, RoundMode::CAST_RINT, all);
            PipeBarrier<PIPE_V>();
            for (uint32_t i = 0; i < count; ++i) {
                Cast(out[i * 640], narrow[i * ROW], RoundMode::CAST_RINT, ROW);
            }
            Computed();
            const LocalTensor<uint8_t> bytes = out.ReinterpretCast<uint8_t>();
            DataCopy(packed[row * 320], bytes, count * 320);
            Stored();
        }
        End();
    }

  private:
    template <typename T>
    __aicore__ inline LocalTensor<T> Take(uint32_t count) {
        constexpr uint32_t bits = std::is_same<T, int4b_t>::value ? 4 : 8 * sizeof(T);
        const LocalTensor<T> out(TPosition::VECCALC, used, count);
        used += (count * bits / 8 + 255) / 256 * 256;
        return out;
    }
    template <typename T>
    struct Twice {
        LocalTensor<T> of[2];
    };
    template <typename T>
    __aicore__ inline Twice<T> TakeTwo(uint32_t count) {
        const LocalTensor<T> one = Take<T>(count), other = Take<T>(count);
        return {{one, other}};
    }
    // max of the two halves of what is left of each row
    __aicore__ inline void Fold(LocalTensor<float> y, uint32_t half, uint32_t count) {
        for (uint32_t at = 0; at < half; at += 64) {
            Max(y[at], y[at], y[at + half], uint64_t(64), static_cast<uint8_t>(count), {1, 1, 1, 64, 64, 64});
        }
    }
    // Two buffers take turns on the way in and on the way out.
    __aicore__ inline void Begin() {
        for (uint32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::V_MTE2>(i);
            SetFlag<HardEvent::MTE3_V>(i);
        }
    }
    __aicore__ inline void End() {
        for (uint32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::V_MTE2>(i);
            WaitFlag<HardEvent::MTE3_V>(i);
        }
    }
    __aicore__ inline void Start() { WaitFlag<HardEvent::V_MTE2>(turn); }
    __aicore__ inline void Loaded() {
        SetFlag<HardEvent::MTE2_V>(turn);
        WaitFlag<HardEvent::MTE2_V>(turn);
        WaitFlag<HardEvent::MTE3_V>(turn);
    }
    __aicore__ inline void Computed() {
        SetFlag<HardEvent::V_MTE2>(turn);
        SetFlag<HardEvent::V_MTE3>(turn);
        WaitFlag<HardEvent::V_MTE3>(turn);
    }
    __aicore__ inline void Stored() { SetFlag<HardEvent::MTE3_V>(turn); }

    GlobalTensor<half> halves;
    GlobalTensor<float> floats, scales;
    GlobalTensor<uint8_t> packed;
    uint32_t batch, first, last, used = 0, turn = 0;
};

extern "C" __global__ __aicore__ void rowwise(GM_ADDR x, GM_ADDR z, GM_ADDR scale, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    Rowwise kernel(x, z, scale, data.work);
    if (data.work[1] == 0) {
        kernel.Dynamic();
    } else {
        kernel.Nearest();
    }
}
