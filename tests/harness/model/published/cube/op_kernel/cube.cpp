// The cube side: streams into L1, single transfers and instructions, and matrix products with the basic API.
#include "kernel_operator.h"
#include "product.h"
#include "units.h"

extern "C" __global__ __aicore__ void cube(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    const uint32_t* work = data.work;
    if (work[15]) {
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    } else {
        KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    }
    if ASCEND_IS_AIV {
        return;
    }
    switch (work[1]) {
        case 0:
            return L1Copies(x, work).Run();
        case 1:
            return Units(x, z, work).Run();
        case 2:
            return Product<half>(x, y, z, work).Run();
        case 3:
            return Product<float>(x, y, z, work).Run();
        default:
            Trap();
    }
}
