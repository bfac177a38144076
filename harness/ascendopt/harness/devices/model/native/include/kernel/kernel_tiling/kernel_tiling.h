// Tiling structs of the toolkit as kernels see them, and the base of generated tiling structs.
#pragma once
#include "../../../abi/tiling_structs.h"

#define ASC_TILING_USING(name) using AscendC::tiling::name;
ASC_TOOLKIT_TILINGS(ASC_TILING_USING)
#undef ASC_TILING_USING
