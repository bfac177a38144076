// Cube and vector cores of an AI Core at work: handing tiles over one by one, and sharing the cube.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

namespace {

// So many steps of vector work, all on one buffer.
void work(LocalTensor<float>& ub, int32_t calls) {
    for (int32_t i = 0; i < calls; ++i) Adds(ub, ub, 1.0f, 16384);
}

struct Side {
    LocalTensor<float> ub{TPosition::VECCALC, 0, 16384};
    LocalTensor<half> a{TPosition::A2, 0, 16384};
    LocalTensor<half> b{TPosition::B2, 0, 16384};
    LocalTensor<float> c{TPosition::CO1, 0, 16384};

    void clear() {
        if ASCEND_IS_AIV {
            Duplicate(ub, 0.0f, 16384);
        }
        if ASCEND_IS_AIC {
            InitConstValueParams<half> zeros;
            zeros.repeatTimes = 32;
            zeros.initValue = 1;
            InitConstValue(a, zeros);
            InitConstValue(b, zeros);
            SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
            WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
        }
    }
    // 128 x 128 x 128: 512 steps.
    void products(int32_t calls) {
        MmadParams shape;
        shape.m = shape.n = shape.k = 128;
        shape.cmatrixInitVal = true;
        for (int32_t i = 0; i < calls; ++i) Mmad(c, a, b, shape);
    }
};

struct Plan {
    int32_t tiles, products, calls, ring;
};
Plan plan_of(GM_ADDR tiling) {
    Plan out;
    const auto* words = reinterpret_cast<const int32_t*>(tiling);
    out = {words[0], words[1], words[2], words[3]};
    return out;
}

}  // namespace

// The cube makes `tiles` tiles of `products` each; its vector cores take `calls` calls for one. With a ring of one the
// cube waits until the tile before is used up.
extern "C" __global__ __aicore__ void hand_over(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    const Plan plan = plan_of(tiling);
    Side side;
    side.clear();
    if ASCEND_IS_AIC {
        for (int32_t tile = 0; tile < plan.tiles; ++tile) {
            if (plan.ring > 0 && tile >= plan.ring) CrossCoreWaitFlag(1);
            side.products(plan.products);
            CrossCoreSetFlag<2, PIPE_M>(0);
        }
        for (int32_t tile = 0; plan.ring > 0 && tile < plan.ring; ++tile) CrossCoreWaitFlag(1);
    }
    if ASCEND_IS_AIV {
        for (int32_t tile = 0; tile < plan.tiles; ++tile) {
            CrossCoreWaitFlag(0);
            work(side.ub, plan.calls);
            if (plan.ring > 0) CrossCoreSetFlag<2, PIPE_V>(1);
        }
        if (plan.tiles == 0) work(side.ub, plan.calls);
    }
}

// The first vector cores of each AI Core have a product made, each for itself or all at the same place.
using Product = matmul::Matmul<matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>,
                               matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>,
                               matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>>;

extern "C" __global__ __aicore__ void share_cube(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIC
        return;
    const auto* words = reinterpret_cast<const int32_t*>(tiling);
    if (GetSubBlockIdx() >= words[0]) return;
    constexpr int32_t kSide = 256;
    TCubeTiling plan{};
    plan.usedCoreNum = 1;
    plan.M = plan.N = plan.Ka = plan.Kb = kSide;
    plan.singleCoreM = plan.singleCoreN = plan.singleCoreK = kSide;
    plan.baseM = plan.baseN = 128;
    plan.baseK = 64;
    plan.stepM = plan.stepN = plan.stepKa = plan.stepKb = 1;
    plan.depthA1 = plan.depthB1 = 2;
    plan.dbL0A = plan.dbL0B = 2;
    plan.dbL0C = 1;
    plan.iterateOrder = 0;
    GlobalTensor<half> ga, gb;
    GlobalTensor<float> gy;
    ga.SetGlobalBuffer((__gm__ half*)a);
    gb.SetGlobalBuffer((__gm__ half*)b);
    gy.SetGlobalBuffer((__gm__ float*)y + (words[1] ? 0 : GetBlockIdx()) * kSide * kSide);
    TPipe pipe;
    Product product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &plan);
    product.SetTensorA(ga);
    product.SetTensorB(gb);
    product.IterateAll(gy);
    product.End();
}
