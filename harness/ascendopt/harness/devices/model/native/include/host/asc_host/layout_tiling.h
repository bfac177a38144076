// Temporary room and tilings of Pad, UnPad, Transpose and TopK, and the rest of the softmax family.
#pragma once
#include "tmp_sizes.h"

namespace AscendC {

#ifndef ASC_PROGRAM  // a program has it from the kernel's headers
enum class TopKMode { TOPK_NORMAL = 0, TOPK_NSMALL = 1 };
#endif

// Matrices of 2 or 4 bytes an element.
void GetPadMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t& largest, uint32_t& smallest);
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform, const ge::Shape& shape,
                           uint32_t type_size, uint32_t& largest, uint32_t& smallest);
// `kind` is a TransposeType; the shape is what the name of the kind numbers: [B, A1, A2, A3] for 0213, [B, N, S, H / N]
// for 012 with and without N, [H, W] or [N, H, W] for the ND kinds.
void GetTransposeMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t kind, uint32_t& largest,
                               uint32_t& smallest);
void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t kind, uint32_t& largest,
                                        uint32_t& smallest);
bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform, int32_t inner, int32_t outer,
                          bool reuse_source, bool indices_given, TopKMode mode, bool is_largest, uint32_t type_size,
                          uint32_t& largest, uint32_t& smallest);
void GetArangeMaxMinTmpSize(uint32_t& largest, uint32_t& smallest);
void GetArithProgressionMaxMinTmpSize(uint32_t& largest, uint32_t& smallest);
uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source);
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source);
void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, uint32_t sum_size, uint32_t& largest,
                                    uint32_t& smallest, bool update, bool basic_block = false);

enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
    SortType type = SortType::RADIX_SORT;
    bool isDescend = false;
    bool hasSrcIndex = false;
    bool hasDstIndex = false;
};
void GetSortMaxMinTmpSize(const ge::Shape& shape, ge::DataType value, ge::DataType index, bool reuse_source,
                          const SortConfig& config, uint32_t& largest, uint32_t& smallest);
void GetCumSumMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool last_axis, bool reuse_source,
                            uint32_t& largest, uint32_t& smallest);

// Each tiling for the plain struct and for the class.
#define ASC_HOST_LAYOUT_TILINGS(tilings)                                                                            \
    void PadTilingFunc(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size,         \
                       tilings::PadTiling& tiling);                                                                 \
    void UnPadTilingFunc(const ge::Shape& shape, uint32_t room, uint32_t type_size, tilings::UnPadTiling& tiling);  \
    void GetTransposeTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, uint32_t kind,           \
                                tilings::ConfusionTransposeTiling& tiling);                                         \
    void GetConfusionTransposeTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, uint32_t kind,  \
                                         tilings::ConfusionTransposeTiling& tiling);                                \
    void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size,             \
                                             tilings::ConfusionTransposeTiling& tiling);                            \
    bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& platform, int32_t inner, int32_t outer, int32_t k, \
                        uint32_t type_size, bool indices_given, TopKMode mode, bool is_largest,                     \
                        tilings::TopkTiling& tiling);                                                               \
    void LogSoftMaxTilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t room,                            \
                              tilings::LogSoftMaxTiling& tiling);                                                   \
    void SoftMaxFlashV3TilingFunc(const ge::Shape& shape, uint32_t type_size, uint32_t sum_size, uint32_t room,     \
                                  tilings::SoftMaxTiling& tiling, bool update, bool basic_block = false);
ASC_HOST_LAYOUT_TILINGS(tiling)
ASC_HOST_LAYOUT_TILINGS(optiling)
#undef ASC_HOST_LAYOUT_TILINGS

}  // namespace AscendC
