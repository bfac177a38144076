// Temporary room of the kernel library's functions of one tensor, as a number of temporaries the size of the source.
#include "asc_host/tmp_sizes.h"

#include <algorithm>

#include "../abi/scratch.h"
#include "shape_sizes.h"

namespace AscendC {

namespace {

using namespace ascendopt::scratch;
using Need = ascendopt::ScratchNeed;

void Sizes(const Need& need, const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
           uint32_t& smallest) {
    const uint32_t factor = need.factor(type_size, reuse_source);
    const auto source = static_cast<uint32_t>(std::max<int64_t>(shape.GetShapeSize(), 0)) * type_size;
    smallest = need.least(type_size, reuse_source);
    largest = factor * std::max(Up(source, kBlock), kRepeat) + need.extra;
}

}  // namespace

#define ASC_HOST_DEFINE(name)                                                                                       \
    void Get##name##MaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest, \
                                  uint32_t& smallest) {                                                             \
        Sizes(k##name, shape, type_size, reuse_source, largest, smallest);                                          \
    }                                                                                                               \
    void Get##name##TmpBufferFactorSize(uint32_t type_size, uint32_t& factor, uint32_t& extra) {                    \
        factor = k##name.factor(type_size, false);                                                                  \
        extra = k##name.extra;                                                                                      \
    }
ASC_HOST_FUNCTIONS(ASC_HOST_DEFINE)
#undef ASC_HOST_DEFINE

// The natural logarithm is one instruction.
void GetLogMaxMinTmpSize(const ge::Shape&, uint32_t, bool, uint32_t& largest, uint32_t& smallest) {
    largest = smallest = 0;
}
void GetLogTmpBufferFactorSize(uint32_t, uint32_t& factor, uint32_t& extra) { factor = extra = 0; }

void GetPowerMaxMinTmpSize(const ge::Shape& base, const ge::Shape& exponent, bool integers, uint32_t type_size,
                           bool reuse_source, uint32_t& largest, uint32_t& smallest) {
    const bool scalar = base.GetShapeSize() == 1 || exponent.GetShapeSize() == 1;
    const uint32_t real = integers ? (scalar ? 7 : 6) : (scalar ? 5 : 4);
    const Need need{14, real, real, kRepeat};
    const ge::Shape& longer = base.GetShapeSize() >= exponent.GetShapeSize() ? base : exponent;
    Sizes(need, longer, type_size, reuse_source, largest, smallest);
}

// One partial sum for each repeat, which are summed in turn.
void GetSumMaxMinTmpSize(uint32_t elements, uint32_t type_size, bool, uint32_t& largest, uint32_t& smallest) {
    largest = smallest = sum(elements, type_size);
}

// With a wider sum, a copy of the elements in that type comes first.
void GetMeanMaxMinTmpSize(uint32_t elements, uint32_t type_size, uint32_t sum_size, bool reuse_source,
                          uint32_t& largest, uint32_t& smallest) {
    GetSumMaxMinTmpSize(elements, sum_size, reuse_source, largest, smallest);
    if (sum_size == type_size) return;
    smallest += Up(elements * sum_size, kBlock);
    largest = smallest;
}

// Bytes are widened to half words; else rows are made up to whole blocks once before they are copied.
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& from, const ge::Shape& to,
                               uint32_t type_size, bool, uint32_t& largest, uint32_t& smallest) {
    const auto bytes = [](const ge::Shape& shape, uint32_t size) {
        return Up(static_cast<uint32_t>(std::max<int64_t>(shape.GetShapeSize(), 1)) * size, kBlock);
    };
    const uint32_t size = std::max<uint32_t>(type_size, 2);
    const uint32_t blocks = static_cast<uint32_t>(std::max<int64_t>(from.GetShapeSize(), 1)) * kBlock;
    smallest = std::max(blocks, kRepeat) + (type_size == 1 ? bytes(from, size) + kRepeat : 0);
    largest = std::max(smallest, blocks + (type_size == 1 ? bytes(from, size) + bytes(to, size) : 0));
}

// A sorted element takes eight bytes, value and index, on chips that split cube and vector cores; a region of eight
// elements of the type on the others, which also copy the pieces that they join.
static bool Regions(const platform_ascendc::PlatformAscendC& platform) {
    using platform_ascendc::SocVersion;
    const SocVersion soc = platform.GetSocVersion();
    return soc == SocVersion::ASCEND310P || soc == SocVersion::ASCEND910 || soc == SocVersion::ASCEND310B;
}

uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& platform, uint32_t elements, uint32_t type_size) {
    return elements * (Regions(platform) ? 8 * type_size : 8);
}

uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC& platform, uint32_t elements, uint32_t type_size) {
    return Regions(platform) ? elements * 8 * type_size : 0;
}

}  // namespace AscendC
