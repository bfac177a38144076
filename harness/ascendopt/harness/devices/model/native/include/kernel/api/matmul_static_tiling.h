// Tilings that are known when a kernel is compiled (GetMatmulApiTiling, MatmulApiStaticTiling in the documentation).
#pragma once
#include "../../../abi/matmul.h"
#include "matmul_config.h"

// What a static tiling does not know is negative, and comes from the tiling that the object is registered with.
struct MatmulApiStaticTiling {
    int32_t usedCoreNum = -1;
    int32_t M = -1, N = -1, Ka = -1, Kb = -1;
    int32_t singleCoreM = -1, singleCoreN = -1, singleCoreK = -1;
    int32_t baseM = -1, baseN = -1, baseK = -1;
    int32_t depthA1 = -1, depthB1 = -1;
    int32_t stepM = -1, stepN = -1, stepKa = -1, stepKb = -1;
    int32_t isBias = -1, transLength = -1, iterateOrder = -1;
    int32_t dbL0A = -1, dbL0B = -1, dbL0C = -1;
    int32_t shareMode = -1, shareL1Size = -1, shareL0CSize = -1, shareUbSize = -1;
    int32_t batchM = -1, batchN = -1, singleBatchM = -1, singleBatchN = -1;
    MatmulConfig cfg{};
};

namespace AscendC {

using ::MatmulApiStaticTiling;

namespace asc {

constexpr int32_t kL0cBytes = 128 * 1024;

template <typename T>
constexpr int32_t bits_of = std::is_same_v<T, int4b_t> ? 4 : 8 * static_cast<int32_t>(sizeof(T));

constexpr int32_t ceil_of(int32_t value, int32_t unit) { return (value + unit - 1) / unit; }

// What L1 holds, as the host's tiling function chooses it: as many blocks along K as fit, twice where more is loaded.
constexpr void fill_l1(MatmulApiStaticTiling& tiling, int32_t a_bits, int32_t b_bits, int32_t room) {
    const int32_t a = tiling.baseM * tiling.baseK * a_bits / 8, b = tiling.baseN * tiling.baseK * b_bits / 8;
    const int32_t blocks = ceil_of(tiling.singleCoreK, tiling.baseK);
    const bool once = tiling.singleCoreM <= tiling.baseM && tiling.singleCoreN <= tiling.baseN;
    const bool whole = once && int64_t{a + b} * blocks <= room;
    const int32_t buffers = !whole && 2 * (a + b) <= room ? 2 : 1;
    int32_t step = whole ? blocks : room / (buffers * (a + b));
    if (step > blocks) step = blocks;
    if (step < 1) step = 1;
    step = ceil_of(blocks, ceil_of(blocks, step));
    tiling.stepM = tiling.stepN = 1;
    tiling.stepKa = tiling.stepKb = step;
    tiling.depthA1 = tiling.depthB1 = step * buffers;
}

constexpr const MatmulConfig& config_of(const MatmulConfig& config) { return config; }
constexpr const MatmulConfig& config_of(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }

// The fields that a tiling of either kind knows.
template <typename Tiling>
ASC_INLINE void take_known(AscMatmul& to, const Tiling& from) {
    const auto take = [](int32_t& field, int32_t value) {
        if (value >= 0) field = value;
    };
    take(to.m, from.M);
    take(to.n, from.N);
    take(to.ka, from.Ka);
    take(to.kb, from.Kb);
    take(to.single_m, from.singleCoreM);
    take(to.single_n, from.singleCoreN);
    take(to.single_k, from.singleCoreK);
    take(to.base_m, from.baseM);
    take(to.base_n, from.baseN);
    take(to.base_k, from.baseK);
    take(to.step_m, from.stepM);
    take(to.step_n, from.stepN);
    take(to.step_ka, from.stepKa);
    take(to.step_kb, from.stepKb);
    take(to.depth_a, from.depthA1);
    take(to.depth_b, from.depthB1);
    take(to.db_l0c, from.dbL0C);
    if (from.iterateOrder >= 0) to.rows_first = from.iterateOrder == 0;
    if (from.isBias >= 0) to.has_bias = from.isBias != 0;
}
ASC_INLINE void take_static(AscMatmul&, const MatmulConfig&) {}
ASC_INLINE void take_static(AscMatmul& to, const MatmulApiStaticTiling& from) { take_known(to, from); }

// Without a tiling at run time the matrices are those of one core until SetOrgShape, and a bias counts when it is set.
ASC_INLINE void without_tiling(AscMatmul& to) {
    if (to.m == 0) {
        to.m = to.single_m;
        to.n = to.single_n;
        to.ka = to.kb = to.single_k;
    }
    to.has_bias = 1;
}

}  // namespace asc

// With blocks alone what L1 holds is left to the tiling at run time; `l1_size`: bytes of L1 that the product may use.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& config, int32_t l1_size = 512 * 1024) {
    MatmulApiStaticTiling out{};
    out.cfg = config;
    if (config.basicM == 0) return out;
    out.baseM = static_cast<int32_t>(config.basicM);
    out.baseN = static_cast<int32_t>(config.basicN);
    out.baseK = static_cast<int32_t>(config.basicK);
    if (config.singleCoreM == 0) return out;
    out.singleCoreM = static_cast<int32_t>(config.singleCoreM);
    out.singleCoreN = static_cast<int32_t>(config.singleCoreN);
    out.singleCoreK = static_cast<int32_t>(config.singleCoreK);
    asc::fill_l1(out, asc::bits_of<typename A_TYPE::T>, asc::bits_of<typename B_TYPE::T>, l1_size);
    out.dbL0C = 2 * 4 * out.baseM * out.baseN <= asc::kL0cBytes ? 2 : 1;
    return out;
}

}  // namespace AscendC
