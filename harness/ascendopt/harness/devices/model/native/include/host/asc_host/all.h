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
#include <string>
#include <vector>

#include "context.h"
#include "log.h"
#include "op_def.h"
#include "op_impl.h"
#include "platform.h"
#include "tiling_data.h"
#include "types.h"
