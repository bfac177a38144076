#ifndef FOREACH_LERP_TILING_H
#define FOREACH_LERP_TILING_H

#include <cstdint>

#include "register/tilingdata_base.h"

namespace optiling {
constexpr uint32_t MAX_TENSORS = 64;

BEGIN_TILING_DATA_DEF(ForeachLerpTilingData)
TILING_DATA_FIELD_DEF(uint32_t, tensorCount);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
TILING_DATA_FIELD_DEF(float, weight);
TILING_DATA_FIELD_DEF_ARR(uint64_t, 64, lengths);  // elements of each tensor
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ForeachLerp, ForeachLerpTilingData)
}  // namespace optiling

#endif
