// Temporary room of activations, DropOut and Select; the figures are those of the open kernel library.
#include "asc_host/activation_sizes.h"

#include <algorithm>

#include "shape_sizes.h"

namespace AscendC {

namespace {

// `factor` temporaries the size of the source with half data, none with float.
void HalfOnly(uint32_t factor, const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest) {
    factor = type_size == sizeof(float) ? 0 : factor;
    smallest = factor * kRepeat;
    largest = factor * std::max(Elements(shape) * type_size, kRepeat);
}

// `copies` temporaries in float, whatever the source is.
uint32_t InFloat(uint32_t copies, uint32_t elements) {
    return copies * std::max<uint32_t>(elements * sizeof(float), kRepeat);
}

bool Scalar(const ge::Shape& shape) { return shape.GetDimNum() == 0 || shape.GetShapeSize() == 1; }
int64_t Last(const ge::Shape& shape) { return shape.GetDimNum() ? shape.GetDim(shape.GetDimNum() - 1) : 1; }

// The mask as half numbers and 512 bytes; at most `part` elements at a time. A mask with longer rows than the source
// is first copied without their ends, unless it may be overwritten.
uint32_t SelectSize(const ge::Shape& first, const ge::Shape& second, const ge::Shape& mask, uint32_t mask_size,
                    bool reuse_mask, uint32_t part) {
    constexpr uint32_t least = 1024, reserved = 512;
    const ge::Shape& source = Scalar(first) ? second : first;
    const uint32_t elements = Elements(source);
    uint32_t size = std::max<uint32_t>(least, Up(std::min(elements, part), kBlock) * 2 + reserved);
    if (Last(mask) != Last(source) && Last(mask) > 1 && !reuse_mask) size += Up(elements * mask_size, kBlock);
    return size;
}

}  // namespace

void GetGeGLUMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool, uint32_t& largest, uint32_t& smallest) {
    HalfOnly(4, shape, type_size, largest, smallest);
}
void GetGeGLUTmpBufferFactorSize(uint32_t type_size, uint32_t& factor, uint32_t& extra) {
    factor = type_size == sizeof(float) ? 0 : 4;
    extra = 0;
}
void GetSwiGLUMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest, bool) {
    HalfOnly(6, shape, type_size, largest, smallest);
}
void GetSwiGLUTmpBufferFactorSize(uint32_t type_size, uint32_t& factor, uint32_t& extra) {
    factor = type_size == sizeof(float) ? 0 : 6;
    extra = 0;
}
void GetReGluMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool, uint32_t& largest, uint32_t& smallest) {
    HalfOnly(6, shape, type_size, largest, smallest);
    smallest = std::max(smallest, kRepeat);
    largest = std::max(largest, kRepeat);
}

uint32_t GetGeluMaxTmpSize(const ge::Shape& shape, uint32_t) { return InFloat(3, Elements(shape)); }
uint32_t GetGeluMinTmpSize(const ge::Shape&, uint32_t) { return InFloat(3, 0); }
void GetGeluMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest) {
    largest = GetGeluMaxTmpSize(shape, type_size);
    smallest = GetGeluMinTmpSize(shape, type_size);
}

// They use their destination.
void GetSiluTmpSize(const ge::Shape&, uint32_t, bool, uint32_t& largest, uint32_t& smallest) { largest = smallest = 0; }
void GetSwishTmpSize(const ge::Shape&, uint32_t, bool, uint32_t& largest, uint32_t& smallest) {
    largest = smallest = 0;
}

uint32_t GetDropOutMaxTmpSize(const ge::Shape& shape, uint32_t, bool) { return InFloat(2, Elements(shape)); }
uint32_t GetDropOutMinTmpSize(const ge::Shape&, uint32_t, bool) { return InFloat(2, 0); }
void GetDropOutMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
                             uint32_t& smallest) {
    largest = GetDropOutMaxTmpSize(shape, type_size, reuse_source);
    smallest = GetDropOutMinTmpSize(shape, type_size, reuse_source);
}

#define ASC_HOST_SELECT(name)                                                                      \
    uint32_t Get##name##MaxTmpSize(ASC_HOST_SELECT_SHAPES) {                                       \
        (void)type_size;                                                                           \
        return SelectSize(first, second, mask, mask_size, reuse_mask, ~uint32_t{0});               \
    }                                                                                              \
    uint32_t Get##name##MinTmpSize(ASC_HOST_SELECT_SHAPES) {                                       \
        (void)type_size;                                                                           \
        return SelectSize(first, second, mask, mask_size, reuse_mask, 4096);                       \
    }                                                                                              \
    void Get##name##MaxMinTmpSize(ASC_HOST_SELECT_SHAPES, uint32_t& largest, uint32_t& smallest) { \
        largest = Get##name##MaxTmpSize(first, second, type_size, mask, mask_size, reuse_mask);    \
        smallest = Get##name##MinTmpSize(first, second, type_size, mask, mask_size, reuse_mask);   \
    }
ASC_HOST_SELECT(Select)
ASC_HOST_SELECT(SelectWithBytesMask)
#undef ASC_HOST_SELECT

}  // namespace AscendC
