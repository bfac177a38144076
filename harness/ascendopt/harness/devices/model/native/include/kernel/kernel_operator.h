// The kernel side of the model device: everything an operator's device code may include. An API that is not modelled
// is not declared, so that using it is a compile error that names it.
#pragma once
#include "api/atomic.h"
#include "api/base.h"
#include "api/copy.h"
#include "api/copy_raw.h"
#include "api/copy_slice.h"
#include "api/cross_core.h"
#include "api/cube.h"
#include "api/cube_copy.h"
#include "api/fill.h"
#include "api/fixpipe.h"
#include "api/pipe.h"
#include "api/sync.h"
#include "api/system.h"
#include "api/tensor.h"
#include "api/vector.h"
