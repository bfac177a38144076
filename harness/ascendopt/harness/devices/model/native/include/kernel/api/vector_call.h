// Filling an AscVector: the shared part of every vector function.
#pragma once
#include "vector_params.h"

namespace AscendC::asc {

using ascendopt::Composite;
using ascendopt::Op;

ASC_INLINE AscVector vector_call(Op op, const char* api, const AscLocal& dst) {
    AscVector call{};
    call.op = static_cast<uint16_t>(op);
    call.api = api;
    call.dst = dst;
    call.set_mask = 1;
    return call;
}
ASC_INLINE void source(AscVector& call, const AscLocal& src) { call.src[call.sources++] = src; }
template <typename T>
ASC_INLINE void scalar(AscVector& call, const T& value) {
    call.has_scalar = 1;
    call.scalar = bits(value);
    call.scalar_dtype = dtype<T>;
}

// "First n elements". A negative count is passed on: the runtime reports it.
ASC_INLINE void count_form(AscVector& call, int64_t count) {
    call.form = kAscCount;
    call.count = static_cast<uint32_t>(count);
}
ASC_INLINE void mask_form(AscVector& call, uint64_t length, bool set_mask, uint32_t repeat) {
    call.form = kAscMaskLength;
    call.mask[0] = length;
    call.set_mask = set_mask ? 1 : 0;
    call.repeat = repeat;
}
ASC_INLINE void mask_form(AscVector& call, const uint64_t* mask, bool set_mask, uint32_t repeat) {
    call.form = kAscMaskBits;
    if (set_mask) {
        call.mask[0] = mask[0];
        call.mask[1] =
            call.dst.dtype == dtype<float> || call.dst.dtype == dtype<int32_t> || call.dst.dtype == dtype<uint32_t>
                ? 0
                : mask[1];
    }
    call.set_mask = set_mask ? 1 : 0;
    call.repeat = repeat;
}

ASC_INLINE void strides(AscVector& call, const UnaryRepeatParams& params) {
    call.dst_block = params.dstBlkStride;
    call.src_block[0] = params.srcBlkStride;
    call.dst_repeat = params.dstRepStride;
    call.src_repeat[0] = params.srcRepStride;
}
ASC_INLINE void strides(AscVector& call, const BinaryRepeatParams& params) {
    call.dst_block = params.dstBlkStride;
    call.src_block[0] = params.src0BlkStride;
    call.src_block[1] = params.src1BlkStride;
    call.dst_repeat = params.dstRepStride;
    call.src_repeat[0] = params.src0RepStride;
    call.src_repeat[1] = params.src1RepStride;
}

}  // namespace AscendC::asc
