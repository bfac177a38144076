// Products by the Matmul library: one object, its operands wherever the type says, results tile by tile or all at once.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

struct Plan {
    TCubeTiling tiling;
    uint32_t a_transposed, b_transposed;
    uint32_t tail_m, tail_n, tail_k;  // 0: as the tiling says
    uint32_t way;                     // 0 IterateAll, 1 Iterate and GetTensorC, 2 the same by tiles in a row, 3 async
    uint32_t atomic;
    uint32_t hf32;
    uint32_t scale_low, scale_high;  // 0: none
    uint32_t split_k;                // how many partial products make the result
};

template <typename A, typename B, typename C, typename Bias, const auto& config = CFG_NORM>
class Product {
  public:
    using T = typename A::T;
    using Out = typename C::T;
    MatmulImpl<A, B, C, Bias, config> object;

    void run(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, const Plan& plan) {
        a_.SetGlobalBuffer(reinterpret_cast<T*>(a));
        b_.SetGlobalBuffer(reinterpret_cast<T*>(b));
        bias_.SetGlobalBuffer(reinterpret_cast<typename Bias::T*>(bias));
        c_.SetGlobalBuffer(reinterpret_cast<Out*>(c));
        workspace_.SetGlobalBuffer(reinterpret_cast<Out*>(workspace));
        if (plan.tail_m) object.SetTail(plan.tail_m, plan.tail_n, plan.tail_k);
        if (plan.hf32) object.SetHF32(true, 0);
        if (plan.scale_low) {
            object.SetQuantScalar(plan.scale_low | static_cast<uint64_t>(plan.scale_high) << 32);
        }
        object.SetTensorA(a_, plan.a_transposed);
        object.SetTensorB(b_, plan.b_transposed);
        if (plan.tiling.isBias) object.SetBias(bias_);
        if (plan.split_k) return in_parts(plan);
        if (plan.way == 0) object.IterateAll(c_, plan.atomic);
        if (plan.way == 1) {
            while (object.Iterate()) object.GetTensorC(c_, plan.atomic);
        }
        if (plan.way == 2) {
            for (uint32_t i = 0; object.Iterate(); ++i) {
                object.GetTensorC(c_[i * plan.tiling.baseM * plan.tiling.baseN], 0, true);
            }
        }
        if (plan.way == 3) later(plan);
        object.End();
    }

  private:
    // Part of the depth at a time, summed up in the cube unit.
    void in_parts(const Plan& plan) {
        const uint32_t depth = plan.tiling.singleCoreK / plan.split_k;
        for (uint32_t i = 0; i < plan.split_k; ++i) {
            object.SetSingleShape(plan.tiling.singleCoreM, plan.tiling.singleCoreN, depth);
            object.SetTensorA(a_[i * depth], false);
            object.SetTensorB(b_[i * depth * plan.tiling.N], false);
            object.Iterate(i != 0);
        }
        object.GetTensorC(c_);
    }
    // The results wait in the workspace.
    void later(const Plan& plan) {
        object.SetWorkspace(workspace_);
        object.template Iterate<false>();
        const uint32_t block = plan.tiling.baseM * plan.tiling.baseN;
        const uint32_t tiles = plan.tiling.singleCoreM * plan.tiling.singleCoreN / block;
        LocalTensor<Out> ub(TPosition::VECIN, 0, block);
        for (uint32_t i = 0; i < tiles; ++i) {
            GlobalTensor<Out> tile = object.template GetTensorC<false>();
            DataCopy(ub, tile, block);
            SetFlag<HardEvent::MTE2_MTE3>(0);
            WaitFlag<HardEvent::MTE2_MTE3>(0);
            DataCopy(c_[i * block], ub, block);
            SetFlag<HardEvent::MTE3_MTE2>(0);
            WaitFlag<HardEvent::MTE3_MTE2>(0);
        }
    }

    GlobalTensor<T> a_, b_;
    GlobalTensor<typename Bias::T> bias_;
    GlobalTensor<Out> c_, workspace_;
};

template <typename T, CubeFormat format = CubeFormat::ND>
using Global = MatmulType<TPosition::GM, format, T>;

template <typename A, typename B, typename C, typename Bias, const auto& config = CFG_NORM>
inline void from_vector_core(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    TPipe pipe;
    Product<A, B, C, Bias, config> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product.object, &plan.tiling);
    if (GetSubBlockIdx() != 0) return;
    product.run(a, b, bias, c, workspace, plan);
}

extern "C" __global__ __aicore__ void half_float(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
    from_vector_core<Global<half>, Global<half>, Global<float>, Global<float>>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void half_half(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    from_vector_core<Global<half>, Global<half>, Global<half>, Global<half>>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void float_float(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
    from_vector_core<Global<float>, Global<float>, Global<float>, Global<float>>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void int8_int32(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
    from_vector_core<Global<int8_t>, Global<int8_t>, Global<int32_t>, Global<int32_t>>(a, b, bias, c, workspace,
                                                                                       tiling);
}
extern "C" __global__ __aicore__ void int8_half(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                GM_ADDR tiling) {
    from_vector_core<Global<int8_t>, Global<int8_t>, Global<half>, Global<int32_t>>(a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void nz_a(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                           GM_ADDR tiling) {
    from_vector_core<Global<half, CubeFormat::NZ>, Global<half>, Global<float>, Global<float>>(a, b, bias, c, workspace,
                                                                                               tiling);
}
extern "C" __global__ __aicore__ void nz_b(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                           GM_ADDR tiling) {
    from_vector_core<Global<half>, Global<half, CubeFormat::NZ>, Global<float>, Global<float>>(a, b, bias, c, workspace,
                                                                                               tiling);
}
extern "C" __global__ __aicore__ void nz_c(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                           GM_ADDR tiling) {
    from_vector_core<Global<half>, Global<half>, Global<half, CubeFormat::NZ>, Global<float>>(a, b, bias, c, workspace,
                                                                                              tiling);
}
constexpr MatmulConfig split_channels() {
    MatmulConfig config = CFG_NORM;
    config.isEnableChannelSplit = true;
    return config;
}
constexpr MatmulConfig kSplitChannels = split_channels();
extern "C" __global__ __aicore__ void nz_c_split(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
    from_vector_core<Global<half>, Global<half>, Global<float, CubeFormat::NZ>, Global<float>, kSplitChannels>(
        a, b, bias, c, workspace, tiling);
}
extern "C" __global__ __aicore__ void on_the_cube_core(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    TPipe pipe;
    Product<Global<half>, Global<half>, Global<float>, Global<float>> product;
    product.object.SetSubBlockIdx(0);
    product.object.Init(&plan.tiling, &pipe);
    product.run(a, b, bias, c, workspace, plan);
}
// A comes from UB and c goes there: what a kernel of attention does.
extern "C" __global__ __aicore__ void through_ub(GM_ADDR a, GM_ADDR b, GM_ADDR, GM_ADDR c, GM_ADDR, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    TPipe pipe;
    Matmul<MatmulType<TPosition::VECOUT, CubeFormat::ND, half>, Global<half>,
           MatmulType<TPosition::VECIN, CubeFormat::ND, float>>
        object;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), object, &plan.tiling);
    if (GetSubBlockIdx() != 0) return;
    GlobalTensor<half> a_gm, b_gm;
    GlobalTensor<float> c_gm;
    a_gm.SetGlobalBuffer(reinterpret_cast<half*>(a));
    b_gm.SetGlobalBuffer(reinterpret_cast<half*>(b));
    c_gm.SetGlobalBuffer(reinterpret_cast<float*>(c));
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> left;
    TQue<TPosition::VECOUT, 1> result;
    const uint32_t m = plan.tiling.singleCoreM, n = plan.tiling.singleCoreN, k = plan.tiling.singleCoreK;
    pipe.InitBuffer(left, 1, m * k * sizeof(half));
    pipe.InitBuffer(result, 1, m * n * sizeof(float));
    LocalTensor<half> in = left.AllocTensor<half>();
    DataCopy(in, a_gm, m * k);
    left.EnQue(in);
    in = left.DeQue<half>();
    object.SetTensorA(in);
    object.SetTensorB(b_gm);
    LocalTensor<float> out = result.AllocTensor<float>();
    object.IterateAll(out);
    Muls(out, out, 2.0f, m * n);
    result.EnQue(out);
    out = result.DeQue<float>();
    DataCopy(c_gm, out, m * n);
    result.FreeTensor(out);
    left.FreeTensor(in);
}
