// One core's tiling: the block of one matrix multiplication, and how many of them L1 holds.
#include "asc_host/matmul_tiling.h"

#include <algorithm>

#include "asc_host/log.h"

namespace matmul_tiling {

namespace {

constexpr int64_t kFractal = 16;      // rows and columns of a block are multiples of this
constexpr int64_t kC0Bytes = 32;      // one row of a fractal
constexpr int64_t kBiasTable = 1024;  // bytes of the bias table of the cube unit
constexpr int64_t kResultBytes = 4;   // L0C holds float or int32
constexpr int64_t kMaxBase = 1024;

int64_t Up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
int64_t Ceil(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }

int64_t Bits(DataType type) {
    switch (type) {
        case DataType::DT_FLOAT:
        case DataType::DT_INT32:
        case DataType::DT_UINT32:
            return 32;
        case DataType::DT_INT64:
        case DataType::DT_UINT64:
        case DataType::DT_DOUBLE:
            return 64;
        case DataType::DT_INT4:
        case DataType::DT_FLOAT4_E2M1:
        case DataType::DT_FLOAT4_E1M2:
            return 4;
        case DataType::DT_INT8:
        case DataType::DT_UINT8:
        case DataType::DT_BOOL:
        case DataType::DT_HIFLOAT8:
        case DataType::DT_FLOAT8_E4M3FN:
        case DataType::DT_FLOAT8_E5M2:
        case DataType::DT_FLOAT8_E8M0:
            return 8;
        default:
            return 16;
    }
}

int64_t Bytes(int64_t elements, DataType type) { return Ceil(elements * Bits(type), 8); }

// Elements along K that belong together: a fractal's row of the wider of both types, at least a fractal.
int64_t UnitK(DataType a, DataType b) { return std::max({kFractal, kC0Bytes * 8 / Bits(a), kC0Bytes * 8 / Bits(b)}); }

// Chips whose cube results reach global memory through the unified buffer, which holds a block while it is converted.
bool ThroughUb(platform_ascendc::SocVersion soc) {
    using platform_ascendc::SocVersion;
    return soc == SocVersion::ASCEND910 || soc == SocVersion::ASCEND310P || soc == SocVersion::ASCEND310B;
}

bool Converted(const MatTilingType& matrix) { return matrix.pos == TPosition::GM && matrix.type == CubeFormat::ND; }

}  // namespace

bool MatmulApiTilingBase::Divide() {
    singleCoreM = singleM > 0 ? singleM : orgM;
    singleCoreN = singleN > 0 ? singleN : orgN;
    singleCoreK = singleK > 0 ? singleK : orgKa;
    blockDim = 1;
    return singleCoreM > 0 && singleCoreN > 0 && singleCoreK > 0;
}

// The longest part of K that both L0 buffers hold twice, or at least once; 0 when there is none.
int64_t MatmulApiTilingBase::ChooseBaseK(int64_t m, int64_t n) const {
    const int64_t unit = UnitK(aType_.dataType, bType_.dataType);
    for (const int64_t buffers : {2, 1}) {
        const int64_t a = static_cast<int64_t>(chip_.l0ASize) * 8 / (buffers * m * Bits(aType_.dataType));
        const int64_t b = static_cast<int64_t>(chip_.l0BSize) * 8 / (buffers * n * Bits(bType_.dataType));
        const int64_t k = std::min(a, b) / unit * unit;
        const int64_t longest = range_k_.high > 0 ? std::max<int64_t>(range_k_.high / unit * unit, unit) : k;
        if (fixed_k_ > 0 && fixed_k_ <= k) return fixed_k_;
        if (fixed_k_ <= 0 && k >= unit) return std::min({k, longest, Up(singleCoreK, unit)});
    }
    return 0;
}

// The block that keeps the cube busiest: few bytes into L0, and few products of padding, over one core's share.
bool MatmulApiTilingBase::ChooseBase() {
    const bool through_ub = ThroughUb(socVersion);
    const int64_t last_m = std::min(Up(singleCoreM, kFractal), kMaxBase);
    const int64_t last_n = std::min(Up(singleCoreN, kFractal), kMaxBase);
    double best = 0;
    baseM = baseN = baseK = 0;
    for (int64_t m = fixed_m_ > 0 ? fixed_m_ : kFractal; m <= (fixed_m_ > 0 ? fixed_m_ : last_m); m += kFractal) {
        if (fixed_m_ <= 0 && range_m_.high > 0 && m > range_m_.high && m > kFractal) break;
        for (int64_t n = fixed_n_ > 0 ? fixed_n_ : kFractal; n <= (fixed_n_ > 0 ? fixed_n_ : last_n); n += kFractal) {
            if (fixed_n_ <= 0 && range_n_.high > 0 && n > range_n_.high && n > kFractal) break;
            if (m * n * kResultBytes > l0c_ || (isBias && n * kResultBytes > bias_table_)) break;
            if (through_ub && Bytes(m * n, cType_.dataType) > ub_) break;
            const int64_t k = ChooseBaseK(m, n);
            if (k == 0) break;
            const double blocks = static_cast<double>(Ceil(singleCoreM, m) * Ceil(singleCoreN, n));
            const double moved = blocks * static_cast<double>(Bytes(m, aType_.dataType) + Bytes(n, bType_.dataType));
            // Each step along K costs a little by itself; a product of two fractals as much as 512 bytes moved.
            const double cost = moved * (1 + 16.0 / static_cast<double>(k)) + blocks * static_cast<double>(m * n) / 8;
            if (best > 0 && (cost > best || (cost == best && n < baseN))) continue;
            best = cost;
            baseM = static_cast<int32_t>(m);
            baseN = static_cast<int32_t>(n);
            baseK = static_cast<int32_t>(k);
        }
    }
    return baseK > 0;
}

// Both matrices get the same number of blocks along K, as many as fit, twice when there is more to load than that.
bool MatmulApiTilingBase::FillL1() {
    const int64_t a = Bytes(static_cast<int64_t>(baseM) * baseK, aType_.dataType);
    const int64_t b = Bytes(static_cast<int64_t>(baseN) * baseK, bType_.dataType);
    const int64_t room = l1_ - (isBias ? baseN * kResultBytes : 0);
    const int64_t blocks = Ceil(singleCoreK, baseK);
    const bool once = Ceil(singleCoreM, baseM) == 1 && Ceil(singleCoreN, baseN) == 1;
    if (once && (a + b) * blocks <= room) {
        Fill(blocks, blocks, blocks);
        return true;
    }
    const int64_t buffers = 2 * (a + b) <= room ? 2 : 1;
    int64_t step = std::min(room / (buffers * (a + b)), blocks);
    if (step < 1) return false;
    step = Ceil(blocks, Ceil(blocks, step));  // as many rounds, but even ones
    Fill(step, step * buffers, step * buffers);
    return true;
}

void MatmulApiTilingBase::Fill(int64_t step_k, int64_t depth_a, int64_t depth_b) {
    const auto number = [](int64_t value) { return static_cast<int32_t>(value); };
    const int64_t a = Bytes(static_cast<int64_t>(baseM) * baseK, aType_.dataType);
    const int64_t b = Bytes(static_cast<int64_t>(baseN) * baseK, bType_.dataType);
    const int64_t result = static_cast<int64_t>(baseM) * baseN * kResultBytes;
    const bool several = Ceil(singleCoreM, baseM) * Ceil(singleCoreN, baseN) > 1;
    tiling_.set_stepM(1);
    tiling_.set_stepN(1);
    tiling_.set_stepKa(number(step_k));
    tiling_.set_stepKb(number(step_k));
    tiling_.set_depthA1(number(depth_a));
    tiling_.set_depthB1(number(depth_b));
    tiling_.set_dbL0A(2 * a <= static_cast<int64_t>(chip_.l0ASize) ? 2 : 1);
    tiling_.set_dbL0B(2 * b <= static_cast<int64_t>(chip_.l0BSize) ? 2 : 1);
    tiling_.set_dbL0C(several && 2 * result <= l0c_ ? 2 : 1);
    tiling_.set_shareL1Size(number(a * depth_a + b * depth_b + (isBias ? baseN * kResultBytes : 0)));
    tiling_.set_shareL0CSize(number(result * tiling_.get_dbL0C()));
    int64_t converted = 0;
    if (ThroughUb(socVersion)) {
        if (Converted(aType_)) converted = std::max(converted, a);
        if (Converted(bType_)) converted = std::max(converted, b);
        converted = std::max(converted, Bytes(static_cast<int64_t>(baseM) * baseN, cType_.dataType));
    }
    tiling_.set_transLength(number(converted));
    tiling_.set_shareUbSize(number(converted));
}

bool MatmulApiTilingBase::Compute() {
    if (l1_ < 0) l1_ = static_cast<int64_t>(chip_.l1Size);
    if (l0c_ < 0) l0c_ = static_cast<int64_t>(chip_.l0CSize);
    if (ub_ < 0) ub_ = static_cast<int64_t>(chip_.ubSize);
    if (bias_table_ < 0) bias_table_ = kBiasTable;
    if (!Divide() || !ChooseBase() || !FillL1()) return false;
    tiling_.set_usedCoreNum(blockDim);
    tiling_.set_M(orgM > 0 ? orgM : singleM);
    tiling_.set_N(orgN > 0 ? orgN : singleN);
    tiling_.set_Ka(orgKa > 0 ? orgKa : singleK);
    tiling_.set_Kb(orgKb > 0 ? orgKb : singleK);
    tiling_.set_singleCoreM(singleCoreM);
    tiling_.set_singleCoreN(singleCoreN);
    tiling_.set_singleCoreK(singleCoreK);
    tiling_.set_baseM(baseM);
    tiling_.set_baseN(baseN);
    tiling_.set_baseK(baseK);
    tiling_.set_isBias(isBias ? 1 : 0);
    tiling_.set_iterateOrder(traverse_ == MatrixTraverse::FIRSTN ? 1 : 0);
    tiling_.set_batchM(1);
    tiling_.set_batchN(1);
    tiling_.set_singleBatchM(1);
    tiling_.set_singleBatchN(1);
    tiling_.set_BatchNum(batchNum);
    tiling_.set_ALayoutInfoB(layout_a_.b);
    tiling_.set_ALayoutInfoS(layout_a_.s);
    tiling_.set_ALayoutInfoN(layout_a_.n);
    tiling_.set_ALayoutInfoG(layout_a_.g);
    tiling_.set_ALayoutInfoD(layout_a_.d);
    tiling_.set_BLayoutInfoB(layout_b_.b);
    tiling_.set_BLayoutInfoS(layout_b_.s);
    tiling_.set_BLayoutInfoN(layout_b_.n);
    tiling_.set_BLayoutInfoG(layout_b_.g);
    tiling_.set_BLayoutInfoD(layout_b_.d);
    tiling_.set_CLayoutInfoB(layout_c_.b);
    tiling_.set_CLayoutInfoS1(layout_c_.s);
    tiling_.set_CLayoutInfoN(layout_c_.n);
    tiling_.set_CLayoutInfoG(layout_c_.g);
    tiling_.set_CLayoutInfoS2(layout_c_.d);
    return true;
}

int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
    if (!Compute()) {
        ascendopt::host::LogLine('W', "MatmulApi Tiling", "no legal tiling for M %d, N %d, K %d, baseM %d, baseN %d",
                                 singleM, singleN, singleK, fixed_m_, fixed_n_);
        return -1;
    }
    tiling = tiling_;
    return 0;
}

int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& tiling) {
    if (GetTiling(tiling_) != 0) return -1;
#define ASC_HOST_COPY(type, name) tiling.name = tiling_.get_##name();
    ASC_FIELDS_TCubeTiling(ASC_HOST_COPY)
#undef ASC_HOST_COPY
        return 0;
}

}  // namespace matmul_tiling
