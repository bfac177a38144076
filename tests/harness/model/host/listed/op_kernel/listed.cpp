#include "kernel_operator.h"

extern "C" __global__ __aicore__ void listed(GM_ADDR parts, GM_ADDR axis, GM_ADDR same, GM_ADDR where, GM_ADDR mask,
                                             GM_ADDR workspace, GM_ADDR tiling) {}
