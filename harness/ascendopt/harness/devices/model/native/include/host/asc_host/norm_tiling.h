// Temporary room and tilings of normalisations. Shapes are [B, S, H]; LayerNorm's and its gradients' have the length
// that counts as a fourth. Those that return bool are false for a shape or a room that the function cannot take.
#pragma once
#include "tmp_sizes.h"

namespace AscendC {

#define ASC_HOST_MAX_MIN uint32_t &largest, uint32_t &smallest

void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, ASC_HOST_MAX_MIN);
// The form over [A, R].
void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, bool rstd,
                               bool only_output, ASC_HOST_MAX_MIN);
void GetLayerNormGradMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, ASC_HOST_MAX_MIN);
void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, ASC_HOST_MAX_MIN);
bool GetRmsNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, ASC_HOST_MAX_MIN, bool basic_block = false);
bool GetDeepNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, bool basic_block,
                              ASC_HOST_MAX_MIN);
bool GetBatchNormMaxMinTmpSize(const ge::Shape& shape, const ge::Shape& counted, uint32_t type_size, bool reuse_source,
                               ASC_HOST_MAX_MIN, bool basic_block = false);
// [N, C, H, W].
void GetGroupNormMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, uint32_t groups,
                               ASC_HOST_MAX_MIN);
void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& shape, uint32_t x_size, uint32_t mean_size, bool reuse_source,
                                   bool in_place, ASC_HOST_MAX_MIN);
void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& shape, uint32_t type_size, bool reuse_source, ASC_HOST_MAX_MIN);
void GetNormalizeMaxMinTmpSize(const ge::Shape& shape, uint32_t gamma_size, uint32_t x_size, bool reuse_source,
                               bool rstd, bool only_output, ASC_HOST_MAX_MIN);

// Each tiling for the plain struct and for the class.
#define ASC_HOST_NORM_TILINGS(tilings)                                                                                 \
    void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source,        \
                                  tilings::LayerNormTiling& tiling);                                                   \
    void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source,        \
                                  bool rstd, tilings::LayerNormSeparateTiling& tiling);                                \
    void GetLayerNormGradNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source,    \
                                      tilings::LayerNormGradTiling& tiling);                                           \
    void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size,                   \
                                          bool reuse_source, tilings::LayerNormGradBetaTiling& tiling);                \
    bool GetRmsNormTilingInfo(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size,     \
                              tilings::RmsNormTiling& tiling, bool basic_block = false);                               \
    bool GetDeepNormTilingInfo(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size,    \
                               bool reuse_source, bool basic_block, tilings::DeepNormTiling& tiling);                  \
    bool GetBatchNormNDTilingInfo(const ge::Shape& shape, const ge::Shape& counted, uint32_t room, uint32_t type_size, \
                                  bool reuse_source, tilings::BatchNormTiling& tiling, bool basic_block = false);      \
    void GetGroupNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t type_size, bool reuse_source,        \
                                  uint32_t groups, tilings::GroupNormTiling& tiling);
ASC_HOST_NORM_TILINGS(tiling)
ASC_HOST_NORM_TILINGS(optiling)
#undef ASC_HOST_NORM_TILINGS

}  // namespace AscendC
