// How much temporary room the kernel library's functions want, and the tiling of those that have one.
#pragma once
#include "graph.h"
#include "platform.h"
#include "toolkit_tiling.h"

namespace AscendC {

using TensorShape = ge::Shape;

#ifndef ASC_PROGRAM                    // a program has these from the kernel's headers
constexpr uint32_t BLOCK_CUBE = 16;    // rows and columns of a fractal
constexpr uint32_t ONE_BLK_SIZE = 32;  // bytes of a block
#endif

// Functions of one tensor. `largest` is what is worth having, `smallest` what is enough to work through in parts; both
// in bytes. The factors say the same for any size: bytes = factor x bytes of the source + extra.
#define ASC_HOST_FUNCTION(name)                                                                                     \
    void Get##name##MaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest, \
                                  uint32_t& smallest);                                                              \
    void Get##name##TmpBufferFactorSize(uint32_t type_size, uint32_t& factor, uint32_t& extra);
// clang-format off
#define ASC_HOST_FUNCTIONS(F) \
    F(Acos) F(Acosh) F(Asin) F(Asinh) F(Atan) F(Atanh) F(Axpy) F(Ceil) F(Clamp) F(Cos) F(Cosh) F(Digamma) F(Erf) \
    F(Erfc) F(Exp) F(Floor) F(Fmod) F(Frac) F(Lgamma) F(Log10) F(Log2) F(Round) F(Sigmoid) F(Sign) F(Sin) F(Sinh) \
    F(Tan) F(Tanh) F(Trunc) F(Xor)
// clang-format on
ASC_HOST_FUNCTIONS(ASC_HOST_FUNCTION)
#undef ASC_HOST_FUNCTION

void GetLogMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t& largest,
                         uint32_t& smallest);
void GetLogTmpBufferFactorSize(uint32_t type_size, uint32_t& factor, uint32_t& extra);
void GetPowerMaxMinTmpSize(const ge::Shape& base, const ge::Shape& exponent, bool integers, uint32_t type_size,
                           bool reuse_source, uint32_t& largest, uint32_t& smallest);
void GetSumMaxMinTmpSize(uint32_t elements, uint32_t type_size, bool reuse_source, uint32_t& largest,
                         uint32_t& smallest);
void GetMeanMaxMinTmpSize(uint32_t elements, uint32_t type_size, uint32_t sum_size, bool reuse_source,
                          uint32_t& largest, uint32_t& smallest);
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform, const ge::Shape& from,
                               const ge::Shape& to, uint32_t type_size, bool reuse_source, uint32_t& largest,
                               uint32_t& smallest);
uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& platform, uint32_t elements, uint32_t type_size);
uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC& platform, uint32_t elements, uint32_t type_size);

// Softmax and its relatives work on rows; the last dimension is a row.
uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source);
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source);
uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& shape, uint32_t type_size, bool update, bool reuse_source);
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool update, bool reuse_source);
uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& shape, uint32_t type_size, bool front, bool reuse_source);
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool front, bool reuse_source);
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t sum_size, bool update,
                                     bool basic_block = false, bool broadcast = false);
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t sum_size, bool update,
                                     bool basic_block = false, bool broadcast = false);
#define ASC_HOST_SOFTMAX_TILINGS(tilings)                                                                              \
    void SoftMaxTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room, tilings::SoftMaxTiling& tiling); \
    void SoftMaxFlashTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room,                             \
                                tilings::SoftMaxTiling& tiling, bool update = false);                                  \
    void SoftMaxGradTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room,                              \
                               tilings::SoftMaxTiling& tiling, bool front = false);                                    \
    void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t sum_size, uint32_t room,        \
                                  tilings::SoftMaxTiling& tiling, bool update, bool basic_block = false,               \
                                  bool broadcast = false);
ASC_HOST_SOFTMAX_TILINGS(tiling)
ASC_HOST_SOFTMAX_TILINGS(optiling)
#undef ASC_HOST_SOFTMAX_TILINGS
bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling, uint32_t type_size = 2);
bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& tiling, uint32_t type_size = 2);

}  // namespace AscendC
