// The Matmul library: one object a product, tiles of it computed by the runtime.
#pragma once
#include "../../../abi/matmul.h"
#include "../kernel_tiling/kernel_tiling.h"
#include "matmul_batch.h"
#include "matmul_static_tiling.h"
#include "pipe.h"

namespace AscendC {

namespace asc {

template <typename T>
ASC_INLINE void to_global(AscMatrix& to, const GlobalTensor<T>& from) {
    to.place = kAscGlobal;
    to.dtype = dtype<T>;
    to.gm = reinterpret_cast<uintptr_t>(from.GetPhyAddr());
    to.l2_bypass = from.cache() == CacheMode::CACHE_MODE_DISABLE;
}
template <typename T>
ASC_INLINE void to_local(AscMatrix& to, const LocalTensor<T>& from) {
    to.place = kAscLocalPlace;
    to.dtype = dtype<T>;
    to.at = from.where();
}

}  // namespace asc

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>>
class MatmulImpl {
  public:
    using SrcAT = typename A_TYPE::T;
    using SrcBT = typename B_TYPE::T;
    using DstT = typename C_TYPE::T;
    using BiasT = typename BIAS_TYPE::T;
    using SrcT = SrcAT;
    using callBack = MM_CB;

    MatmulImpl() = default;
    static_assert(!asc::config_of(MM_CFG).isPartialOutput, "isPartialOutput is not modelled: sums leave whole");
    void Init(const TCubeTiling* tiling, TPipe* = nullptr) {
        object_ = AscMatmul{};
        if (tiling) asc::take_known(object_, *tiling);
        asc::take_static(object_, MM_CFG);
        if (!tiling) asc::without_tiling(object_);
        object_.relu = asc::config_of(MM_CFG).enableRelu;
        object_.tiling_single[0] = object_.single_m;
        object_.tiling_single[1] = object_.single_n;
        object_.tiling_single[2] = object_.single_k;
        layout_ = tiling ? *tiling : TCubeTiling{};
        asc_matmul_init(&object_);
        if constexpr (MM_CB::has_a) {
            a1_ = room<SrcAT>(TPosition::A1, object_.depth_a * object_.base_m * object_.base_k);
        }
        if constexpr (MM_CB::has_b) {
            b1_ = room<SrcBT>(TPosition::B1, object_.depth_b * object_.base_n * object_.base_k);
        }
    }

    void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false) {
        asc::to_global(object_.a, gm);
        orient(object_.a, A_TYPE::format, isTransposeA);
    }
    void SetTensorA(const LocalTensor<SrcAT>& matrix, bool isTransposeA = false) {
        asc::to_local(object_.a, matrix);
        orient(object_.a, A_TYPE::format, isTransposeA);
    }
    void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false) {
        asc::to_global(object_.b, gm);
        orient(object_.b, B_TYPE::format, isTransposeB);
    }
    void SetTensorB(const LocalTensor<SrcBT>& matrix, bool isTransposeB = false) {
        asc::to_local(object_.b, matrix);
        orient(object_.b, B_TYPE::format, isTransposeB);
    }
    void SetBias(const GlobalTensor<BiasT>& bias) {
        asc::to_global(object_.bias, bias);
        object_.bias.format = kAscVectorFormat;
        object_.use_bias = object_.has_bias;
    }
    void SetBias(const LocalTensor<BiasT>& bias) {
        asc::to_local(object_.bias, bias);
        object_.bias.format = kAscVectorFormat;
        object_.use_bias = object_.has_bias;
    }
    void ClearBias() { object_.use_bias = 0; }
    void DisableBias() { object_.use_bias = 0; }

    void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
        object_.m = orgM;
        object_.n = orgN;
        object_.ka = orgKa;
        object_.kb = orgKb;
        object_.kc = orgKc;
    }
    void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
        if (tailM != -1) object_.single_m = tailM;
        if (tailN != -1) object_.single_n = tailN;
        if (tailK != -1) object_.single_k = tailK;
        asc_matmul_restart(&object_);
    }
    void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
        object_.hf32 = enableHF32;
        object_.hf32_ties_to_zero = transMode != 0;
    }
    void SetQuantScalar(const uint64_t quantScalar) {
        object_.scaling = kAscOneScale;
        object_.scale = quantScalar;
    }
    void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) {
        asc::to_global(object_.scales, quantTensor);
        object_.scales.format = kAscVectorFormat;
        object_.scaling = kAscScalePerColumn;
    }
    void SetQuantVector(const LocalTensor<uint64_t>& quantTensor) {
        asc::to_local(object_.scales, quantTensor);
        object_.scales.format = kAscVectorFormat;
        object_.scaling = kAscScalePerColumn;
    }

    // Room for the library's own copies, which the model does not need; where the results of Iterate<false> go.
    void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
    template <typename T>
    void SetWorkspace(GlobalTensor<T>& addr) {
        workspace_.SetGlobalBuffer(reinterpret_cast<DstT*>(addr.GetPhyAddr(0)));
    }
    template <typename T>
    void SetWorkspace(__gm__ const T* addr, int) {
        workspace_.SetGlobalBuffer(reinterpret_cast<DstT*>(const_cast<T*>(addr)));
    }
    // Which of the two vector cores a cube core works for: here each has its own.
    void SetSubBlockIdx(uint8_t) {}
    uint8_t GetSubBlockIdx() { return static_cast<uint8_t>(AscendC::GetSubBlockIdx()); }
    // For callbacks.
    void SetUserDefInfo(const uint64_t tilingPtr) { user_tiling_ = tilingPtr; }
    template <typename T>
    void SetSelfDefineData(T dataPtr) {
        user_data_ = asc::bits(dataPtr);
    }

    void SetBatchNum(int32_t batchA, int32_t batchB) {
        batch_a_ = static_cast<uint32_t>(batchA);
        batch_b_ = static_cast<uint32_t>(batchB);
    }

    template <bool sync = true>
    bool Iterate(bool enPartialSum = false) {
        call_back();
        return asc_matmul_iterate(&object_, enPartialSum, sync);
    }
    template <bool sync = true, typename T>
    bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix) {
        call_back();
        const bool more = asc_matmul_iterate(&object_, enPartialSum, 1);
        if (more) {
            AscMatmulOut out = result(localCmatrix, 0, true, sync, "Iterate");
            out.c.format = kAscNz;
            asc_matmul_result(&object_, &out);
        }
        return more;
    }

    template <bool sync = true>
    void GetTensorC(const LocalTensor<DstT>& c, uint8_t enAtomic = 0, bool enSequentialWrite = false) {
        AscMatmulOut out = result(c, enAtomic, enSequentialWrite, sync, "GetTensorC");
        asc_matmul_result(&object_, &out);
    }
    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false) {
        AscMatmulOut out = result(gm, enAtomic, enSequentialWrite, sync, "GetTensorC");
        asc_matmul_result(&object_, &out);
    }
    template <bool sync = true>
    GlobalTensor<DstT> GetTensorC(uint8_t enAtomic = 0, bool enSequentialWrite = false) {
        const uint32_t number = taken_++;
        GlobalTensor<DstT> place =
            workspace_[uint64_t{number} * static_cast<uint32_t>(object_.base_m * object_.base_n)];
        AscMatmulOut out = result(place, enAtomic, true, sync, "GetTensorC");
        (void)enSequentialWrite;
        asc_matmul_result(&object_, &out);
        return place;
    }
    void WaitGetTensorC() { asc_matmul_wait("WaitGetTensorC"); }

    template <bool sync = true>
    void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                    bool waitIterateAll = false, bool fakeMsg = false) {
        if (fakeMsg) return;
        AscMatmulOut out = result(gm, enAtomic, enSequentialWrite, sync, "IterateAll");
        (void)waitIterateAll;
        call_back();
        asc_matmul_all(&object_, &out);
    }
    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT>& ubCmatrix, uint8_t enAtomic = 0) {
        AscMatmulOut out = result(ubCmatrix, enAtomic, false, sync, "IterateAll");
        call_back();
        asc_matmul_all(&object_, &out);
    }
    void WaitIterateAll() { asc_matmul_wait("WaitIterateAll"); }
    void End() { asc_matmul_restart(&object_); }

    template <bool sync = true, bool waitIterateBatch = false, typename Tensor>
    void IterateBatch(const Tensor& c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0) {
        (void)enPartialSum;
        batch(c, batchA, batchB, enSequentialWrite, enAtomic, sync, matrixStrideA, matrixStrideB, matrixStrideC);
    }
    // On a cube core, with the numbers of SetBatchNum. A number of matrices is no flag.
    template <typename Tensor, typename Flag, typename = std::enable_if_t<std::is_same_v<Flag, bool>>>
    void IterateBatch(const Tensor& c, Flag enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0) {
        (void)enPartialSum;
        batch(c, batch_a_, batch_b_, enSequentialWrite, enAtomic, true, matrixStrideA, matrixStrideB, matrixStrideC);
    }
    void WaitIterateBatch() { asc_matmul_wait("WaitIterateBatch"); }

    // Several calls of IterateBatch; the results lie in the workspace in the layout of C.
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                       const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                       const uint32_t matrixStrideC = 0) {
        static_assert(asc::config_of(MM_CFG).isNBatch, "IterateNBatch needs isNBatch in the MatmulConfig");
        AscMatmulOut out = result(workspace_, 0, enSequentialWrite, sync, "IterateNBatch");
        AscMatmulBatch params = params_of(batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC);
        params.calls = batchLoop;
        asc_matmul_batch(&object_, &out, &params);
        taken_ = 0;
    }
    // The results of the next of those calls.
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
        (void)enSequentialWrite;
        asc_matmul_wait("GetBatchTensorC");
        const AscMatmulSide c = params_of(batchA, batchB, 0, 0, 0).c;
        const uint64_t first = uint64_t{taken_++} * c.count;
        return workspace_[first % c.group * c.near + first / c.group * c.far];
    }
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
        (void)enSequentialWrite;
        asc_matmul_wait("GetBatchC");
        const AscMatmulSide c = params_of(batchA, batchB, 0, 0, 0).c;
        const uint64_t first = uint64_t{taken_++} * c.count;
        return workspace_[first % c.group * c.near + first / c.group * c.far];
    }

  private:
    template <typename Tensor>
    ASC_INLINE AscMatmulOut result(const Tensor& c, uint8_t atomic, bool sequential, bool sync, const char* api) {
        AscMatmulOut out{};
        set_place(out.c, c);
        out.c.format = static_cast<uint8_t>(C_TYPE::format);
        // Fractals of float are 16 x 16, or with the channels split 16 x 8.
        constexpr bool split = asc::config_of(MM_CFG).isEnableChannelSplit && sizeof(DstT) == 4;
        out.c.nz_width = C_TYPE::format == CubeFormat::NZ && split ? 8 : 0;
        out.atomic = atomic;
        out.sequential = sequential;
        out.sync = sync;
        out.api = api;
        return out;
    }
    template <typename T>
    ASC_INLINE void set_place(AscMatrix& to, const GlobalTensor<T>& from) {
        asc::to_global(to, from);
    }
    template <typename T>
    ASC_INLINE void set_place(AscMatrix& to, const LocalTensor<T>& from) {
        asc::to_local(to, from);
    }
    template <typename Tensor>
    ASC_INLINE void batch(const Tensor& c, uint32_t a_count, uint32_t b_count, bool sequential, uint8_t atomic,
                          bool sync, uint32_t a_stride, uint32_t b_stride, uint32_t c_stride) {
        AscMatmulOut out = result(c, atomic, sequential, sync, "IterateBatch");
        AscMatmulBatch params = params_of(a_count, b_count, a_stride, b_stride, c_stride);
        asc_matmul_batch(&object_, &out, &params);
    }
    ASC_INLINE AscMatmulBatch params_of(uint32_t a_count, uint32_t b_count, uint32_t a_stride, uint32_t b_stride,
                                        uint32_t c_stride) {
        AscMatmulBatch params = asc::batch_of<A_TYPE::layout, B_TYPE::layout, C_TYPE::layout>(
            object_, layout_, a_count, b_count, a_stride, b_stride, c_stride);
        params.bias_each = asc::config_of(MM_CFG).isBiasBatch;
        return params;
    }
    template <typename T>
    ASC_INLINE LocalTensor<T> room(TPosition position, int32_t elements) {
        const uint32_t address = asc_buffer_init(static_cast<uint8_t>(position), elements * sizeof(T));
        return LocalTensor<T>(position, address, static_cast<uint32_t>(elements));
    }
    // The kernel's own functions bring the whole operand to L1, where it stays.
    ASC_INLINE void call_back() {
        if constexpr (MM_CB::has_a) {
            if (object_.a.place == kAscGlobal) a_gm_ = object_.a.gm;
            MM_CB::copy_a(a1_.template ReinterpretCast<int8_t>(), reinterpret_cast<const void*>(a_gm_), 0, 0,
                          object_.single_m, object_.single_k, user_tiling_, user_data_);
            stay(object_.a, a1_);
        }
        if constexpr (MM_CB::has_b) {
            if (object_.b.place == kAscGlobal) b_gm_ = object_.b.gm;
            MM_CB::copy_b(b1_.template ReinterpretCast<int8_t>(), reinterpret_cast<const void*>(b_gm_), 0, 0,
                          object_.single_k, object_.single_n, user_tiling_, user_data_);
            stay(object_.b, b1_);
        }
    }
    template <typename T>
    ASC_INLINE void stay(AscMatrix& matrix, const LocalTensor<T>& where) {
        asc::to_local(matrix, where);
        matrix.format = kAscNz;
        matrix.whole = 1;
    }
    ASC_INLINE void orient(AscMatrix& matrix, CubeFormat format, bool transposed) {
        matrix.format = static_cast<uint8_t>(format);
        matrix.transposed = transposed;
        matrix.whole = 0;
        taken_ = 0;
        asc_matmul_restart(&object_);
    }

    AscMatmul object_{};
    TCubeTiling layout_{};
    GlobalTensor<DstT> workspace_;
    uint32_t taken_ = 0;
    uint32_t batch_a_ = 1, batch_b_ = 1;
    LocalTensor<SrcAT> a1_;
    LocalTensor<SrcBT> b1_;
    uint64_t a_gm_ = 0, b_gm_ = 0;
    uint64_t user_tiling_ = 0, user_data_ = 0;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;

namespace asc {

inline void regist(TPipe*) {}
template <typename Object, typename... Rest>
void regist(TPipe* pipe, Object& object, Rest&&... rest);

template <typename Object, typename... Rest>
void regist_with(TPipe* pipe, Object& object, const TCubeTiling* tiling, Rest&&... rest) {
    object.Init(tiling, pipe);
    regist(pipe, rest...);
}
// Objects, each with or without its tiling.
template <typename Object, typename First, typename... Rest>
void regist_next(TPipe* pipe, Object& object, First&& first, Rest&&... rest) {
    if constexpr (std::is_same_v<std::decay_t<First>, decltype(nullptr)>) {
        regist_with(pipe, object, nullptr, rest...);
    } else if constexpr (std::is_convertible_v<First, const void*>) {
        regist_with(pipe, object, static_cast<const TCubeTiling*>(static_cast<const void*>(first)), rest...);
    } else if constexpr (std::is_convertible_v<First, const TCubeTiling&>) {
        regist_with(pipe, object, &static_cast<const TCubeTiling&>(first), rest...);
    } else {
        regist(pipe, first, rest...);
    }
}
template <typename Object, typename... Rest>
void regist(TPipe* pipe, Object& object, Rest&&... rest) {
    if constexpr (sizeof...(rest) > 0) regist_next(pipe, object, rest...);
}

}  // namespace asc
}  // namespace AscendC

namespace matmul {
using namespace AscendC;
}

// A vector core sends its products to the cube core of its AI Core, which does nothing else and so leaves here.
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) AscendC::asc::regist(tpipe, __VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
    asc_matmul_client();                         \
    if (g_coreType == AscendC::AIC) return;      \
    AscendC::asc::regist(tpipe, __VA_ARGS__)
#endif
