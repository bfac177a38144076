// Everything that the public header names bring, the standard headers that operators count on included. Also the
// precompiled header of host builds.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "activation_sizes.h"
#include "context.h"
#include "graph.h"
#include "layout_tiling.h"
#include "log.h"
#include "matmul_tiling.h"
#include "norm_tiling.h"
#include "op_def.h"
#include "op_impl.h"
#include "platform.h"
#include "quant_sizes.h"
#include "securec.h"
#include "slots.h"
#include "tiling_data.h"
#include "tmp_sizes.h"
#include "toolkit_tiling.h"
#include "types.h"

// Static objects with destructors refer to this symbol. The linker is called without the compiler's start files,
// which define it; where they are linked, their definition wins.
extern "C" __attribute__((weak, visibility("hidden"))) void* __dso_handle = nullptr;
