// Batches of products by the Matmul library, in each layout, by IterateBatch and IterateNBatch.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct Plan {
    TCubeTiling tiling;
    uint32_t a_transposed, b_transposed;
    uint32_t a_count, b_count;  // matrices of one call
    uint32_t calls;             // 0: IterateBatch once, else IterateNBatch
    uint32_t fetched;           // take the results from GetBatchTensorC
};

constexpr MatmulConfig kEachBias = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(
    MatmulBatchParams{true, BatchMode::BATCH_LESS_THAN_L1, true, BatchOutMode::SINGLE_BATCH});
constexpr MatmulConfig kOneBias = GetMMConfig<MatmulConfigMode::CONFIG_NORM>(
    MatmulBatchParams{true, BatchMode::BATCH_LESS_THAN_L1, false, BatchOutMode::SINGLE_BATCH});

template <typename T, LayoutMode layout>
using Matrices = MatmulType<TPosition::GM, CubeFormat::ND, T, false, layout>;

template <LayoutMode in, LayoutMode out, const auto& config = kEachBias>
inline void products(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    TPipe pipe;
    Matmul<Matrices<half, in>, Matrices<half, in>, Matrices<float, out>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>, config>
        object;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), object, &plan.tiling);
    if (GetSubBlockIdx() != 0) return;
    GlobalTensor<half> a_gm, b_gm;
    GlobalTensor<float> bias_gm, c_gm, room;
    a_gm.SetGlobalBuffer(reinterpret_cast<half*>(a));
    b_gm.SetGlobalBuffer(reinterpret_cast<half*>(b));
    bias_gm.SetGlobalBuffer(reinterpret_cast<float*>(bias));
    c_gm.SetGlobalBuffer(reinterpret_cast<float*>(c));
    room.SetGlobalBuffer(reinterpret_cast<float*>(workspace));
    object.SetTensorA(a_gm, plan.a_transposed);
    object.SetTensorB(b_gm, plan.b_transposed);
    if (plan.tiling.isBias) object.SetBias(bias_gm);
    if (plan.calls == 0) {
        object.IterateBatch(c_gm, plan.a_count, plan.b_count, false);
    } else if (!plan.fetched) {
        object.SetWorkspace(c_gm);
        object.IterateNBatch(plan.calls, plan.a_count, plan.b_count, false);
    } else {
        object.SetWorkspace(room);
        object.template IterateNBatch<false>(plan.calls, plan.a_count, plan.b_count, false);
        const uint32_t each = plan.tiling.singleCoreM * plan.tiling.singleCoreN * plan.a_count;
        LocalTensor<float> ub(TPosition::VECIN, 0, each);
        for (uint32_t i = 0; i < plan.calls; ++i) {
            GlobalTensor<float> part = object.template GetBatchTensorC<false>(plan.a_count, plan.b_count);
            DataCopy(ub, part, each);
            SetFlag<HardEvent::MTE2_MTE3>(0);
            WaitFlag<HardEvent::MTE2_MTE3>(0);
            DataCopy(c_gm[i * each], ub, each);
            SetFlag<HardEvent::MTE3_MTE2>(0);
            WaitFlag<HardEvent::MTE3_MTE2>(0);
        }
    }
    object.End();
}

extern "C" __global__ __aicore__ void normal(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                             GM_ADDR tiling) {
    products<LayoutMode::NORMAL, LayoutMode::NORMAL>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void one_bias(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                               GM_ADDR tiling) {
    products<LayoutMode::NORMAL, LayoutMode::NORMAL, kOneBias>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void bsngd(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                            GM_ADDR tiling) {
    products<LayoutMode::BSNGD, LayoutMode::BSNGD>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void bsngd_to_bngss(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
    products<LayoutMode::BSNGD, LayoutMode::BNGS1S2>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void sbngd(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                            GM_ADDR tiling) {
    products<LayoutMode::SBNGD, LayoutMode::SBNGD>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void bngss(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                            GM_ADDR tiling) {
    products<LayoutMode::BNGS1S2, LayoutMode::BNGS1S2>(a, b, bias, c, workspace, tiling);
}

// Everything about the tiling is known when this is compiled, and a bias counts as soon as it is set.
using InGm = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using OutGm = MatmulType<TPosition::GM, CubeFormat::ND, float>;
constexpr MatmulApiStaticTiling kStatic = GetMatmulApiTiling<InGm, InGm, OutGm, OutGm>(
    GetMMConfig<MatmulConfigMode::CONFIG_NORM>(MatmulShapeParams{64, 96, 128, 32, 48, 64}));
static_assert(kStatic.depthA1 == 4 && kStatic.stepKa == 2 && kStatic.dbL0C == 2);
extern "C" __global__ __aicore__ void known_tiling(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR,
                                                   GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    TPipe pipe;
    Matmul<InGm, InGm, OutGm, OutGm, kStatic> object;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), object, (TCubeTiling*)nullptr);
    if (GetSubBlockIdx() != 0) return;
    GlobalTensor<half> a_gm, b_gm;
    GlobalTensor<float> bias_gm, c_gm;
    a_gm.SetGlobalBuffer(reinterpret_cast<half*>(a));
    b_gm.SetGlobalBuffer(reinterpret_cast<half*>(b));
    bias_gm.SetGlobalBuffer(reinterpret_cast<float*>(bias));
    c_gm.SetGlobalBuffer(reinterpret_cast<float*>(c));
    object.SetOrgShape(plan.tiling.M, plan.tiling.N, plan.tiling.Ka);
    object.SetTail(plan.tiling.singleCoreM, plan.tiling.singleCoreN, plan.tiling.singleCoreK);
    object.SetTensorA(a_gm);
    object.SetTensorB(b_gm);
    object.SetBias(bias_gm);
    object.IterateAll(c_gm);
    object.End();
}
