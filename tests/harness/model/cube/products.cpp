// c = a @ b (+ bias) through every level of memory, with one entry for each element type. Matrices are small enough for
// one step; what varies is how they lie and how they leave.
#include "kernel_operator.h"

using namespace AscendC;

struct Plan {
    uint32_t m, n, k;
    uint32_t a_transposed, b_transposed;
    uint32_t bias;
    uint32_t image;       // L0 is filled by the 3D LoadData
    uint32_t accumulate;  // the product is added twice
    uint32_t hf32;
    uint32_t unit_flag;
    uint32_t nz;  // the result leaves as NZ
    uint32_t relu;
    uint32_t quant;  // QuantMode_t
    uint32_t scale_low, scale_high;
    uint32_t missing_flag;  // seeded bug: Mmad does not wait for MTE1
    uint32_t over_scales;   // as NZ through L1, where the scales of the columns lay
};

constexpr uint32_t up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

template <typename T, typename C, typename Out>
class Product {
  public:
    static constexpr uint32_t width = 32 / sizeof(T);

    Product(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, const Plan& plan) : plan_(plan) {
        a_.SetGlobalBuffer(reinterpret_cast<T*>(a));
        b_.SetGlobalBuffer(reinterpret_cast<T*>(b));
        bias_.SetGlobalBuffer(reinterpret_cast<C*>(bias));
        scales_.SetGlobalBuffer(reinterpret_cast<uint64_t*>(scales));
        c_.SetGlobalBuffer(reinterpret_cast<Out*>(c));
    }

    void run() {
        load(a1_, a_, plan_.a_transposed ? plan_.k : plan_.m, plan_.a_transposed ? plan_.m : plan_.k);
        load(b1_, b_, plan_.b_transposed ? plan_.n : plan_.k, plan_.b_transposed ? plan_.k : plan_.n);
        if (plan_.bias) DataCopy(bias1_, bias_, up(plan_.n, 16));
        if (vector_quant()) DataCopy(scales1_, scales_, up(plan_.n, 4));
        SetFlag<HardEvent::MTE2_MTE1>(0);
        WaitFlag<HardEvent::MTE2_MTE1>(0);
        to_l0a();
        to_l0b();
        if (plan_.bias) {
            DataCopyParams params(1, static_cast<uint16_t>(up(plan_.n, 16) * sizeof(C) / 64), 0, 0);
            DataCopy(bias2_, bias1_, params);
        }
        SetFlag<HardEvent::MTE1_M>(0);
        if (!plan_.missing_flag) WaitFlag<HardEvent::MTE1_M>(0);
        multiply();
        if (plan_.missing_flag) WaitFlag<HardEvent::MTE1_M>(0);
        if (!plan_.unit_flag) {
            SetFlag<HardEvent::M_FIX>(0);
            WaitFlag<HardEvent::M_FIX>(0);
        }
        if (vector_quant()) {
            SetFlag<HardEvent::MTE2_FIX>(0);
            WaitFlag<HardEvent::MTE2_FIX>(0);
        }
        leave();
    }

  private:
    bool vector_quant() const { return plan_.quant == VDEQF16 || plan_.quant == VQF322B8_PRE || plan_.quant == VREQ8; }

    // Rows of the matrix in L1 are rounded up so that whole squares can be transposed.
    static constexpr uint32_t rows_up(uint32_t rows) { return up(rows, width > 16 ? width : 16); }

    void load(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t rows, uint32_t columns) {
        InitConstValueParams<int16_t> zero;
        zero.repeatTimes = 1;
        zero.blockNum = static_cast<uint16_t>(rows_up(rows) * up(columns, width) / width);
        Fill(to.template ReinterpretCast<int16_t>(), zero);
        PipeBarrier<PIPE_MTE2>();
        Nd2NzParams params(1, rows, columns, 0, columns, rows_up(rows), 1, 0);
        DataCopy(to, from, params);
    }

    void image(const LocalTensor<T>& to, const LocalTensor<T>& from, uint32_t rows, uint32_t columns, bool transpose) {
        LoadData3DParamsV2<T> params;
        params.l1H = 1;
        params.l1W = rows_up(rows);
        params.channelSize = up(columns, width);
        params.kExtension = up(columns, width);
        params.mExtension = up(rows, 16);
        params.enTranspose = transpose;
        LoadData(to, from, params);
    }

    // NZ in L1 to ZZ in L0A.
    void to_l0a() {
        const uint32_t m_blocks = up(plan_.m, 16) / 16, k_blocks = up(plan_.k, width) / width;
        if (plan_.image) {
            if (plan_.a_transposed) return image(a2_, a1_, plan_.k, plan_.m, true);
            return image(a2_, a1_, plan_.m, plan_.k, false);
        }
        LoadData2DParams params;
        params.repeatTimes = k_blocks;
        params.ifTranspose = plan_.a_transposed;
        params.srcStride = plan_.a_transposed ? 1 : rows_up(plan_.m) / 16;
        for (uint32_t i = 0; i < m_blocks; ++i) {
            const uint32_t step = plan_.a_transposed ? rows_up(plan_.k) / 16 : 1;
            LoadData(a2_[i * k_blocks * 16 * width], a1_[i * step * 16 * width], params);
        }
    }

    // NZ in L1 to ZN in L0B.
    void to_l0b() {
        const uint32_t n_blocks = up(plan_.n, 16) / 16, k_blocks = up(plan_.k, width) / width;
        if (plan_.b_transposed) {
            LoadData2DParams params;
            params.repeatTimes = n_blocks;
            params.srcStride = 1;
            for (uint32_t k = 0; k < k_blocks; ++k) {
                LoadData(b2_[k * n_blocks * 16 * width], b1_[k * rows_up(plan_.n) * width], params);
            }
            return;
        }
        if (plan_.image) return image(b2_, b1_, plan_.k, plan_.n, false);
        const uint32_t squares = up(plan_.n, width) / width, fractals = width / 16 == 0 ? 1 : width / 16;
        LoadData2dTransposeParams params;
        params.repeatTimes = squares;
        params.srcStride = k_blocks;
        params.dstGap = fractals - 1;
        for (uint32_t k = 0; k < k_blocks; ++k) {
            LoadDataWithTranspose(b2_[k * n_blocks * 16 * width], b1_[k * fractals * 16 * width], params);
        }
    }

    void multiply() {
        MmadParams params;
        params.m = plan_.m;
        params.n = plan_.n;
        params.k = plan_.k;
        params.kDirectionAlign = plan_.image && plan_.a_transposed;
        params.unitFlag = plan_.unit_flag ? 3 : 0;
        if (plan_.hf32) SetHF32Mode(HF32Mode::ENABLE);
        if (plan_.bias) {
            params.cmatrixInitVal = false;
            Mmad(co1_, a2_, b2_, bias2_, params);
        } else {
            Mmad(co1_, a2_, b2_, params);
        }
        if (plan_.accumulate) {
            params.cmatrixInitVal = false;
            PipeBarrier<PIPE_M>();
            Mmad(co1_, a2_, b2_, params);
        }
    }

    void through_l1(FixpipeParamsV220& params) {
        LocalTensor<Out> result = scales1_.template ReinterpretCast<Out>();
        params.dstStride = plan_.m;
        params.nSize = plan_.n;
        Fixpipe<Out, C, CFG_NZ>(result, co1_, scales1_, params);
        SetFlag<HardEvent::FIX_MTE3>(0);
        WaitFlag<HardEvent::FIX_MTE3>(0);
        DataCopy(c_, result, plan_.m * plan_.n);
    }
    void leave() {
        FixpipeParamsV220 params(up(plan_.n, 16), plan_.m, up(plan_.m, 16), plan_.n, plan_.relu);
        params.quantPre = static_cast<QuantMode_t>(plan_.quant);
        params.deqScalar = plan_.scale_low | static_cast<uint64_t>(plan_.scale_high) << 32;
        params.unitFlag = plan_.unit_flag ? 3 : 0;
        if (plan_.over_scales) {
            through_l1(params);
        } else if (plan_.nz) {
            params.dstStride = plan_.m * (sizeof(Out) == 4 ? 64 : 32) / 32;
            Fixpipe<Out, C, CFG_NZ>(c_, co1_, params);
        } else if (vector_quant()) {
            params.nSize = plan_.n;
            Fixpipe(c_, co1_, scales1_, params);
        } else {
            params.nSize = plan_.n;
            Fixpipe(c_, co1_, params);
        }
    }

    Plan plan_;
    GlobalTensor<T> a_, b_;
    GlobalTensor<C> bias_;
    GlobalTensor<uint64_t> scales_;
    GlobalTensor<Out> c_;
    LocalTensor<T> a1_{TPosition::A1, 0, 65536 / sizeof(T)};
    LocalTensor<T> b1_{TPosition::B1, 131072, 65536 / sizeof(T)};
    LocalTensor<C> bias1_{TPosition::C1, 262144, 256};
    LocalTensor<uint64_t> scales1_{TPosition::C1, 270336, 256};
    LocalTensor<C> bias2_{TPosition::C2, 0, 256};
    LocalTensor<T> a2_{TPosition::A2, 0, 65536 / sizeof(T)};
    LocalTensor<T> b2_{TPosition::B2, 0, 65536 / sizeof(T)};
    LocalTensor<C> co1_{TPosition::CO1, 0, 131072 / sizeof(C)};
};

// Entries are found by their text.
extern "C" __global__ __aicore__ void half_float(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, GM_ADDR,
                                                 GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    Product<half, float, float>(a, b, bias, scales, c, plan).run();
}
extern "C" __global__ __aicore__ void half_half(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, GM_ADDR,
                                                GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    Product<half, float, half>(a, b, bias, scales, c, plan).run();
}
extern "C" __global__ __aicore__ void bfloat_bfloat(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c,
                                                    GM_ADDR, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    Product<bfloat16_t, float, bfloat16_t>(a, b, bias, scales, c, plan).run();
}
extern "C" __global__ __aicore__ void float_float(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c,
                                                  GM_ADDR, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    Product<float, float, float>(a, b, bias, scales, c, plan).run();
}
extern "C" __global__ __aicore__ void int8_int32(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, GM_ADDR,
                                                 GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    Product<int8_t, int32_t, int32_t>(a, b, bias, scales, c, plan).run();
}
extern "C" __global__ __aicore__ void int8_half(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, GM_ADDR,
                                                GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    Product<int8_t, int32_t, half>(a, b, bias, scales, c, plan).run();
}
extern "C" __global__ __aicore__ void int8_int8(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, GM_ADDR,
                                                GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(Plan, plan, tiling);
    Product<int8_t, int32_t, int8_t>(a, b, bias, scales, c, plan).run();
}
// 32 x 128 by 128 x 16 elements of four bits; a comes as NZ, b transposed as NZ; a reaches L0A by the 3D LoadData.
extern "C" __global__ __aicore__ void four_bits(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    constexpr uint16_t m = 32, n = 16, k = 128;
    GlobalTensor<int4b_t> a_gm, b_gm;
    GlobalTensor<int32_t> c_gm;
    a_gm.SetGlobalBuffer(reinterpret_cast<int4b_t*>(a));
    b_gm.SetGlobalBuffer(reinterpret_cast<int4b_t*>(b));
    c_gm.SetGlobalBuffer(reinterpret_cast<int32_t*>(c));
    LocalTensor<int4b_t> a1(TPosition::A1, 0, m * k), b1(TPosition::B1, 8192, n * k);
    LocalTensor<int4b_t> a2(TPosition::A2, 0, m * k), b2(TPosition::B2, 0, n * k);
    LocalTensor<int32_t> co1(TPosition::CO1, 0, m * n);
    DataCopy(a1, a_gm, m * k);
    DataCopy(b1, b_gm, n * k);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData3DParamsV2<int4b_t> image;
    image.l1H = 1;
    image.l1W = m;
    image.channelSize = k;
    image.kExtension = k;
    image.mExtension = m;
    LoadData(a2, a1, image);
    LoadData2DParams rows;
    rows.repeatTimes = k / 64;
    rows.srcStride = 1;
    LoadData(b2, b1, rows);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams params;
    params.m = m;
    params.n = n;
    params.k = k;
    Mmad(co1, a2, b2, params);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(c_gm, co1, FixpipeParamsV220(n, m, m, n, false));
}
