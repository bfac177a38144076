// Streams between global memory and UB: loads alone, load-compute-store in tiles, and a layout change.
#include "kernel_operator.h"
#include "copies.h"
#include "tiles.h"

extern "C" __global__ __aicore__ void stream(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    const uint32_t* work = data.work;
    switch (work[1]) {
        case 0:
            return Copies(x, work).Run();
        case 1:
            return Tiles<half>(x, y, z, work).Run();
        case 2:
            return Tiles<float>(x, y, z, work).Run();
        case 3:
            return LayoutChange(x, z, work).Run();
        case 4:
            return Single(x, z, work).Run();
        default:
            Trap();
    }
}
