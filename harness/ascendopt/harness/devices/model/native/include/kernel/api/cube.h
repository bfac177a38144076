// Matrices into L0 and their product.
#pragma once
#include "../../../abi/cube.h"
#include "cube_params.h"

namespace AscendC {

template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params) {
    AscLoadFractals call{};
    call.mode = params.ifTranspose ? kAscFractalTranspose : kAscFractalCopy;
    call.dtype = asc::dtype<T>;
    call.descending = params.addrMode;
    call.start = params.startIndex;
    call.repeats = params.repeatTimes;
    call.src_stride = params.srcStride;
    call.dst_gap = params.dstGap;
    call.from = src.where();
    call.to = dst.where();
    call.api = "LoadData";
    asc_load_fractals(&call);
}
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params) {
    AscLoadFractals call{};
    call.dtype = asc::dtype<T>;
    call.from_gm = 1;
    call.descending = params.addrMode;
    call.start = params.startIndex;
    call.repeats = params.repeatTimes;
    call.src_stride = params.srcStride;
    call.dst_gap = params.dstGap;
    call.gm = reinterpret_cast<uintptr_t>(src.GetPhyAddr());
    call.to = dst.where();
    call.api = "LoadData";
    asc_load_fractals(&call);
}
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& params) {
    AscLoadFractals call{};
    call.mode = kAscSquareTranspose;
    call.dtype = asc::dtype<T>;
    call.descending = params.addrMode;
    call.start = params.startIndex;
    call.repeats = params.repeatTimes;
    call.src_stride = params.srcStride;
    call.dst_gap = params.dstGap;
    call.dst_fractal_gap = params.dstFracGap;
    call.from = src.where();
    call.to = dst.where();
    call.api = "LoadDataWithTranspose";
    asc_load_fractals(&call);
}

template <typename T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<T>& params) {
    AscLoadImage call{};
    call.dtype = asc::dtype<T>;
    call.transpose = params.enTranspose;
    call.set_shape = config.isSetFMatrix;
    call.set_padding = config.isSetPadding;
    call.pad_left = params.padList[0];
    call.pad_right = params.padList[1];
    call.pad_top = params.padList[2];
    call.pad_bottom = params.padList[3];
    call.height = params.l1H;
    call.width = params.l1W;
    call.channels = params.channelSize;
    call.k_extent = params.kExtension;
    call.m_extent = params.mExtension;
    call.k_start = params.kStartPt;
    call.m_start = params.mStartPt;
    call.filter_width = params.filterW + (params.filterSizeW ? 256 : 0);
    call.filter_height = params.filterH + (params.filterSizeH ? 256 : 0);
    call.stride_width = params.strideW;
    call.stride_height = params.strideH;
    call.dilation_width = params.dilationFilterW;
    call.dilation_height = params.dilationFilterH;
    call.pad_value = asc::bits(params.padValue);
    call.from = src.where();
    call.to = dst.where();
    call.api = "LoadData";
    asc_load_image(&call);
}
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& params) {
    AscLoadImage call{};
    call.dtype = asc::dtype<T>;
    call.transpose = params.enTranspose;
    call.channels = params.channelSize;
    call.k_extent = static_cast<uint16_t>(params.extConfig);
    call.m_extent = static_cast<uint16_t>(params.extConfig >> 16);
    call.k_start = static_cast<uint16_t>(params.extConfig >> 32);
    call.m_start = static_cast<uint16_t>(params.extConfig >> 48);
    call.stride_width = static_cast<uint8_t>(params.filterConfig);
    call.stride_height = static_cast<uint8_t>(params.filterConfig >> 8);
    call.filter_width = static_cast<uint8_t>(params.filterConfig >> 16) + (params.filterSizeW ? 256 : 0);
    call.filter_height = static_cast<uint8_t>(params.filterConfig >> 24) + (params.filterSizeH ? 256 : 0);
    call.dilation_width = static_cast<uint8_t>(params.filterConfig >> 32);
    call.dilation_height = static_cast<uint8_t>(params.filterConfig >> 40);
    call.from = src.where();
    call.to = dst.where();
    call.api = "LoadData";
    asc_load_image(&call);
}

inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode&) {
    asc_cube_register(kAscMapSize, l1H | static_cast<uint64_t>(l1W) << 16, "SetFmatrix");
    const uint64_t padding = padList[0] | padList[1] << 8 | padList[2] << 16 | static_cast<uint64_t>(padList[3]) << 24;
    asc_cube_register(kAscMapPadding, padding, "SetFmatrix");
}
#if __NPU_ARCH__ == 1001 || __NPU_ARCH__ == 2002
inline void Load3DSetFMatrixCal(uint16_t l1H, uint16_t l1W, const uint8_t padList[4]) {
    SetFmatrix(l1H, l1W, padList, FmatrixMode::FMATRIX_LEFT);
}
#endif
template <typename T>
inline void SetLoadDataPaddingValue(const T padValue) {
    asc_cube_register(kAscPadValue, asc::bits(padValue), "SetLoadDataPaddingValue");
}
inline void SetLoadDataRepeat(const LoadDataRepeatParam& params) {
    const uint64_t packed =
        params.repeatTime | params.repeatMode << 8 | static_cast<uint64_t>(params.repeatStride) << 16;
    asc_cube_register(kAscImageRepeat, packed | uint64_t{1} << 32, "SetLoadDataRepeat");
}

template <typename T>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<T>& params) {
    AscFillLocal call{params.repeatTimes,          params.blockNum, params.dstGap, sizeof(T),
                      asc::bits(params.initValue), dst.where(),     "Fill"};
    asc_fill_local(&call);
}
template <typename T>
inline void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<T>& params) {
    AscFillLocal call{params.repeatTimes,          params.blockNum, params.dstGap,   sizeof(T),
                      asc::bits(params.initValue), dst.where(),     "InitConstValue"};
    asc_fill_local(&call);
}

namespace asc {
template <typename C, typename A, typename B>
ASC_INLINE AscMmad mmad(const LocalTensor<C>& dst, const LocalTensor<A>& fm, const LocalTensor<B>& filter,
                        const MmadParams& params) {
    AscMmad call{};
    call.m = params.m;
    call.n = params.n;
    call.k = params.k;
    call.unit_flag = params.unitFlag;
    call.k_aligned = params.kDirectionAlign;
    call.c = dst.where();
    call.a = fm.where();
    call.b = filter.where();
    call.api = "Mmad";
    return call;
}
}  // namespace asc

template <typename C, typename A, typename B>
inline void Mmad(const LocalTensor<C>& dst, const LocalTensor<A>& fm, const LocalTensor<B>& filter,
                 const MmadParams& params) {
    AscMmad call = asc::mmad(dst, fm, filter, params);
    const bool zero = params.cmatrixInitVal && !params.isBias;
    call.start = zero ? kAscFromZero : params.cmatrixSource ? kAscFromBias : kAscFromL0c;
    call.bias.position = static_cast<uint8_t>(TPosition::C2);
    asc_mmad(&call);
}
// Where the bias lies says what the sum starts from.
template <typename C, typename A, typename B, typename Bias>
inline void Mmad(const LocalTensor<C>& dst, const LocalTensor<A>& fm, const LocalTensor<B>& filter,
                 const LocalTensor<Bias>& bias, const MmadParams& params) {
    AscMmad call = asc::mmad(dst, fm, filter, params);
    const bool table = bias.GetPosition() == static_cast<int32_t>(TPosition::C2);
    call.start = params.cmatrixInitVal ? kAscFromZero : table ? kAscFromBias : kAscFromL0c;
    call.bias = bias.where();
    asc_mmad(&call);
}

inline void SetHF32Mode(HF32Mode mode) { asc_cube_register(kAscHf32, static_cast<uint64_t>(mode), "SetHF32Mode"); }
inline void SetHF32Mode(bool mode) { asc_cube_register(kAscHf32, mode, "SetHF32Mode"); }
inline void SetHF32TransMode(HF32TransMode mode) {
    asc_cube_register(kAscHf32Rounding, static_cast<uint64_t>(mode), "SetHF32TransMode");
}
inline void SetHF32TransMode(bool mode) { asc_cube_register(kAscHf32Rounding, mode, "SetHF32TransMode"); }
// The order in which the unit walks its result changes no value.
inline void SetMMColumnMajor() {}
inline void SetMMRowMajor() {}

}  // namespace AscendC
