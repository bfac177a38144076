// Host side of the Matmul library: the classes that fill TCubeTiling.
#pragma once
#include "platform.h"
#include "toolkit_tiling.h"

namespace matmul_tiling {

enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_BFLOAT16 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E4M3FN = 35,
    DT_FLOAT8_E5M2 = 36,
    DT_FLOAT4_E2M1 = 37,
    DT_FLOAT8_E8M0 = 38,
    DT_FLOAT4_E1M2 = 39,
    DT_MAX = 40
};
enum class TPosition : int32_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    MAX
};
enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8 };
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

// What Matmul takes besides the tensors: bytes of each buffer.
struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};
struct MatTilingType {
    TPosition pos = TPosition::GM;
    CubeFormat type = CubeFormat::ND;
    DataType dataType = DataType::DT_FLOAT;
    bool isTrans = false;
};
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};
struct MatmulConfigParams {
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;
    MatmulConfigParams(int32_t type = 1, bool cache_ub = false, ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse order = MatrixTraverse::NOSET, bool vector_nd2nz = false)
        : mmConfigType(type),
          enableL1CacheUB(cache_ub),
          scheduleType(schedule),
          traverse(order),
          enVecND2NZ(vector_nd2nz) {}
};

// Setters only note what they are given and return 0; GetTiling returns 0, or -1 (and a line in the log) when there is
// no legal tiling.
class MatmulApiTilingBase {
  public:
    MatmulApiTilingBase();  // for the chip of the request
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform);
    explicit MatmulApiTilingBase(const PlatformInfo& platform);
    virtual ~MatmulApiTilingBase() = default;

    int32_t SetAType(TPosition pos, CubeFormat format, DataType type, bool transposed = false);
    int32_t SetBType(TPosition pos, CubeFormat format, DataType type, bool transposed = false);
    int32_t SetCType(TPosition pos, CubeFormat format, DataType type);
    int32_t SetBiasType(TPosition pos, CubeFormat format, DataType type);
    int32_t SetDequantType(DequantType) { return 0; }
    virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
    int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb);
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetCLayout(int32_t b, int32_t s1, int32_t n, int32_t g, int32_t s2);
    int32_t SetBatchInfoForNormal(int32_t batch_a, int32_t batch_b, int32_t m, int32_t n, int32_t k);
    int32_t SetBatchNum(int32_t batch);
    int32_t EnableBias(bool bias = false);
    int32_t SetBias(bool bias = false) { return EnableBias(bias); }
    int32_t SetFixSplit(int32_t base_m = -1, int32_t base_n = -1, int32_t base_k = -1);
    int32_t SetBufferSpace(int32_t l1 = -1, int32_t l0c = -1, int32_t ub = -1, int32_t bias_table = -1);
    int32_t SetTraverse(MatrixTraverse order);
    int32_t SetMadType(MatrixMadType) { return 0; }
    int32_t SetSplitRange(int32_t max_m = -1, int32_t max_n = -1, int32_t max_k = -1, int32_t min_m = -1,
                          int32_t min_n = -1, int32_t min_k = -1);
    int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
    void SetMatmulConfigParams(int32_t type = 1, bool cache_ub = false,
                               ScheduleType schedule = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse order = MatrixTraverse::NOSET, bool vector_nd2nz = false);
    void SetMatmulConfigParams(const MatmulConfigParams& config);
    int32_t GetBaseM() const { return baseM; }
    int32_t GetBaseN() const { return baseN; }
    int32_t GetBaseK() const { return baseK; }
    virtual int64_t GetTiling(optiling::TCubeTiling& tiling);
    virtual int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

    // Named as the public members are.
    optiling::TCubeTiling tiling_;
    MatTilingType aType_;
    MatTilingType bType_;
    MatTilingType cType_;
    MatTilingType biasType_;
    bool isBias = false;
    int32_t blockDim = 0;
    int32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0;
    int32_t singleM = -1, singleN = -1, singleK = -1;  // what is computed, on all cores
    int32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
    int32_t baseM = 0, baseN = 0, baseK = 0;
    int32_t batchNum = 0;
    MatrixTraverse traverse_ = MatrixTraverse::FIRSTM;
    bool enableSplitK_ = false;
    platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
    int32_t mmConfigType = 1;  // 0: Norm, 1: MDL

  protected:
    struct Range {
        int32_t low = -1;
        int32_t high = -1;
    };
    struct Layout {
        int32_t b = 0, s = 0, n = 0, g = 0, d = 0;
    };
    // How the cores share the work: sets singleCoreM, N, K and blockDim. False: there is no legal way.
    virtual bool Divide();

    PlatformInfo chip_;
    int64_t l1_ = -1, l0c_ = -1, ub_ = -1, bias_table_ = -1;
    int32_t fixed_m_ = -1, fixed_n_ = -1, fixed_k_ = -1;
    Range range_m_, range_n_, range_k_;
    Layout layout_a_, layout_b_, layout_c_;

  private:
    bool Compute();
    bool ChooseBase();
    int64_t ChooseBaseK(int64_t m, int64_t n) const;
    bool FillL1();
    void Fill(int64_t step_k, int64_t depth_a, int64_t depth_b);
};

class MatmulApiTiling : public MatmulApiTilingBase {
  public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
};

class MultiCoreMatmulTiling : public MatmulApiTilingBase {
  public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    int32_t SetDim(int32_t dim);
    virtual int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1);
    virtual int32_t SetSingleRange(int32_t max_m = -1, int32_t max_n = -1, int32_t max_k = -1, int32_t min_m = -1,
                                   int32_t min_n = -1, int32_t min_k = -1);
    int32_t SetAlignSplit(int32_t m, int32_t n, int32_t k);
    int32_t GetSingleShape(int32_t& m, int32_t& n, int32_t& k);
    int32_t GetCoreNum(int32_t& dim, int32_t& m_dim, int32_t& n_dim);
    void EnableMultiCoreSplitK(bool flag) { enableSplitK_ = flag; }
    void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }

  protected:
    bool Divide() override;

  private:
    bool Fits(int64_t m, int64_t n) const;

    int32_t dim_ = 1;
    int32_t m_dim_ = 1, n_dim_ = 1;
    int32_t given_m_ = -1, given_n_ = -1, given_k_ = -1;
    int32_t align_m_ = 1, align_n_ = 1, align_k_ = 1;
    Range core_m_, core_n_, core_k_;
};

class BatchMatmulTiling : public MatmulApiTilingBase {
  public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1) { return SetShape(m, n, k); }
    int32_t GetCoreNum(int32_t& dim, int32_t& m_dim, int32_t& n_dim, int32_t& batch_m, int32_t& batch_n);
};

}  // namespace matmul_tiling

// What a Matmul object with this tiling takes of each buffer.
extern "C" {
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size);
int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size);
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size);
int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size);
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size);
int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size);
}
