// Results out of L0C.
#pragma once
#include "../../../abi/cube.h"
#include "cube_params.h"

namespace AscendC {

namespace asc {
template <typename To, typename From>
ASC_INLINE AscFixpipe fixpipe(const LocalTensor<From>& src, const FixpipeParamsV220& params, CO2Layout format) {
    AscFixpipe call{};
    call.n = params.nSize;
    call.m = params.mSize;
    call.src_stride = params.srcStride;
    call.row_major = format == CO2Layout::ROW_MAJOR;
    call.quant = static_cast<uint8_t>(params.quantPre);
    call.relu = params.reluEn;
    call.unit_flag = params.unitFlag;
    call.channel_split = params.isChannelSplit;
    call.dtype = dtype<To>;
    call.matrices = call.row_major ? params.ndNum : 1;
    call.src_matrix_stride = params.srcNdStride;
    call.dst_stride = params.dstStride;
    call.dst_matrix_stride = params.dstNdStride;
    call.scale = params.deqScalar;
    call.from = src.where();
    call.api = "Fixpipe";
    return call;
}
template <typename T>
ASC_INLINE void to_global(AscFixpipe& call, const GlobalTensor<T>& dst) {
    call.gm = reinterpret_cast<uintptr_t>(dst.GetPhyAddr());
    call.l2_bypass = dst.cache() == CacheMode::CACHE_MODE_DISABLE;
}
template <typename T>
ASC_INLINE void to_local(AscFixpipe& call, const LocalTensor<T>& dst) {
    call.to = dst.where();
    call.to_local = 1;
}
}  // namespace asc

template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params) {
    AscFixpipe call = asc::fixpipe<T>(src, params, config.format);
    asc::to_global(call, dst);
    asc_fixpipe(&call);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR, typename S = uint64_t>
inline void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& scales,
                    const FixpipeParamsV220& params) {
    AscFixpipe call = asc::fixpipe<T>(src, params, config.format);
    call.scales = scales.where();
    asc::to_global(call, dst);
    asc_fixpipe(&call);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_NZ>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params) {
    AscFixpipe call = asc::fixpipe<T>(src, params, config.format);
    asc::to_local(call, dst);
    asc_fixpipe(&call);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_NZ, typename S = uint64_t>
inline void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<S>& scales,
                    const FixpipeParamsV220& params) {
    AscFixpipe call = asc::fixpipe<T>(src, params, config.format);
    call.scales = scales.where();
    asc::to_local(call, dst);
    asc_fixpipe(&call);
}

template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T>& preData, bool = false) {
    asc_cube_register(kAscFixpipeScales, preData.where().address, "SetFixPipeConfig");
}
inline void SetFixpipePreQuantFlag(uint64_t config) {
    asc_cube_register(kAscFixpipeScale, config, "SetFixpipePreQuantFlag");
}
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
    const uint64_t packed = ndNum | static_cast<uint64_t>(srcNdStride) << 16 | static_cast<uint64_t>(dstNdStride) << 32;
    asc_cube_register(kAscFixpipeMatrices, packed, "SetFixpipeNz2ndFlag");
}

namespace asc {
template <typename To, typename From>
ASC_INLINE AscFixpipe co1(const LocalTensor<From>& src, const DataCopyCO12DstParams& params) {
    AscFixpipe call{};
    call.n = params.nSize;
    call.m = params.mSize;
    call.src_stride = params.srcStride;
    call.row_major = params.nz2ndEn;
    call.quant = static_cast<uint8_t>(params.quantPre);
    call.relu = params.reluPre != 0;
    call.unit_flag = params.unitFlag;
    call.channel_split = params.channelSplit;
    call.dtype = dtype<To>;
    call.from_registers = 1;
    call.matrices = 1;
    call.dst_stride = params.dstStride;
    call.from = src.where();
    call.api = "DataCopy";
    return call;
}
}  // namespace asc

template <typename T, typename U>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params) {
    AscFixpipe call = asc::co1<T>(src, params);
    asc::to_global(call, dst);
    asc_fixpipe(&call);
}
template <typename T, typename U>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& params) {
    AscFixpipe call = asc::co1<T>(src, params);
    asc::to_local(call, dst);
    asc_fixpipe(&call);
}

}  // namespace AscendC
