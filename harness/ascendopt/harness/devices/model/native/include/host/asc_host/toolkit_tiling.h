// The toolkit's tiling structs: classes of namespace optiling to put into an operator's own, and the plain structs that
// operators use which define their tiling data as C++ structs.
#pragma once
#include "../../../abi/tiling_structs.h"
#include "tiling_data.h"

#define ASC_HOST_TILING_CLASS(name)                              \
    namespace optiling {                                         \
    BEGIN_TILING_DATA_DEF(name)                                  \
    ASC_FIELDS_##name(TILING_DATA_FIELD_DEF) END_TILING_DATA_DEF \
    }

ASC_TOOLKIT_TILINGS(ASC_HOST_TILING_CLASS)

#undef ASC_HOST_TILING_CLASS
