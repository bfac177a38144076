// Tiling of softmax, its gradient and its flash form: how many rows the temporary room holds at a time.
#include <algorithm>

#include "../abi/scratch.h"
#include "asc_host/layout_tiling.h"
#include "plain_tiling.h"
#include "shape_sizes.h"

namespace AscendC {

namespace {

constexpr uint32_t kRepeatElements = 64;  // of float, which is what is computed in
constexpr uint32_t kPlain = 1, kFlash = 2, kGrad = 2;

struct Rows {
    uint32_t count = 0;
    uint32_t length = 0;
};

Rows RowsOf(const ge::Shape& shape) {
    Rows rows;
    if (shape.GetDimNum() == 0 || shape.GetShapeSize() <= 0) return rows;
    rows.length = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    rows.count = static_cast<uint32_t>(shape.GetShapeSize()) / rows.length;
    return rows;
}

uint32_t RowBytes(const Rows& rows, uint32_t copies) { return ascendopt::scratch::softmax_row(rows.length, copies); }

uint32_t Largest(const ge::Shape& shape, uint32_t copies) {
    const Rows rows = RowsOf(shape);
    return RowBytes(rows, copies) * rows.count;
}

uint32_t Smallest(const ge::Shape& shape, uint32_t copies) { return RowBytes(RowsOf(shape), copies); }

template <typename Tiling>
Tiling Split(const ge::Shape& shape, uint32_t type_size, uint32_t room, uint32_t copies) {
    Tiling out{};
    const Rows rows = RowsOf(shape);
    if (rows.count == 0 || type_size == 0) return out;
    uint32_t split = std::max<uint32_t>(std::min(room / RowBytes(rows, copies), rows.count), 1);
    if (split > 8 && split < rows.count) split = split / 8 * 8;  // whole groups of eight rows are quicker to reduce
    out.srcM = rows.count;
    out.srcK = rows.length;
    out.srcSize = rows.count * rows.length;
    out.outMaxM = rows.count;
    out.outMaxK = kBlock / type_size;
    out.outMaxSize = out.outMaxM * out.outMaxK;
    out.splitM = split;
    out.splitK = rows.length;
    out.splitSize = split * rows.length;
    out.reduceM = split;
    out.reduceK = kBlock / sizeof(float);
    out.reduceSize = out.reduceM * out.reduceK;
    out.rangeM = rows.count / split;
    out.tailM = rows.count % split;
    out.tailSplitSize = out.tailM * out.splitK;
    out.tailReduceSize = out.tailM * out.reduceK;
    return out;
}

// Rows of at least a repeat and below 2048 elements, in whole repeats and groups of eight.
bool BasicBlock(uint32_t rows, uint32_t length, uint32_t type_size) {
    return rows % 8 == 0 && length % kRepeatElements == 0 && length < 2048 && length * type_size >= 256;
}

}  // namespace

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, uint32_t, bool) { return Largest(shape, kPlain); }
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool) { return Smallest(shape, kPlain); }
uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& shape, uint32_t, bool, bool) { return Largest(shape, kFlash); }
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& shape, uint32_t, bool, bool) { return Smallest(shape, kFlash); }
uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& shape, uint32_t, bool, bool) { return Largest(shape, kGrad); }
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& shape, uint32_t, bool, bool) { return Smallest(shape, kGrad); }
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& shape, uint32_t, uint32_t, bool, bool, bool) {
    return Largest(shape, kFlash);
}
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& shape, uint32_t, uint32_t, bool, bool, bool) {
    return Smallest(shape, kFlash);
}

uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape& shape, uint32_t, bool) { return Largest(shape, kPlain); }
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool) { return Smallest(shape, kPlain); }
void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t, uint32_t& largest, uint32_t& smallest,
                                    bool, bool) {
    largest = Largest(shape, kFlash);
    smallest = Smallest(shape, kFlash);
}

#define ASC_HOST_SOFTMAX_TILINGS(tilings)                                                                              \
    void SoftMaxTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room, tilings::SoftMaxTiling& to) {    \
        Assign(Split<tiling::SoftMaxTiling>(shape, type_size, room, kPlain), to);                                      \
    }                                                                                                                  \
    void LogSoftMaxTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room,                               \
                              tilings::LogSoftMaxTiling& to) {                                                         \
        Assign(Split<tiling::LogSoftMaxTiling>(shape, type_size, room, kPlain), to);                                   \
    }                                                                                                                  \
    void SoftMaxFlashTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room, tilings::SoftMaxTiling& to, \
                                bool) {                                                                                \
        Assign(Split<tiling::SoftMaxTiling>(shape, type_size, room, kFlash), to);                                      \
    }                                                                                                                  \
    void SoftMaxGradTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room, tilings::SoftMaxTiling& to,  \
                               bool) {                                                                                 \
        Assign(Split<tiling::SoftMaxTiling>(shape, type_size, room, kGrad), to);                                       \
    }                                                                                                                  \
    void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t, uint32_t room,                 \
                                  tilings::SoftMaxTiling& to, bool, bool, bool) {                                      \
        Assign(Split<tiling::SoftMaxTiling>(shape, type_size, room, kFlash), to);                                      \
    }                                                                                                                  \
    void SoftMaxFlashV3TilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t, uint32_t room,                 \
                                  tilings::SoftMaxTiling& to, bool, bool) {                                            \
        Assign(Split<tiling::SoftMaxTiling>(shape, type_size, room, kFlash), to);                                      \
    }
ASC_HOST_SOFTMAX_TILINGS(tiling)
ASC_HOST_SOFTMAX_TILINGS(optiling)
#undef ASC_HOST_SOFTMAX_TILINGS

bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling, uint32_t type_size) {
    return BasicBlock(tiling.get_reduceM(), tiling.get_srcK(), type_size);
}
bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& tiling, uint32_t type_size) {
    return BasicBlock(tiling.reduceM, tiling.srcK, type_size);
}

}  // namespace AscendC
