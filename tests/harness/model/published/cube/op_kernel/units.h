// Loads to L1 with nothing else; runs of one instruction of the cube side.
#pragma once
#include "kernel_operator.h"

namespace {
using namespace AscendC;

// A matrix of halves read to L1 as NZ in tiles of rows x columns. How the cores walk through it, says `mode`.
class L1Copies {
  public:
    __aicore__ inline L1Copies(GM_ADDR x, const uint32_t* work)
        : mode(work[2]), rows(work[3]), columns(work[4]), pitch(work[5]), width(work[6]), coreRows(work[7]),
          allRows(work[8]), times(work[9]), splits(work[10]) {
        source.SetGlobalBuffer((__gm__ half*)x, uint64_t(allRows) * pitch);
        if (work[11]) {
            source.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
    }

    __aicore__ inline void Run() {
        if (mode == 0) {
            const uint32_t part = width / splits;
            for (uint32_t split = 0; split < splits; ++split) {
                for (uint32_t time = 0; time < times; ++time) {
                    Strip(GetBlockIdx() * coreRows, split * part, part);
                }
            }
            return;
        }
        const uint32_t strips = allRows / coreRows;
        for (uint32_t strip = 0; strip < strips; ++strip) {
            const uint32_t at = mode == 1 ? strip : (strip + GetBlockIdx()) % strips;
            Strip(at * coreRows, 0, width);
        }
    }

  private:
    __aicore__ inline void Strip(uint32_t firstRow, uint32_t firstColumn, uint32_t extent) {
        const LocalTensor<half> local(TPosition::A1, 0, rows * columns);
        for (uint32_t row = firstRow; row < firstRow + coreRows; row += rows) {
            for (uint32_t column = 0; column < extent; column += columns) {
                const uint32_t count = extent - column < columns ? extent - column : columns;
                DataCopy(local, source[uint64_t(row) * pitch + firstColumn + column],
                         Nd2NzParams(1, rows, count, 0, pitch, rows, 1, 0));
            }
        }
    }

    GlobalTensor<half> source;
    uint32_t mode, rows, columns, pitch, width, coreRows, allRows, times, splits;
};

// `count` times one instruction; `alone`: each finished before the next begins.
class Units {
  public:
    __aicore__ inline Units(GM_ADDR x, GM_ADDR z, const uint32_t* work)
        : what(work[2]), count(work[3]), alone(work[4]), a(work[5]), b(work[6]), c(work[7]) {
        source.SetGlobalBuffer((__gm__ half*)x, 1 << 20);
        target.SetGlobalBuffer((__gm__ float*)z, 1 << 20);
    }

    __aicore__ inline void Run() {
        for (uint32_t i = 0; i < count; ++i) {
            Once();
            if (alone) {
                PipeBarrier<PIPE_ALL>();
            }
        }
    }

  private:
    __aicore__ inline void Once() {
        const LocalTensor<half> l1(TPosition::A1, 0, 262144), l0a(TPosition::A2, 0, 32768), l0b(TPosition::B2, 0, 32768);
        const LocalTensor<float> l0c(TPosition::CO1, 0, 32768);
        const LoadData2DParams fractals(0, a, 1, 0, 0, false, 0);
        if (what == 1) {
            DataCopy(l1, source, a);
        } else if (what == 2) {
            Fixpipe<float, float, CFG_NZ>(target, l0c, FixpipeParamsV220(16, a, a, a * 2, false));
        } else if (what == 3) {
            LoadData(l0a, l1, fractals);
        } else if (what == 4) {
            LoadData(l0b, l1, fractals);
        } else if (what == 5) {
            Mmad(l0c, l0a, l0b, MmadParams(a, b, c, false, 0, false, false, false));
        }
    }

    GlobalTensor<half> source;
    GlobalTensor<float> target;
    uint32_t what, count, alone, a, b, c;
};

}  // namespace
