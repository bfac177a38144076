// Tilings of normalisations: the shape, and as many rows at a time as the temporary room holds.
#include "asc_host/norm_tiling.h"

#include <algorithm>

#include "plain_tiling.h"
#include "shape_sizes.h"

namespace AscendC {

namespace {

// Rows of a turn: what is left of the room beside the moments of all rows, in rows of `copies` times their length.
uint32_t RowsOfTurn(uint32_t rows, uint32_t length, uint32_t copies, uint32_t room) {
    const uint32_t moments = 2 * Up(rows * kFloat, kBlock), row = std::max<uint32_t>(copies * length * kFloat, 1);
    const uint32_t fit = room > moments ? (room - moments) / row : 0;
    return std::max<uint32_t>(std::min(fit, rows), 1);
}

template <typename Tiling>
Tiling Shape(const ge::Shape& shape, uint32_t counted) {
    Tiling out{};
    out.bLength = Dim(shape, 0);
    out.sLength = Dim(shape, 1);
    out.hLength = Dim(shape, 2);
    out.originalHLength = counted;
    return out;
}

// LayerNorm and DeepNorm, whose structs have the same fields.
template <typename Tiling>
Tiling Rows(const ge::Shape& shape, uint32_t counted, uint32_t copies, uint32_t room) {
    auto out = Shape<Tiling>(shape, counted);
    const uint32_t rows = out.bLength * out.sLength, turn = RowsOfTurn(rows, out.hLength, copies, room);
    out.inputXSize = rows * out.hLength;
    out.meanVarSize = rows;
    out.numberOfTmpBuf = copies;
    out.tmpBufSize = room / kFloat;
    out.oneTmpSize = turn * out.hLength;
    out.loopRound = rows / turn;
    out.inputRoundSize = out.oneTmpSize;
    out.inputTailSize = rows % turn * out.hLength;
    out.inputTailPos = out.inputXSize - out.inputTailSize;
    out.meanVarRoundSize = turn;
    out.meanVarTailSize = rows % turn;
    out.meanVarTailPos = rows - out.meanVarTailSize;
    out.bshCurLength = out.oneTmpSize;
    out.bsCurLength = turn;
    out.lastDimValueBack = 1.0f / static_cast<float>(std::max<uint32_t>(counted, 1));
    return out;
}

uint32_t Copies(uint32_t type_size, bool reuse_source) { return reuse_source && type_size == kFloat ? 2 : 3; }

// Rows of whole blocks, of which the first elements count.
bool Fits(const ge::Shape& shape, const ge::Shape& counted, uint32_t type_size) {
    return shape.GetDimNum() == 3 && counted.GetDimNum() == 3 && Dim(shape, 0) == Dim(counted, 0) &&
           Dim(shape, 1) == Dim(counted, 1) && Dim(counted, 2) > 0 && Dim(counted, 2) <= Dim(shape, 2) &&
           Dim(shape, 2) * type_size % kBlock == 0;
}

template <typename Tiling>
bool RmsNorm(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size, bool basic_block,
             Tiling& tiling) {
    uint32_t largest = 0, smallest = 0;
    if (!Fits(shape, counted, type_size) ||
        !GetRmsNormMaxMinTmpSize(shape, type_size, largest, smallest, basic_block) || room < smallest) {
        return false;
    }
    auto out = Shape<AscendC::tiling::RmsNormTiling>(shape, Dim(counted, 2));
    const uint32_t rows = out.bLength * out.sLength;
    uint32_t turn = RowsOfTurn(rows, out.hLength, type_size == kFloat ? 1 : 2, room);
    if (basic_block && turn > 8) turn = turn / 8 * 8;
    out.reciprocalOfHLength = 1.0f / static_cast<float>(out.originalHLength);
    out.mainBshLength = turn * out.hLength;
    out.mainBsLength = turn;
    out.mainBsLengthAlign = Up(turn, kBlock / kFloat);
    out.loopRound = rows / turn;
    out.tailBsLength = rows % turn;
    out.tailBshLength = out.tailBsLength * out.hLength;
    out.inputTailPos = rows * out.hLength - out.tailBshLength;
    Assign(out, tiling);
    return true;
}

// Longer rows than 2040 have no stride between two repeats.
template <typename Tiling>
bool DeepNorm(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size, bool reuse_source,
              bool basic_block, Tiling& tiling) {
    uint32_t largest = 0, smallest = 0;
    if (!Fits(shape, counted, type_size) || Dim(shape, 2) > 2040 || (basic_block && Dim(counted, 2) != Dim(shape, 2)) ||
        !GetDeepNormMaxMinTmpSize(shape, type_size, reuse_source, basic_block, largest, smallest) || room < smallest) {
        return false;
    }
    Assign(Rows<AscendC::tiling::DeepNormTiling>(shape, Dim(counted, 2), Copies(type_size, reuse_source), room),
           tiling);
    return true;
}

template <typename Tiling>
bool BatchNorm(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size, bool reuse_source,
               bool basic_block, Tiling& tiling) {
    uint32_t largest = 0, smallest = 0;
    if (!GetBatchNormMaxMinTmpSize(shape, counted, type_size, reuse_source, largest, smallest, basic_block) ||
        room < smallest) {
        return false;
    }
    AscendC::tiling::BatchNormTiling out{};
    out.originalBLength = Dim(counted, 0);
    out.meanVarSize = Dim(shape, 1) * Dim(shape, 2);
    out.tmpBufSize = room / kFloat;
    out.shCurLength = out.meanVarSize;
    out.bshCurLength = out.originalBLength * out.meanVarSize;
    out.loopRound = 1;
    out.firstDimValueBack = 1.0f / static_cast<float>(std::max<uint32_t>(out.originalBLength, 1));
    Assign(out, tiling);
    return true;
}

AscendC::tiling::LayerNormSeparateTiling Separate(const ge::Shape& shape, uint32_t room, uint32_t type_size,
                                                  bool reuse_source) {
    AscendC::tiling::LayerNormSeparateTiling out{};
    out.aLength = Dim(shape, 0);
    out.rLength = Dim(shape, 1);
    out.inputXSize = out.aLength * out.rLength;
    out.meanVarSize = out.aLength;
    out.numberOfTmpBuf = Copies(type_size, reuse_source);
    out.tmpBufSize = room / kFloat;
    out.aCurLength = RowsOfTurn(out.aLength, out.rLength, out.numberOfTmpBuf, room);
    out.arCurLength = out.aCurLength * out.rLength;
    out.oneTmpSize = out.arCurLength;
    out.loopRound = out.aLength / out.aCurLength;
    out.rValueBack = 1.0f / static_cast<float>(std::max<uint32_t>(out.rLength, 1));
    return out;
}

AscendC::tiling::GroupNormTiling Groups(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source,
                                        uint32_t groups) {
    AscendC::tiling::GroupNormTiling out{};
    out.n = Dim(shape, 0);
    out.c = Dim(shape, 1);
    out.hw = Dim(shape, 2) * Dim(shape, 3);
    out.g = groups;
    out.d = out.c / std::max<uint32_t>(groups, 1);
    out.hwAlignSize = Up(out.hw * type_size, kBlock) / std::max<uint32_t>(type_size, 1);
    out.dhwAlignSize = out.d * out.hwAlignSize;
    out.inputXSize = out.n * out.c * out.hwAlignSize;
    out.meanVarSize = out.n * out.g;
    out.numberOfTmpBuf = Copies(type_size, reuse_source);
    out.tmpBufSize = room / kFloat;
    out.bsCurLength = RowsOfTurn(out.meanVarSize, out.dhwAlignSize, out.numberOfTmpBuf, room);
    out.bshCurLength = out.oneTmpSize = out.bsCurLength * out.dhwAlignSize;
    out.loopRound = out.meanVarSize / out.bsCurLength;
    out.factor = 1.0f / static_cast<float>(std::max<uint32_t>(out.d * out.hw, 1));
    return out;
}

}  // namespace

#define ASC_HOST_NORM_TILINGS(tilings)                                                                                 \
    void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source,        \
                                  tilings::LayerNormTiling& to) {                                                      \
        const uint32_t copies = Copies(type_size, reuse_source);                                                       \
        Assign(Rows<AscendC::tiling::LayerNormTiling>(shape, Dim(shape, 3), copies, room), to);                        \
    }                                                                                                                  \
    void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source, bool,  \
                                  tilings::LayerNormSeparateTiling& to) {                                              \
        Assign(Separate(shape, room, type_size, reuse_source), to);                                                    \
    }                                                                                                                  \
    void GetLayerNormGradNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t, bool,                           \
                                      tilings::LayerNormGradTiling& to) {                                              \
        auto out = Shape<AscendC::tiling::LayerNormGradTiling>(shape, Dim(shape, 3));                                  \
        out.stackBufferSize = room / kFloat;                                                                           \
        Assign(out, to);                                                                                               \
    }                                                                                                                  \
    void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t, bool,                       \
                                          tilings::LayerNormGradBetaTiling& to) {                                      \
        auto out = Shape<AscendC::tiling::LayerNormGradBetaTiling>(shape, Dim(shape, 3));                              \
        out.stackBufferSize = room / kFloat;                                                                           \
        out.bsLength = out.bLength * out.sLength;                                                                      \
        out.bshLength = out.bsLength * out.hLength;                                                                    \
        Assign(out, to);                                                                                               \
    }                                                                                                                  \
    bool GetRmsNormTilingInfo(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size,     \
                              tilings::RmsNormTiling& to, bool basic_block) {                                          \
        return RmsNorm(shape, counted, room, type_size, basic_block, to);                                              \
    }                                                                                                                  \
    bool GetDeepNormTilingInfo(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size,    \
                               bool reuse_source, bool basic_block, tilings::DeepNormTiling& to) {                     \
        return DeepNorm(shape, counted, room, type_size, reuse_source, basic_block, to);                               \
    }                                                                                                                  \
    bool GetBatchNormNDTilingInfo(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size, \
                                  bool reuse_source, tilings::BatchNormTiling& to, bool basic_block) {                 \
        return BatchNorm(shape, counted, room, type_size, reuse_source, basic_block, to);                              \
    }                                                                                                                  \
    void GetGroupNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source,        \
                                  uint32_t groups, tilings::GroupNormTiling& to) {                                     \
        Assign(Groups(shape, room, type_size, reuse_source, groups), to);                                              \
    }
ASC_HOST_NORM_TILINGS(tiling)
ASC_HOST_NORM_TILINGS(optiling)
#undef ASC_HOST_NORM_TILINGS

}  // namespace AscendC
