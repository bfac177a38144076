// Parameter structs of the copies.
#pragma once
#include "base.h"

enum pad_t : uint8_t {
    PAD_NONE,
    PAD_MODE1,
    PAD_MODE2,
    PAD_MODE3,
    PAD_MODE4,
    PAD_MODE5,
    PAD_MODE6,
    PAD_MODE7,
    PAD_MODE8
};

namespace AscendC {

// Lengths and strides in 32 B blocks (DataCopy), or bytes on the GM side (DataCopyPad). Strides are gaps.
struct DataCopyParams {
    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcStride = 0;
        uint16_t srcGap;
    };
    union {
        uint16_t dstStride = 0;
        uint16_t dstGap;
    };
    DataCopyParams() = default;
    constexpr DataCopyParams(uint16_t count, uint16_t length, uint16_t source, uint16_t destination)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination) {}
};

struct DataCopyExtParams {
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
    DataCopyExtParams() = default;
    constexpr DataCopyExtParams(uint16_t count, uint32_t length, uint32_t source, uint32_t destination,
                                uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved) {}
};

struct DataCopyPadParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
    DataCopyPadParams() = default;
    constexpr DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

template <typename T>
struct DataCopyPadExtParams {
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);
    DataCopyPadExtParams() = default;
    constexpr DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

// A slice of one dimension. Dimension 0: bursts of `burstLen` 32 B blocks with gaps of `stride` elements.
// Most dimensions of a tensor that shapes and slices describe.
constexpr uint32_t K_MAX_DIM = 8;

struct SliceInfo {
    uint32_t startIndex = 0;
    uint32_t endIndex = ONE_BLK_SIZE - 1;
    uint32_t stride = 0;
    uint32_t burstLen = ONE_BLK_SIZE;
    uint32_t shapeValue = 0;
    SliceInfo() = default;
    SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
};

enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

struct DataCopyEnhancedParams {
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
    pad_t padMode = pad_t::PAD_NONE;
    uint64_t padValue = 0;
    uint64_t deqTensorAddr = 0;
};

// The bits of a scalar as an unsigned integer of the same size: a padding value.
template <typename T>
inline auto GetScalarBitcodeValue(T value) {
    using Small = std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>;
    using Large = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    std::conditional_t<sizeof(T) <= 2, Small, Large> bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

}  // namespace AscendC
