// Fixpipe by bursts: the older form, which counts columns of 16 and 32 B units of the source, with gaps between them.
#pragma once
#include "fixpipe.h"

namespace AscendC {

struct QuantParams {
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    QuantParams() = default;
    QuantParams(QuantMode_t mode, uint64_t scalar = 0) : quantPre(mode), deqScalar(scalar) {}
};

struct Nz2NdParams {
    bool nz2ndEn = false;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    uint16_t originalNSize = 0;
    Nz2NdParams() = default;
    Nz2NdParams(bool enabled, uint16_t matrices, uint16_t source, uint16_t destination, uint16_t n)
        : nz2ndEn(enabled), ndNum(matrices), srcNdStride(source), dstNdStride(destination), originalNSize(n) {}
};

template <typename T = int32_t>
struct FixpipeParams {
    uint16_t cburstNum = 1;
    uint16_t burstLen = 1;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    QuantParams quantParams;
    bool reluEn = false;
    Nz2NdParams nz2ndParams;
    uint8_t unitFlag = 0;
    FixpipeParams() = default;
    FixpipeParams(uint16_t count, uint16_t length, uint16_t source, uint32_t destination)
        : cburstNum(count), burstLen(length), dstStride(destination), srcStride(source) {}
};

namespace asc {
// A burst is all rows of 16 columns; the elements in L0C have 4 bytes.
template <typename To, typename P>
ASC_INLINE FixpipeParamsV220 by_columns(const FixpipeParams<P>& params) {
    const bool to_nd = params.nz2ndParams.nz2ndEn;
    const auto rows = static_cast<uint16_t>(params.burstLen * 32 / 64);
    FixpipeParamsV220 out;
    out.mSize = rows;
    out.nSize = to_nd ? params.nz2ndParams.originalNSize : static_cast<uint16_t>(params.cburstNum * 16);
    out.srcStride = static_cast<uint16_t>(params.srcStride * 16 + (rows + 15) / 16 * 16);
    out.dstStride = to_nd ? params.dstStride : params.dstStride + params.burstLen * sizeof(To) / 4;
    out.quantPre = params.quantParams.quantPre;
    out.deqScalar = params.quantParams.deqScalar;
    out.reluEn = params.reluEn;
    out.unitFlag = params.unitFlag;
    out.ndNum = params.nz2ndParams.ndNum;
    out.srcNdStride = params.nz2ndParams.srcNdStride;
    out.dstNdStride = params.nz2ndParams.dstNdStride;
    return out;
}
template <typename P>
ASC_INLINE CO2Layout layout_of(const FixpipeParams<P>& params) {
    return params.nz2ndParams.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ;
}
}  // namespace asc

template <typename T, typename U, typename P>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<P>& params) {
    AscFixpipe call = asc::fixpipe<T>(src, asc::by_columns<T>(params), asc::layout_of(params));
    asc::to_global(call, dst);
    asc_fixpipe(&call);
}
template <typename T, typename U, typename P>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<P>& params) {
    AscFixpipe call = asc::fixpipe<T>(src, asc::by_columns<T>(params), asc::layout_of(params));
    asc::to_local(call, dst);
    asc_fixpipe(&call);
}
template <typename T, typename U, typename S, typename P>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& scales,
                    const FixpipeParams<P>& params) {
    AscFixpipe call = asc::fixpipe<T>(src, asc::by_columns<T>(params), asc::layout_of(params));
    call.scales = scales.where();
    asc::to_global(call, dst);
    asc_fixpipe(&call);
}

}  // namespace AscendC
