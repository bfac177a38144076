// What the Matmul tiling classes are told, and how several cores share a multiplication.
#include <algorithm>
#include <tuple>

#include "asc_host/matmul_tiling.h"

namespace matmul_tiling {

static PlatformInfo Describe(const platform_ascendc::PlatformAscendC& platform) {
    using platform_ascendc::CoreMemType;
    PlatformInfo chip;
    chip.socVersion = platform.GetSocVersion();
    platform.GetCoreMemSize(CoreMemType::L1, chip.l1Size);
    platform.GetCoreMemSize(CoreMemType::L0_C, chip.l0CSize);
    platform.GetCoreMemSize(CoreMemType::UB, chip.ubSize);
    platform.GetCoreMemSize(CoreMemType::L0_A, chip.l0ASize);
    platform.GetCoreMemSize(CoreMemType::L0_B, chip.l0BSize);
    return chip;
}

MatmulApiTilingBase::MatmulApiTilingBase()
    : MatmulApiTilingBase(*platform_ascendc::PlatformAscendCManager::GetInstance()) {}
MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform)
    : MatmulApiTilingBase(Describe(platform)) {}
MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform)
    : socVersion(platform.socVersion), chip_(platform) {}

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat format, DataType type, bool transposed) {
    aType_ = {pos, format, type, transposed};
    return 0;
}
int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat format, DataType type, bool transposed) {
    bType_ = {pos, format, type, transposed};
    return 0;
}
int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat format, DataType type) {
    cType_ = {pos, format, type, false};
    return 0;
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat format, DataType type) {
    biasType_ = {pos, format, type, false};
    return 0;
}
int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
    singleM = m;
    singleN = n;
    singleK = k;
    return 0;
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb) {
    orgM = m;
    orgN = n;
    orgKa = ka;
    orgKb = kb;
    return 0;
}
int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    layout_a_ = {b, s, n, g, d};
    return 0;
}
int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    layout_b_ = {b, s, n, g, d};
    return 0;
}
int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s1, int32_t n, int32_t g, int32_t s2) {
    layout_c_ = {b, s1, n, g, s2};
    return 0;
}
int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batch_a, int32_t batch_b, int32_t m, int32_t n, int32_t k) {
    layout_a_ = {batch_a, m, 1, 1, k};
    layout_b_ = {batch_b, n, 1, 1, k};
    layout_c_ = {std::max(batch_a, batch_b), m, 1, 1, n};
    return 0;
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
    batchNum = batch;
    return 0;
}
int32_t MatmulApiTilingBase::EnableBias(bool bias) {
    isBias = bias;
    return 0;
}
int32_t MatmulApiTilingBase::SetFixSplit(int32_t base_m, int32_t base_n, int32_t base_k) {
    std::tie(fixed_m_, fixed_n_, fixed_k_) = std::make_tuple(base_m, base_n, base_k);
    return 0;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1, int32_t l0c, int32_t ub, int32_t bias_table) {
    std::tie(l1_, l0c_, ub_, bias_table_) = std::make_tuple(l1, l0c, ub, bias_table);
    return 0;
}
int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse order) {
    traverse_ = order;
    return 0;
}
int32_t MatmulApiTilingBase::SetSplitRange(int32_t max_m, int32_t max_n, int32_t max_k, int32_t min_m, int32_t min_n,
                                           int32_t min_k) {
    range_m_ = {min_m, max_m};
    range_n_ = {min_n, max_n};
    range_k_ = {min_k, max_k};
    return 0;
}
void MatmulApiTilingBase::SetMatmulConfigParams(int32_t type, bool cache_ub, ScheduleType schedule,
                                                MatrixTraverse order, bool vector_nd2nz) {
    SetMatmulConfigParams(MatmulConfigParams(type, cache_ub, schedule, order, vector_nd2nz));
}
void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& config) {
    mmConfigType = config.mmConfigType;
    if (config.traverse != MatrixTraverse::NOSET) traverse_ = config.traverse;
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
    dim_ = dim;
    return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t m, int32_t n, int32_t k) {
    std::tie(given_m_, given_n_, given_k_) = std::make_tuple(m, n, k);
    return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t max_m, int32_t max_n, int32_t max_k, int32_t min_m, int32_t min_n,
                                              int32_t min_k) {
    core_m_ = {min_m, max_m};
    core_n_ = {min_n, max_n};
    core_k_ = {min_k, max_k};
    return 0;
}
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t m, int32_t n, int32_t k) {
    align_m_ = std::max(m, 1);
    align_n_ = std::max(n, 1);
    align_k_ = std::max(k, 1);
    return 0;
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& m, int32_t& n, int32_t& k) {
    m = singleCoreM;
    n = singleCoreN;
    k = singleCoreK;
    return 0;
}
int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& m_dim, int32_t& n_dim) {
    dim = blockDim;
    m_dim = m_dim_;
    n_dim = n_dim_;
    return 0;
}

static int64_t Ceil(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }

// One core's share of `total` when `cores` share it; a multiple of `unit`, but never more than there is.
static int64_t Share(int64_t total, int64_t cores, int64_t unit) {
    return std::min(Ceil(Ceil(total, cores), unit) * unit, total);
}

bool MultiCoreMatmulTiling::Fits(int64_t m, int64_t n) const {
    const auto inside = [](const Range& range, int64_t value) {
        return (range.low <= 0 || value >= range.low) && (range.high <= 0 || value <= range.high);
    };
    return inside(core_m_, m) && inside(core_n_, n);
}

// Cores get rectangles of the result. The best division keeps the cube of the slowest core shortest, then its loads.
bool MultiCoreMatmulTiling::Divide() {
    constexpr int64_t kFractal = 16;
    const int64_t m = singleM > 0 ? singleM : orgM;
    const int64_t n = singleN > 0 ? singleN : orgN;
    const int64_t k = singleK > 0 ? singleK : orgKa;
    if (m <= 0 || n <= 0 || k <= 0 || dim_ <= 0) return false;
    // A matrix that the kernel keeps in L1 itself is there whole.
    const int64_t most_rows = aType_.pos == TPosition::TSCM ? 1 : dim_;
    const int64_t most_columns = bType_.pos == TPosition::TSCM ? 1 : dim_;
    int64_t best = 0, best_steps = 0;
    for (int64_t rows = 1; rows <= most_rows; ++rows) {
        for (int64_t columns = 1; columns <= most_columns && rows * columns <= dim_; ++columns) {
            const int64_t core_m = given_m_ > 0 ? given_m_ : Share(m, rows, std::max<int64_t>(align_m_, kFractal));
            const int64_t core_n = given_n_ > 0 ? given_n_ : Share(n, columns, std::max<int64_t>(align_n_, kFractal));
            if (Ceil(m, core_m) * Ceil(n, core_n) > dim_ || !Fits(core_m, core_n)) continue;
            const int64_t cube = Ceil(core_m, kFractal) * Ceil(core_n, kFractal);
            // A fixed block loads one matrix again for each of its steps along the other.
            const int64_t steps_m = fixed_m_ > 0 ? Ceil(core_m, fixed_m_) : 1;
            const int64_t steps_n = fixed_n_ > 0 ? Ceil(core_n, fixed_n_) : 1;
            const int64_t cost = cube * kFractal * kFractal / 8 + (core_m * steps_n + core_n * steps_m) * 4;
            // Of equals fewer steps along N, then more parts along M: published samples count on both.
            if (best > 0 && (cost > best || (cost == best && steps_n > best_steps))) continue;
            best = cost;
            best_steps = steps_n;
            singleCoreM = static_cast<int32_t>(core_m);
            singleCoreN = static_cast<int32_t>(core_n);
        }
    }
    if (best == 0) return false;
    m_dim_ = static_cast<int32_t>(Ceil(m, singleCoreM));
    n_dim_ = static_cast<int32_t>(Ceil(n, singleCoreN));
    const int64_t left = enableSplitK_ ? dim_ / (m_dim_ * n_dim_) : 1;
    singleCoreK = static_cast<int32_t>(given_k_ > 0 ? given_k_ : Share(k, left, std::max<int64_t>(align_k_, 64)));
    if (core_k_.high > 0 && singleCoreK > core_k_.high) return false;
    blockDim = m_dim_ * n_dim_ * static_cast<int32_t>(enableSplitK_ ? Ceil(k, singleCoreK) : 1);
    return true;
}

int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& m_dim, int32_t& n_dim, int32_t& batch_m,
                                      int32_t& batch_n) {
    dim = m_dim = n_dim = batch_m = batch_n = 1;
    return 0;
}

}  // namespace matmul_tiling

template <class Share>
static int32_t Report(matmul_tiling::SysTilingTempBufSize& size, Share ub, Share l1, Share l0c) {
    size.ubSize = ub;
    size.l1Size = l1;
    size.l0cSize = l0c;
    return 0;
}

int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size) {
    return Report(size, tiling.get_shareUbSize(), tiling.get_shareL1Size(), tiling.get_shareL0CSize());
}
int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size) {
    return Report(size, tiling.shareUbSize, tiling.shareL1Size, tiling.shareL0CSize);
}
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size) {
    return MatmulGetTmpBufSize(tiling, size);
}
int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& size) {
    return MatmulGetTmpBufSizeV2(tiling, size);
}
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size) {
    return MatmulGetTmpBufSize(tiling, size);
}
int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& size) {
    return MatmulGetTmpBufSizeV2(tiling, size);
}
