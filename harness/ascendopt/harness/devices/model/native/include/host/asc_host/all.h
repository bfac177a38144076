// Everything that the public header names bring. Also the precompiled header of host builds.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "context.h"
#include "log.h"
#include "op_def.h"
#include "op_impl.h"
#include "platform.h"
#include "tiling_data.h"
#include "types.h"

// Static objects with destructors refer to this symbol. The linker is called without the compiler's start files,
// which define it; where they are linked, their definition wins.
extern "C" __attribute__((weak, visibility("hidden"))) void* __dso_handle = nullptr;
