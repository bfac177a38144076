// The toolkit's tiling structs as plain C++ structs, the same for both sides: a program compiles them together.
#pragma once
#include <cstdint>

#include "tiling_fields.h"

#define ASC_TILING_MEMBER(type, name) type name;
#define ASC_TILING_PLAIN(name)               \
    namespace AscendC {                      \
    namespace tiling {                       \
    struct alignas(8) name {                 \
        ASC_FIELDS_##name(ASC_TILING_MEMBER) \
    };                                       \
    }                                        \
    }

ASC_TOOLKIT_TILINGS(ASC_TILING_PLAIN)

#undef ASC_TILING_PLAIN
#undef ASC_TILING_MEMBER
