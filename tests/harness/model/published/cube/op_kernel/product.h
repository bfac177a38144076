// C = A B for halves, block by block: L1 with one or two buffers that hold several steps of k, L0 with two.
#pragma once
#include "kernel_operator.h"

namespace {
using namespace AscendC;

template <typename C>
class Product {
  public:
    __aicore__ inline Product(GM_ADDR x, GM_ADDR y, GM_ADDR z, const uint32_t* work)
        : m(work[2]), n(work[3]), k(work[4]), baseM(work[5]), baseN(work[6]), baseK(work[7]), singleM(work[8]),
          singleN(work[9]), across(work[10]), stepA(work[11]), stepB(work[12]), buffers(work[13]), splits(work[14]) {
        a.SetGlobalBuffer((__gm__ half*)x, uint64_t(m) * k);
        b.SetGlobalBuffer((__gm__ half*)y, uint64_t(k) * n);
        c.SetGlobalBuffer((__gm__ C*)z, uint64_t(m) * n);
    }

    __aicore__ inline void Run() {
        for (uint32_t turn = 0; turn < buffers; ++turn) {
            SetFlag<HardEvent::MTE1_MTE2>(turn);
            SetFlag<HardEvent::MTE1_MTE2>(2 + turn);
        }
        for (uint32_t turn = 0; turn < 2; ++turn) {
            SetFlag<HardEvent::M_MTE1>(turn);
        }
        SetFlag<HardEvent::FIX_M>(0);
        for (uint32_t split = 0; split < splits; ++split) {
            Part(split);
        }
        WaitFlag<HardEvent::FIX_M>(0);
        for (uint32_t turn = 0; turn < 2; ++turn) {
            WaitFlag<HardEvent::M_MTE1>(turn);
        }
        for (uint32_t turn = 0; turn < buffers; ++turn) {
            WaitFlag<HardEvent::MTE1_MTE2>(turn);
            WaitFlag<HardEvent::MTE1_MTE2>(2 + turn);
        }
    }

  private:
    // This core's blocks of one part of the rows.
    __aicore__ inline void Part(uint32_t split) {
        const uint32_t rows = singleM / splits, part = m / splits * split;
        const uint32_t firstM = part + GetBlockIdx() / across * rows, firstN = GetBlockIdx() % across * singleN;
        const uint32_t lastM = Least(firstM + rows, m / splits * (split + 1)), lastN = Least(firstN + singleN, n);
        for (uint32_t column = firstN; column < lastN; column += baseN) {
            for (uint32_t row = firstM; row < lastM; row += baseM) {
                Block(row, column, Least(baseM, lastM - row), Least(baseN, lastN - column));
            }
        }
    }

    __aicore__ inline void Block(uint32_t row, uint32_t column, uint32_t rows, uint32_t columns) {
        const LocalTensor<float> product(TPosition::CO1, 0, baseM * baseN);
        WaitFlag<HardEvent::FIX_M>(0);
        for (uint32_t step = 0; step * baseK < k; ++step) {
            const uint32_t at = step * baseK;
            if (step % stepA == 0) {
                LoadA(row, at, rows);
            }
            if (step % stepB == 0) {
                LoadB(at, column, columns);
            }
            Step(step, Least(baseK, k - at), rows, columns, product);
        }
        SetFlag<HardEvent::M_FIX>(0);
        WaitFlag<HardEvent::M_FIX>(0);
        FixpipeParamsV220 params(columns, rows, (rows + 15) / 16 * 16, n, false);
        if (sizeof(C) == 2) {
            params.quantPre = QuantMode_t::F322F16;
        }
        Fixpipe(c[uint64_t(row) * n + column], product, params);
        SetFlag<HardEvent::FIX_M>(0);
    }

    __aicore__ inline void LoadA(uint32_t row, uint32_t at, uint32_t rows) {
        turnA = buffers == 2 ? 1 - turnA : 0;
        WaitFlag<HardEvent::MTE1_MTE2>(turnA);
        const uint32_t depth = Least(baseK * stepA, k - at);
        DataCopy(L1A(), a[uint64_t(row) * k + at], Nd2NzParams(1, rows, depth, 0, k, (rows + 15) / 16 * 16, 1, 0));
        SetFlag<HardEvent::MTE2_MTE1>(turnA);
        freshA = true;
    }

    __aicore__ inline void LoadB(uint32_t at, uint32_t column, uint32_t columns) {
        turnB = buffers == 2 ? 1 - turnB : 0;
        WaitFlag<HardEvent::MTE1_MTE2>(2 + turnB);
        const uint32_t depth = Least(baseK * stepB, k - at);
        DataCopy(L1B(), b[uint64_t(at) * n + column], Nd2NzParams(1, depth, columns, 0, n, (depth + 15) / 16 * 16, 1, 0));
        SetFlag<HardEvent::MTE2_MTE1>(2 + turnB);
        freshB = true;
    }

    __aicore__ inline void Step(uint32_t step, uint32_t depth, uint32_t rows, uint32_t columns,
                                const LocalTensor<float>& product) {
        const uint32_t turn = step % 2;
        const LocalTensor<half> l0a(TPosition::A2, turn * 32768, 16384), l0b(TPosition::B2, turn * 32768, 16384);
        if (freshA) {
            WaitFlag<HardEvent::MTE2_MTE1>(turnA);
        }
        if (freshB) {
            WaitFlag<HardEvent::MTE2_MTE1>(2 + turnB);
        }
        freshA = freshB = false;
        WaitFlag<HardEvent::M_MTE1>(turn);
        Image(l0a, L1A()[step % stepA * baseK * ((rows + 15) / 16 * 16)], rows, depth);
        Image(l0b, L1B(), depth, columns);
        const bool last = (step + 1) * baseK >= k;
        if (last || step % stepA == stepA - 1) {
            SetFlag<HardEvent::MTE1_MTE2>(turnA);
        }
        if (last || step % stepB == stepB - 1) {
            SetFlag<HardEvent::MTE1_MTE2>(2 + turnB);
        }
        SetFlag<HardEvent::MTE1_M>(turn);
        WaitFlag<HardEvent::MTE1_M>(turn);
        MmadParams params(rows, columns, depth, false, 0, false, false, false);
        params.cmatrixInitVal = step == 0;
        Mmad(product, l0a, l0b, params);
        SetFlag<HardEvent::M_MTE1>(turn);
    }

    __aicore__ inline void Image(const LocalTensor<half>& to, const LocalTensor<half>& from, uint32_t rows,
                                 uint32_t columns) {
        LoadData3DParamsV2<half> params;
        params.l1H = 1;
        params.l1W = (rows + 15) / 16 * 16;
        params.channelSize = (columns + 15) / 16 * 16;
        params.kExtension = params.channelSize;
        params.mExtension = params.l1W;
        LoadData(to, from, params);
    }

    __aicore__ inline LocalTensor<half> L1A() const {
        const uint32_t size = baseM * baseK * stepA;
        return LocalTensor<half>(TPosition::A1, turnA * size * 2, size);
    }
    __aicore__ inline LocalTensor<half> L1B() const {
        const uint32_t size = baseN * baseK * stepB;
        return LocalTensor<half>(TPosition::B1, (buffers * baseM * baseK * stepA + turnB * size) * 2, size);
    }
    __aicore__ static inline uint32_t Least(uint32_t p, uint32_t q) { return p < q ? p : q; }

    GlobalTensor<half> a, b;
    GlobalTensor<C> c;
    uint32_t m, n, k, baseM, baseN, baseK, singleM, singleN, across, stepA, stepB, buffers, splits;
    uint32_t turnA = 0, turnB = 0;
    bool freshA = false, freshB = false;
};

}  // namespace
