// Tiling structs of the toolkit as kernels see them, and the base of generated tiling structs.
#pragma once
#include <cstdint>

#include "../../../abi/tiling_fields.h"

#define ASC_TILING_MEMBER(type, name) type name;
#define ASC_TILING_PLAIN(name)               \
    namespace AscendC {                      \
    namespace tiling {                       \
    struct alignas(8) name {                 \
        ASC_FIELDS_##name(ASC_TILING_MEMBER) \
    };                                       \
    }                                        \
    }                                        \
    using AscendC::tiling::name;

ASC_TOOLKIT_TILINGS(ASC_TILING_PLAIN)

#undef ASC_TILING_PLAIN
#undef ASC_TILING_MEMBER
