// DataCopy of slices of tensors.
#pragma once
#include "copy.h"

namespace AscendC {

namespace asc {

// Runs over the slices of the dimensions above the lowest: the offset of each combination, in elements.
struct SliceWalk {
    static constexpr uint32_t kMost = K_MAX_DIM;
    const SliceInfo* slices;
    uint32_t dimensions;
    uint32_t at[kMost] = {};
    uint32_t steps[kMost] = {};

    ASC_INLINE SliceWalk(const SliceInfo* info, uint32_t count)
        : slices(info), dimensions(count < kMost ? count : kMost) {
        for (uint32_t i = 1; i < dimensions; ++i) {
            const uint32_t unit = 1 + info[i].stride;
            steps[i] = (info[i].endIndex - info[i].startIndex + unit) / unit;
        }
    }
    ASC_INLINE uint64_t offset() const {
        uint64_t sum = slices[0].startIndex, pitch = slices[0].shapeValue;
        for (uint32_t i = 1; i < dimensions; ++i) {
            sum += pitch * (slices[i].startIndex + uint64_t{at[i]} * (1 + slices[i].stride));
            pitch *= slices[i].shapeValue;
        }
        return sum;
    }
    ASC_INLINE bool next() {
        for (uint32_t i = 1; i < dimensions; ++i) {
            if (++at[i] < steps[i]) return true;
            at[i] = 0;
        }
        return false;
    }
};

// Bursts of the lowest dimension. `own` says how many there are, the other side only where they lie.
ASC_INLINE void bursts(AscDma& call, const SliceInfo& own) {
    const uint32_t length = own.burstLen * (ONE_BLK_SIZE / call.size);
    call.pad = 1;  // gaps of any number of elements on the global side
    call.row_bytes = own.burstLen * ONE_BLK_SIZE;
    call.rows = length + own.stride == 0 ? 0 : (own.endIndex - own.startIndex + 1 + own.stride) / (length + own.stride);
}

}  // namespace asc

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1) {
    asc::SliceWalk from(srcSliceInfo, dimValue), to(dstSliceInfo, dimValue);
    do {
        AscDma call = asc::dma(kAscGmToLocal, dst[to.offset()].where(), src[from.offset()]);
        asc::bursts(call, srcSliceInfo[0]);
        call.gm_gap = srcSliceInfo[0].stride * sizeof(T);
        call.local_gap = dstSliceInfo[0].stride * sizeof(T);
        asc_dma(&call);
        to.next();
    } while (from.next());
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1) {
    asc::SliceWalk from(srcSliceInfo, dimValue), to(dstSliceInfo, dimValue);
    do {
        AscDma call = asc::dma(kAscLocalToGm, src[from.offset()].where(), dst[to.offset()]);
        asc::bursts(call, srcSliceInfo[0]);
        call.gm_gap = dstSliceInfo[0].stride * sizeof(T);
        call.local_gap = srcSliceInfo[0].stride * sizeof(T);
        asc_dma(&call);
        to.next();
    } while (from.next());
}

}  // namespace AscendC
