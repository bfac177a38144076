// Tiling structs with every kind of field, and holes that the layout rules decide.
#ifndef EVERY_FORM_TILING_H
#define EVERY_FORM_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
constexpr int kListLength = 3;

BEGIN_TILING_DATA_DEF(InnerTiling)
TILING_DATA_FIELD_DEF(int8_t, small);
TILING_DATA_FIELD_DEF(uint32_t, wide);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerTilingOp, InnerTiling)

BEGIN_TILING_DATA_DEF(EveryFormTiling)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(uint64_t, total);
TILING_DATA_FIELD_DEF(float, ratio);
TILING_DATA_FIELD_DEF_ARR(uint16_t, kListLength, list);
TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, inner);
TILING_DATA_FIELD_DEF(double, precise);
TILING_DATA_FIELD_DEF(bool, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(EveryForm, EveryFormTiling)

BEGIN_TILING_DATA_DEF(KeyedTiling)
TILING_DATA_FIELD_DEF(int64_t, offset);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(EveryForm_7, KeyedTiling)
}  // namespace optiling
#endif
