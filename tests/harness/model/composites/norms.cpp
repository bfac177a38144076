// Normalisations.
#include "tile.h"

struct Rows {
    uint32_t bLength, sLength, hLength, originalHLength, originalBLength, meanVarSize;
};
__aicore__ inline Rows rows(const Shape& s) {
    return {s.n[0], s.n[1], s.n[2], s.n[3], s.n[0], s.n[2]};
}

// n: b, s, h, original h; f: epsilon, alpha.
// clang-format off: the runner finds entries by their line beginnings
extern "C" __global__ __aicore__ void layer_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR spread, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    Rows shape = rows(s);
    const uint32_t m = s.n[0] * s.n[1], all = m * s.n[2];
    LocalTensor<half> source = load<half>(x, 0, all), g = load<half>(gamma, 1, s.n[2]), b = load<half>(beta, 2, s.n[2]);
    LayerNorm(place<half>(3), place<half>(4), place<half>(5), source, g, b, place<uint8_t>(6), half(s.f[0]), shape);
    store(y, place<half>(3), all);
    store(mean, place<half>(4), m);
    store(spread, place<half>(5), m);
}
constexpr LayerNormConfig kNoBeta{true, false, false, true};
extern "C" __global__ __aicore__ void layer_norm_rows(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR mean, GM_ADDR rstd, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t m = s.n[0] * s.n[1], all = m * s.n[2];
    LocalTensor<float> source = load<float>(x, 0, all), g = load<float>(gamma, 1, s.n[2]);
    LayerNorm<float, float, false, kNoBeta>(place<float>(3), place<float>(4), place<float>(5), source, g, g, s.f[0],
                                            LayerNormPara{m, s.n[3], s.n[2]}, rows(s));
    store(y, place<float>(3), all);
    store(mean, place<float>(4), m);
    store(rstd, place<float>(5), m);
}
extern "C" __global__ __aicore__ void deep_norm(GM_ADDR x, GM_ADDR gx, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR rstd, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    Rows shape = rows(s);
    const uint32_t m = s.n[0] * s.n[1], all = m * s.n[2];
    LocalTensor<float> source = load<float>(x, 0, all), other = load<float>(gx, 1, all);
    LocalTensor<float> g = load<float>(gamma, 2, s.n[2]), b = load<float>(beta, 3, s.n[2]);
    DeepNorm(place<float>(4), place<float>(5), place<float>(6), source, other, b, g, s.f[1], s.f[0], shape);
    store(y, place<float>(4), all);
    store(rstd, place<float>(6), m);
}
extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t all = s.n[0] * s.n[1] * s.n[2];
    LocalTensor<float> source = load<float>(x, 0, all), g = load<float>(gamma, 1, s.n[2]);
    RmsNorm(place<float>(2), source, g, place<uint8_t>(3), s.f[0], rows(s));
    store(y, place<float>(2), all);
}
extern "C" __global__ __aicore__ void batch_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR variance, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    Rows shape = rows(s);
    const uint32_t all = s.n[0] * s.n[2];
    LocalTensor<float> source = load<float>(x, 0, all), g = load<float>(gamma, 1, s.n[0]), b = load<float>(beta, 2, s.n[0]);
    BatchNorm(place<float>(3), place<float>(4), place<float>(5), source, g, b, s.f[0], shape);
    store(y, place<float>(3), all);
    store(mean, place<float>(4), s.n[2]);
    store(variance, place<float>(5), s.n[2]);
}
// x, dy, gamma, mean and variance of x: dx; dgamma and dbeta follow.
extern "C" __global__ __aicore__ void norm_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR gamma, GM_ADDR mean, GM_ADDR variance, GM_ADDR dx, GM_ADDR dgamma, GM_ADDR dbeta, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    Rows shape = rows(s);
    const uint32_t m = s.n[0] * s.n[1], all = m * s.n[2];
    LocalTensor<float> d = load<float>(dy, 0, all), source = load<float>(x, 1, all), g = load<float>(gamma, 2, s.n[2]);
    LocalTensor<float> mu = load<float>(mean, 3, m), var = load<float>(variance, 4, m);
    LayerNormGrad(place<float>(5), place<float>(6), d, source, var, mu, g, s.f[0], shape);
    LayerNormGradBeta(place<float>(7), place<float>(8), place<float>(6), d, shape);
    store(dx, place<float>(5), all);
    store(dgamma, place<float>(7), s.n[2]);
    store(dbeta, place<float>(8), s.n[2]);
}
// n: elements, elements that count; f: 1 / samples.
extern "C" __global__ __aicore__ void welford(GM_ADDR x, GM_ADDR mean, GM_ADDR variance, GM_ADDR newMean, GM_ADDR newVariance, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<half> source = load<half>(x, 0, s.n[0]);
    LocalTensor<float> mu = load<float>(mean, 1, s.n[0]), var = load<float>(variance, 2, s.n[0]);
    WelfordUpdate<half, float>(mu, var, mu, var, source, place<uint8_t>(3), WelfordUpdateParam{1, s.n[0], s.n[1], s.f[0]});
    store(newMean, mu, s.n[0]);
    store(newVariance, var, s.n[0]);
}
// n: parts, samples of a part, parts before the tail, samples of a tail part; n[4] 1: counts are given. f: 1 / samples.
extern "C" __global__ __aicore__ void finalised(GM_ADDR means, GM_ADDR sums, GM_ADDR counts, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> mu = load<float>(means, 0, s.n[0]), var = load<float>(sums, 1, s.n[0]);
    LocalTensor<int32_t> number = load<int32_t>(counts, 2, s.n[0]);
    WelfordFinalizePara para{s.n[1], s.n[0], s.n[1], s.n[2], s.n[3], s.n[0] - s.n[2], 1.0f / s.n[0], s.f[0]};
    if (s.n[4]) {
        WelfordFinalize(place<float>(3), place<float>(4), mu, var, number, place<uint8_t>(5), para);
    } else {
        WelfordFinalize(place<float>(3), place<float>(4), mu, var, para);
    }
    store(y, place<float>(3), 1);
    store(z, place<float>(4), 1);
}
extern "C" __global__ __aicore__ void moments_given(GM_ADDR x, GM_ADDR mean, GM_ADDR variance, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR rstd, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t m = s.n[0] * s.n[1], all = m * s.n[2];
    LocalTensor<float> source = load<float>(x, 0, all), mu = load<float>(mean, 1, m), var = load<float>(variance, 2, m);
    LocalTensor<float> g = load<float>(gamma, 3, s.n[2]), b = load<float>(beta, 4, s.n[2]);
    Normalize<float, float>(place<float>(5), place<float>(6), mu, var, source, g, b, place<uint8_t>(7), s.f[0],
                            NormalizePara{m, s.n[3], s.n[2]});
    store(y, place<float>(5), all);
    store(rstd, place<float>(6), m);
}
