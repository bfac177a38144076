// The plain structs under the names that a header shared with the kernel uses.
#pragma once
#include "../asc_host/all.h"

#define ASC_HOST_TILING_GLOBAL(name) using AscendC::tiling::name;
ASC_TOOLKIT_TILINGS(ASC_HOST_TILING_GLOBAL)
#undef ASC_HOST_TILING_GLOBAL
