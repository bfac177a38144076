// The toolkit's tiling structs: classes of namespace optiling to put into an operator's own, and the plain structs that
// operators use which define their tiling data as C++ structs.
#pragma once
#include "../../../abi/tiling_fields.h"
#include "tiling_data.h"

#define ASC_HOST_TILING_CLASS(name)                              \
    namespace optiling {                                         \
    BEGIN_TILING_DATA_DEF(name)                                  \
    ASC_FIELDS_##name(TILING_DATA_FIELD_DEF) END_TILING_DATA_DEF \
    }

#define ASC_HOST_TILING_MEMBER(type, name) type name;
#define ASC_HOST_TILING_PLAIN(name)               \
    namespace AscendC {                           \
    namespace tiling {                            \
    struct alignas(8) name {                      \
        ASC_FIELDS_##name(ASC_HOST_TILING_MEMBER) \
    };                                            \
    }                                             \
    }

ASC_TOOLKIT_TILINGS(ASC_HOST_TILING_CLASS)
ASC_TOOLKIT_TILINGS(ASC_HOST_TILING_PLAIN)

#undef ASC_HOST_TILING_CLASS
#undef ASC_HOST_TILING_MEMBER
#undef ASC_HOST_TILING_PLAIN
