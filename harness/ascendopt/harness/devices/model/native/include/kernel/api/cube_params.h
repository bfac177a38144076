// Parameter structs of the cube unit's instructions.
#pragma once
#include "tensor.h"

// How Fixpipe converts: names as the documentation lists them.
enum QuantMode_t {
    NoQuant,
    F322F16,
    F322BF16,
    DEQF16,
    VDEQF16,
    QF322B8_PRE,
    VQF322B8_PRE,
    REQ8,
    VREQ8,
};

// The direction in which LoadData walks its source.
enum addr_cal_mode_t : uint8_t { inc, dec };

namespace AscendC {

struct LoadData2DParams {
    uint16_t startIndex = 0;
    uint16_t dstGap = 0;
    uint16_t srcStride = 0;
    bool ifTranspose = false;
    uint8_t repeatTimes = 0;
    uint8_t sid = 0;
    uint8_t addrMode = 0;
    LoadData2DParams() = default;
    constexpr LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t source, uint8_t stream, uint16_t gap,
                               bool transpose, uint8_t mode)
        : startIndex(start),
          dstGap(gap),
          srcStride(source),
          ifTranspose(transpose),
          repeatTimes(repeat),
          sid(stream),
          addrMode(mode) {}
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint16_t dstGap = 0;
    uint16_t dstFracGap = 0;
    uint8_t addrMode = 0;
    LoadData2dTransposeParams() = default;
    constexpr LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t source, uint16_t gap,
                                        uint16_t fractal_gap, uint8_t mode = 0)
        : startIndex(start),
          repeatTimes(repeat),
          srcStride(source),
          dstGap(gap),
          dstFracGap(fractal_gap),
          addrMode(mode) {}
};

// padList: left, right, top, bottom.
template <typename T>
struct LoadData3DParamsV2 {
    uint8_t padList[4] = {0, 0, 0, 0};
    uint16_t l1H = 0;
    uint16_t l1W = 0;
    uint16_t channelSize = 0;
    uint16_t kExtension = 0;
    uint16_t mExtension = 0;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue = T(0);
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const uint8_t pad[4], uint16_t height, uint16_t width, uint16_t channels, uint16_t k_extent,
                       uint16_t m_extent, uint16_t k_start, uint16_t m_start, uint8_t stride_w, uint8_t stride_h,
                       uint8_t filter_w, uint8_t filter_h, uint8_t dilation_w, uint8_t dilation_h, bool transpose,
                       bool small_k, T pad_value, bool wide = false, bool high = false, bool right = false)
        : padList{pad[0], pad[1], pad[2], pad[3]},
          l1H(height),
          l1W(width),
          channelSize(channels),
          kExtension(k_extent),
          mExtension(m_extent),
          kStartPt(k_start),
          mStartPt(m_start),
          strideW(stride_w),
          strideH(stride_h),
          filterW(filter_w),
          filterH(filter_h),
          dilationFilterW(dilation_w),
          dilationFilterH(dilation_h),
          enTranspose(transpose),
          enSmallK(small_k),
          padValue(pad_value),
          filterSizeW(wide),
          filterSizeH(high),
          fMatrixCtrl(right) {}
};

// The same with the window and the filter packed into two words.
struct LoadData3DParamsV2Pro {
    uint16_t channelSize = 0;
    bool enTranspose = false;
    bool enSmallK = false;
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    uint64_t extConfig = 0;
    uint64_t filterConfig = 0x10101010101;
    LoadData3DParamsV2Pro() = default;
    LoadData3DParamsV2Pro(uint16_t channels, bool transpose, bool small_k, bool wide, bool high, bool right,
                          uint64_t window, uint64_t filter)
        : channelSize(channels),
          enTranspose(transpose),
          enSmallK(small_k),
          filterSizeW(wide),
          filterSizeH(high),
          fMatrixCtrl(right),
          extConfig(window),
          filterConfig(filter) {}
};

// Which registers LoadData sets from its parameters.
struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

struct LoadDataRepeatParam {
    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
    uint8_t reserved = 0;
    LoadDataRepeatParam() = default;
    LoadDataRepeatParam(uint16_t stride, uint8_t times, uint8_t mode)
        : repeatStride(stride), repeatTime(times), repeatMode(mode) {}
};

enum class FmatrixMode : uint8_t { FMATRIX_LEFT, FMATRIX_RIGHT };

template <typename T>
struct InitConstValueParams {
    uint16_t repeatTimes = 0;
    uint16_t blockNum = 0;
    uint16_t dstGap = 0;
    T initValue = T(0);
    InitConstValueParams() = default;
    constexpr InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
};

struct MmadParams {
    uint16_t m = 0;
    uint16_t n = 0;
    uint16_t k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    uint8_t unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false;
    bool cmatrixInitVal = true;
    MmadParams() = default;
    constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, bool bias, int32_t offset, bool sparse,
                         bool winograd_a, bool winograd_b)
        : m(rows),
          n(columns),
          k(depth),
          isBias(bias),
          fmOffset(offset),
          enSsparse(sparse),
          enWinogradA(winograd_a),
          enWinogradB(winograd_b) {}
    constexpr MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, uint8_t unit_flag, bool from_bias,
                         bool from_zero)
        : m(rows), n(columns), k(depth), unitFlag(unit_flag), cmatrixSource(from_bias), cmatrixInitVal(from_zero) {}
};

enum class HF32Mode : uint8_t { DISABLE = 0, ENABLE = 1 };
enum class HF32TransMode : uint8_t { NEAREST_EVEN = 0, NEAREST_ZERO = 1 };

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
    FixpipeParamsV220() = default;
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t source, uint32_t destination, bool relu)
        : nSize(n), mSize(m), srcStride(source), dstStride(destination), reluEn(relu) {}
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t source, uint32_t destination, bool relu, QuantMode_t quant,
                      int64_t scalar, uint16_t matrices, uint16_t source_matrix, uint16_t destination_matrix,
                      uint8_t unit_flag, bool split = false)
        : nSize(n),
          mSize(m),
          srcStride(source),
          dstStride(destination),
          quantPre(quant),
          deqScalar(static_cast<uint64_t>(scalar)),
          ndNum(matrices),
          srcNdStride(source_matrix),
          dstNdStride(destination_matrix),
          reluEn(relu),
          unitFlag(unit_flag),
          isChannelSplit(split) {}
};

// DataCopy from L0C.
struct DataCopyCO12DstParams {
    uint8_t sid = 0;
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0;
    uint8_t clipReluPre = 0;
    uint8_t eltWiseOp = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false;
    bool nz2ndEn = false;
    DataCopyCO12DstParams() = default;
    constexpr DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t destination, uint16_t source, QuantMode_t quant,
                                    uint8_t relu, bool split, bool to_nd)
        : nSize(n),
          mSize(m),
          dstStride(destination),
          srcStride(source),
          quantPre(quant),
          reluPre(relu),
          channelSplit(split),
          nz2ndEn(to_nd) {}
};

}  // namespace AscendC
