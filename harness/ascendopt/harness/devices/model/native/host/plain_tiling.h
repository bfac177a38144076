// A toolkit tiling struct in both its forms: filled in as a plain struct, stored in either.
#pragma once
#include "asc_host/toolkit_tiling.h"

namespace AscendC {

#define ASC_HOST_ASSIGN_MEMBER(type, name) to.set_##name(from.name);
#define ASC_HOST_ASSIGN(name)                                                     \
    inline void Assign(const tiling::name& from, tiling::name& to) { to = from; } \
    inline void Assign(const tiling::name& from, optiling::name& to) { ASC_FIELDS_##name(ASC_HOST_ASSIGN_MEMBER) }
ASC_TOOLKIT_TILINGS(ASC_HOST_ASSIGN)
#undef ASC_HOST_ASSIGN
#undef ASC_HOST_ASSIGN_MEMBER

}  // namespace AscendC
