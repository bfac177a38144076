// Temporary room of normalisations; the figures are those of the open kernel library.
#include <algorithm>

#include "../abi/scratch.h"
#include "asc_host/norm_tiling.h"
#include "shape_sizes.h"

namespace AscendC {

namespace {

// [B, S, H]: `copies` of all data or of a row in float, and two values for each row.
void Rows(const ge::Shape& shape, uint32_t copies, ASC_HOST_MAX_MIN) {
    const uint32_t rows = Dim(shape, 0) * Dim(shape, 1), length = Dim(shape, 2);
    const uint32_t moments = 2 * Up(rows * kFloat, kBlock);
    largest = copies * Up(rows * length * kFloat, kBlock) + moments;
    smallest = ascendopt::scratch::norm_row(rows, length, copies);
}
uint32_t Copies(uint32_t type_size, bool reuse_source) { return reuse_source && type_size == kFloat ? 2 : 3; }

// What basic blocks are: rows in eights, of a multiple of 64 elements.
bool Basic(const ge::Shape& shape) {
    return Dim(shape, 2) % 64 == 0 && Dim(shape, 0) * Dim(shape, 1) % 8 == 0 && Dim(shape, 2) > 0;
}

}  // namespace

void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, ASC_HOST_MAX_MIN) {
    Rows(shape, Copies(type_size, reuse_source), largest, smallest);
}
void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, bool, bool,
                               ASC_HOST_MAX_MIN) {
    const uint32_t length = Up(Dim(shape, 1) * type_size, kBlock) / std::max<uint32_t>(type_size, 1);
    const ge::Shape rows(std::vector<int64_t>{1, shape.GetDim(0), length});
    Rows(rows, Copies(type_size, reuse_source), largest, smallest);
}

// All of x, its deviation and the gradient, with half data twice each.
void GetLayerNormGradMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, ASC_HOST_MAX_MIN) {
    const uint32_t copies = type_size == kFloat ? (reuse_source ? 4 : 6) : 9;
    Rows(shape, copies, largest, smallest);
}
void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool, ASC_HOST_MAX_MIN) {
    const uint32_t copies = type_size == kFloat ? 2 : 4;
    smallest = copies * Dim(shape, 2) * kFloat;
    largest = Dim(shape, 0) * Dim(shape, 1) * smallest;
}

// The data once in float (with half data twice), and a value for each row.
bool GetRmsNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, ASC_HOST_MAX_MIN, bool basic_block) {
    if (shape.GetDimNum() != 3 || (basic_block && (!Basic(shape) || Dim(shape, 2) >= 2048))) return false;
    const uint32_t copies = type_size == kFloat ? 1 : 2, rows = Dim(shape, 0) * Dim(shape, 1);
    largest = (copies * rows * Dim(shape, 2) + Up(rows, kBlock / type_size)) * kFloat;
    smallest = copies * Dim(shape, 2) * kFloat + kBlock;
    return true;
}
bool GetDeepNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, bool basic_block,
                              ASC_HOST_MAX_MIN) {
    if (shape.GetDimNum() != 3 || (basic_block && !Basic(shape))) return false;
    Rows(shape, Copies(type_size, reuse_source), largest, smallest);
    return true;
}

// Over B: three times the data, or a column of one block (of two with half data), and two values for each column.
bool GetBatchNormMaxMinTmpSize(const ge::Shape& shape, const ge::Shape& counted, uint32_t type_size, bool,
                               ASC_HOST_MAX_MIN, bool basic_block) {
    if (shape.GetDimNum() != 3 || counted.GetDimNum() != 3) return false;
    const uint32_t columns = Dim(shape, 1) * Dim(shape, 2), batch = Dim(counted, 0);
    const uint32_t moments = 2 * Up(columns * kFloat, kBlock);
    const uint32_t column = basic_block ? kRepeat : (type_size == kFloat ? kBlock : 2 * kBlock);
    largest = 3 * Up(batch * columns * kFloat, kBlock) + moments;
    smallest = 3 * batch * column + moments;
    return true;
}

// Images are made up to whole blocks; all of them, or those of one group.
void GetGroupNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t groups,
                               ASC_HOST_MAX_MIN) {
    const uint32_t image = Up(Dim(shape, 2) * Dim(shape, 3) * type_size, kBlock) / type_size * kFloat;
    const uint32_t copies = Copies(type_size, reuse_source);
    const uint32_t moments = 2 * Up(Dim(shape, 0) * groups * kFloat, kBlock);
    largest = copies * Dim(shape, 0) * Dim(shape, 1) * image + moments;
    smallest = copies * (Dim(shape, 1) / std::max<uint32_t>(groups, 1)) * image + moments;
}

void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& shape, uint32_t x_size, uint32_t, bool reuse_source, bool,
                                   ASC_HOST_MAX_MIN) {
    const uint32_t elements = Dim(shape, 0) * Dim(shape, 1);
    smallest = (x_size == 2 ? 3 : (reuse_source ? 1 : 2)) * kRepeat;
    largest = Up(elements, kRepeat / kFloat) / (kRepeat / kFloat) * smallest;
}
void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool, ASC_HOST_MAX_MIN) {
    smallest = 4 * kRepeat;
    largest = std::max(smallest, 2 * kRepeat + 2 * Dim(shape, 0) * kFloat);
}
void GetNormalizeMaxMinTmpSize(const ge::Shape& shape, uint32_t gamma_size, uint32_t x_size, bool, bool, bool,
                               ASC_HOST_MAX_MIN) {
    const uint32_t row = Up(Up(Dim(shape, 1), kBlock / std::max<uint32_t>(x_size, 1)) * kFloat, kBlock);
    largest = 2 * row + 2 * Up(Dim(shape, 0), 8) * row;
    smallest = std::max(Up(Dim(shape, 0) * kFloat, kBlock), (gamma_size == kFloat ? 2 : 4) * row);
}

}  // namespace AscendC
