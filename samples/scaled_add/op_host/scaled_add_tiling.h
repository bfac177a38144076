#ifndef SCALED_ADD_TILING_H
#define SCALED_ADD_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaledAddTilingData)
TILING_DATA_FIELD_DEF(uint64_t, totalLength);  // elements of the whole tensor
TILING_DATA_FIELD_DEF(uint64_t, coreLength);   // elements of every core but the last
TILING_DATA_FIELD_DEF(uint32_t, tileLength);   // elements moved per step, a multiple of 32 bytes
TILING_DATA_FIELD_DEF(float, alpha);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ScaledAdd, ScaledAddTilingData)
}  // namespace optiling

#endif
