// Loads with nothing else, and single transfers each on its own.
#pragma once
#include "kernel_operator.h"

namespace {
using namespace AscendC;

// A matrix of bytes, read in tiles of rows x rowBytes. How the cores walk through it, says `mode`.
class Copies {
  public:
    __aicore__ inline Copies(GM_ADDR x, const uint32_t* work)
        : mode(work[2]), rows(work[3]), rowBytes(work[4]), pitch(work[5]), columns(work[6]), coreRows(work[7]),
          allRows(work[8]), times(work[9]), splits(work[10]) {
        source.SetGlobalBuffer((__gm__ uint8_t*)x, uint64_t(allRows) * pitch);
        if (work[11]) {
            source.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
    }

    __aicore__ inline void Run() {
        if (mode == 0) {
            const uint32_t part = columns / splits;
            for (uint32_t split = 0; split < splits; ++split) {
                for (uint32_t time = 0; time < times; ++time) {
                    Strip(GetBlockIdx() * coreRows, split * part, part);
                }
            }
            return;
        }
        // Every core reads all of it: in the same order (1), or each from a strip of its own on (2).
        const uint32_t strips = allRows / coreRows;
        for (uint32_t strip = 0; strip < strips; ++strip) {
            const uint32_t at = mode == 1 ? strip : (strip + GetBlockIdx()) % strips;
            Strip(at * coreRows, 0, columns);
        }
    }

  private:
    __aicore__ inline void Strip(uint32_t firstRow, uint32_t firstColumn, uint32_t width) {
        const LocalTensor<uint8_t> local(TPosition::VECIN, 0, rows * ((rowBytes + 31) / 32 * 32));
        for (uint32_t row = firstRow; row < firstRow + coreRows; row += rows) {
            for (uint32_t column = 0; column < width; column += rowBytes) {
                const uint32_t bytes = width - column < rowBytes ? width - column : rowBytes;
                const DataCopyExtParams params(rows, bytes, pitch - bytes, 0, 0);
                DataCopyPad(local, source[uint64_t(row) * pitch + firstColumn + column], params,
                            DataCopyPadExtParams<uint8_t>(false, 0, 0, 0));
            }
        }
    }

    GlobalTensor<uint8_t> source;
    uint32_t mode, rows, rowBytes, pitch, columns, coreRows, allRows, times, splits;
};

// Transfers of one size, each of them finished before the next begins.
class Single {
  public:
    __aicore__ inline Single(GM_ADDR x, GM_ADDR z, const uint32_t* work)
        : store(work[2]), bytes(work[3]), count(work[4]), step(work[5]) {
        source.SetGlobalBuffer((__gm__ uint8_t*)x, uint64_t(count) * step + bytes);
        target.SetGlobalBuffer((__gm__ uint8_t*)z, uint64_t(count) * step + bytes);
    }

    __aicore__ inline void Run() {
        const LocalTensor<uint8_t> local(TPosition::VECIN, 0, bytes);
        for (uint32_t i = 0; i < count; ++i) {
            const uint64_t at = uint64_t(i) * step;
            if (store == 1) {
                DataCopy(target[at], local, bytes);
            } else if (store == 0) {
                DataCopy(local, source[at], bytes);
            }
            PipeBarrier<PIPE_ALL>();
        }
    }

  private:
    GlobalTensor<uint8_t> source, target;
    uint32_t store, bytes, count, step;
};

}  // namespace
