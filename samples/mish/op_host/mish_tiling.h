#ifndef MISH_TILING_H
#define MISH_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MishTilingData)
TILING_DATA_FIELD_DEF(uint32_t, totalLength);
TILING_DATA_FIELD_DEF(uint32_t, coreLength);
TILING_DATA_FIELD_DEF(uint32_t, lastCoreLength);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Mish, MishTilingData)
}  // namespace optiling

#endif
