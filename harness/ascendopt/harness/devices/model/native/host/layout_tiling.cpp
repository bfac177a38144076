// Temporary room and tilings of Pad, UnPad, Transpose and TopK; sizes are figures of the open kernel library.
#include "asc_host/layout_tiling.h"

#include <algorithm>

#include "plain_tiling.h"
#include "shape_sizes.h"

namespace AscendC {

namespace {

constexpr uint32_t kFractal = 256;  // elements
// Kinds of Transpose whose scratch is not nothing.
constexpr uint32_t kNz2Nd0213 = 1, kNz2Nz0213 = 2, kNz2NzWithoutN = 6;

bool Regions(const platform_ascendc::PlatformAscendC& platform) {
    return platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P;
}

// Sixteen elements become sixteen blocks, twice.
void Blocks(const ge::Shape& shape, uint32_t& largest, uint32_t& smallest) {
    smallest = 2 * 16 * kBlock;
    largest = Up(std::max<uint32_t>(Dim(shape, 0) * Dim(shape, 1), 1), 16) * 2 * kBlock;
}

tiling::PadTiling PadRows(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size) {
    tiling::PadTiling out{};
    out.srcHeight = Dim(shape, 0);
    out.srcWidth = Dim(shape, 1);
    out.srcOriWidth = Dim(counted, 1);
    out.blocksPerRow = out.srcWidth * type_size / kBlock;
    out.widthWithoutLastBlock = out.blocksPerRow ? out.srcWidth - kBlock / type_size : 0;
    out.tmpBuffer1BlockNum = room / 2 / kBlock;
    return out;
}

tiling::UnPadTiling UnPadRows(const ge::Shape& shape, uint32_t room) {
    tiling::UnPadTiling out{};
    out.srcHeight = Dim(shape, 0);
    out.srcWidth = Dim(shape, 1);
    out.tmpBuffer1BlockNum = room / 2 / kBlock;
    return out;
}

// Four dimensions, the first ones 1 where there are fewer.
tiling::ConfusionTransposeTiling Dimensions(const ge::Shape& shape) {
    uint32_t dims[4] = {1, 1, 1, 1};
    const size_t count = std::min<size_t>(shape.GetDimNum(), 4);
    for (size_t i = 0; i < count; ++i) dims[4 - count + i] = Dim(shape, i);
    tiling::ConfusionTransposeTiling out{};
    out.param0 = dims[0];
    out.param1 = dims[1];
    out.param2 = dims[2];
    out.param3 = dims[3];
    return out;
}

tiling::TopkTiling TopKRows(int32_t inner, int32_t outer, int32_t k, uint32_t type_size, uint32_t room) {
    tiling::TopkTiling out{};
    out.tmpLocalSize = static_cast<int32_t>(room / std::max<uint32_t>(type_size, 1));
    out.allDataSize = inner * outer;
    out.innerDataSize = 2 * inner;
    out.sortRepeat = static_cast<uint32_t>(inner) / 32;
    out.kAlignFourBytes = (k + 7) / 8 * 8;
    out.kAlignTwoBytes = (k + 15) / 16 * 16;
    return out;
}

template <typename Tiling>
bool TopK(const platform_ascendc::PlatformAscendC& platform, int32_t inner, int32_t outer, int32_t k,
          uint32_t type_size, bool indices_given, TopKMode mode, bool is_largest, Tiling& to) {
    uint32_t largest = 0, smallest = 0;
    if (k < 1 || k > inner || inner % 32) return false;
    if (!GetTopKMaxMinTmpSize(platform, inner, outer, false, indices_given, mode, is_largest, type_size, largest,
                              smallest)) {
        return false;
    }
    Assign(TopKRows(inner, outer, k, type_size, smallest), to);
    return true;
}

}  // namespace

void GetPadMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t& largest, uint32_t& smallest) {
    Blocks(shape, largest, smallest);
}
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform, const ge::Shape& shape, uint32_t,
                           uint32_t& largest, uint32_t& smallest) {
    largest = smallest = 0;
    if (Regions(platform)) Blocks(shape, largest, smallest);
}

void GetTransposeMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t kind, uint32_t& largest,
                               uint32_t& smallest) {
    largest = smallest = 0;
    if (kind < kNz2Nd0213 || kind > kNz2NzWithoutN) return;
    const bool exchange = kind <= kNz2Nz0213;
    smallest = (exchange ? 1 : 2) * kFractal * type_size;
    largest = exchange ? Up(Dim(shape, 2), 16) * 16 * type_size : smallest;
}
void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t kind, uint32_t& largest,
                                        uint32_t& smallest) {
    GetTransposeMaxMinTmpSize(shape, type_size, kind, largest, smallest);
}

// Sorted elements of eight bytes, twice for one row after the other; indices that are not given; negated values.
bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform, int32_t inner, int32_t outer, bool,
                          bool indices_given, TopKMode mode, bool is_largest, uint32_t type_size, uint32_t& largest,
                          uint32_t& smallest) {
    if (inner <= 0 || outer <= 0) return false;
    const bool small = mode == TopKMode::TOPK_NSMALL;
    const uint32_t elements = static_cast<uint32_t>(small ? inner * outer : inner);
    if (Regions(platform)) {
        smallest = elements * 8 * type_size * (small ? 1 : 2);
    } else {
        const uint32_t indices = indices_given ? 0 : 4;
        smallest = elements * (small ? 8 + indices + (is_largest ? 0 : 4) : 16 + indices) + (small ? kBlock : 0);
    }
    largest = smallest;
    return true;
}

// Radix sort: seven bytes an element and a bucket for each byte, copies of values and of indices that are moved along.
void GetSortMaxMinTmpSize(const ge::Shape& shape, ge::DataType value, ge::DataType index, bool,
                          const SortConfig& config, uint32_t& largest, uint32_t& smallest) {
    const auto size = [](ge::DataType type) { return static_cast<uint32_t>(std::max(ge::GetSizeByDataType(type), 1)); };
    uint32_t each = 7;
    if (size(value) > 1) {
        each += size(value);
        if (config.hasSrcIndex) each += size(index);
        if (config.hasDstIndex && !config.hasSrcIndex) each += 4;
    }
    largest = smallest = Elements(shape) * each + 512;
}

// Over the last axis rows are transposed in sixteens, there and back; half numbers are added in float.
void GetCumSumMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool last_axis, bool, uint32_t& largest,
                            uint32_t& smallest) {
    const uint32_t rows = Dim(shape, 0), length = Dim(shape, 1);
    if (!last_axis) {
        largest = smallest = type_size == 2 ? rows * length * kFloat : 0;
        return;
    }
    const uint32_t each = length * (2 * type_size + (type_size == 2 ? 2 : 0));
    smallest = 16 * each;
    largest = Up(rows, 16) * each;
}

void GetArangeMaxMinTmpSize(uint32_t& largest, uint32_t& smallest) { largest = smallest = 0; }
void GetArithProgressionMaxMinTmpSize(uint32_t& largest, uint32_t& smallest) { largest = smallest = 0; }

#define ASC_HOST_LAYOUT_TILINGS(tilings)                                                                            \
    void PadTilingFunc(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size,         \
                       tilings::PadTiling& to) {                                                                    \
        Assign(PadRows(shape, counted, room, type_size), to);                                                       \
    }                                                                                                               \
    void UnPadTilingFunc(const ge::Shape& shape, uint32_t room, uint32_t, tilings::UnPadTiling& to) {               \
        Assign(UnPadRows(shape, room), to);                                                                         \
    }                                                                                                               \
    void GetTransposeTilingInfo(const ge::Shape& shape, uint32_t, uint32_t, uint32_t,                               \
                                tilings::ConfusionTransposeTiling& to) {                                            \
        Assign(Dimensions(shape), to);                                                                              \
    }                                                                                                               \
    void GetConfusionTransposeTilingInfo(const ge::Shape& shape, uint32_t, uint32_t, uint32_t,                      \
                                         tilings::ConfusionTransposeTiling& to) {                                   \
        Assign(Dimensions(shape), to);                                                                              \
    }                                                                                                               \
    void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& shape, uint32_t, uint32_t,                            \
                                             tilings::ConfusionTransposeTiling& to) {                               \
        Assign(Dimensions(shape), to);                                                                              \
    }                                                                                                               \
    bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& platform, int32_t inner, int32_t outer, int32_t k, \
                        uint32_t type_size, bool indices_given, TopKMode mode, bool is_largest,                     \
                        tilings::TopkTiling& to) {                                                                  \
        return TopK(platform, inner, outer, k, type_size, indices_given, mode, is_largest, to);                     \
    }
ASC_HOST_LAYOUT_TILINGS(tiling)
ASC_HOST_LAYOUT_TILINGS(optiling)
#undef ASC_HOST_LAYOUT_TILINGS

}  // namespace AscendC
