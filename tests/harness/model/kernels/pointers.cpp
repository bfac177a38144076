// Global memory through plain pointers.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
__gm__ int32_t* words(GM_ADDR at) { return reinterpret_cast<__gm__ int32_t*>(at); }
void work(int32_t calls) {
    LocalTensor<float> ub{TPosition::VECCALC, 0, 64};
    for (int32_t i = 0; i < calls; ++i) Duplicate(ub, 1.0f, 64);
}
}  // namespace

// So many calls as a word of the output or the workspace says.
extern "C" __global__ __aicore__ void reads_output(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    work(1 + (words(y)[3] & 1));
}
extern "C" __global__ __aicore__ void reads_workspace(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    work(1 + (words(workspace)[3] & 1));
}
// The end of a large array is another page than its start.
extern "C" __global__ __aicore__ void reads_last(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    words(y)[0] = 5;
    work(1 + (words(y)[8191] & 1));
}
extern "C" __global__ __aicore__ void reads_tiling(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    work(1 + (words(tiling)[0] & 1));
}
extern "C" __global__ __aicore__ void writes_only(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    words(y)[0] = 5;
    words(y)[8191] = 6;
    GlobalTensor<int32_t> gy;
    gy.SetGlobalBuffer(words(workspace));
    gy.SetValue(0, 7);
    work(2);
}
