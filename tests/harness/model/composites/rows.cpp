// Reductions, running sums and softmax along the rows of a matrix.
#include "tile.h"

// n[0] rows, n[1] row pitch in elements, n[2] elements of a row that count, unless said otherwise.
// clang-format off: the runner finds entries by their line beginnings
extern "C" __global__ __aicore__ void sum_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<half> source = load<half>(x, 0, s.n[0] * s.n[1]), result = place<half>(1);
    Sum(result, source, place<uint8_t>(2), SumParams{s.n[0], s.n[1], s.n[2]});
    store(y, result, s.n[0]);
}
extern "C" __global__ __aicore__ void sum_float(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> source = load<float>(x, 0, s.n[0] * s.n[1]), result = place<float>(1);
    Sum(result, source, SumParams{s.n[0], s.n[1], s.n[2]});
    store(y, result, s.n[0]);
}
extern "C" __global__ __aicore__ void mean_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<half> source = load<half>(x, 0, s.n[0] * s.n[1]), result = place<half>(1);
    Mean<half, float>(result, source, place<uint8_t>(2), MeanParams{s.n[0], s.n[1], s.n[2]});
    store(y, result, s.n[0]);
}
// n[4]: 0 sum, 1 max, 2 min, 3 product, 6 mean.
template <typename pattern>
__aicore__ void reduce(const Shape& s, const LocalTensor<float>& result, const LocalTensor<float>& source) {
    const uint32_t shape[] = {s.n[0], s.n[1]};
    const LocalTensor<uint8_t> scratch = place<uint8_t>(2);
    if (s.n[4] == 0) ReduceSum<float, pattern>(result, source, scratch, shape, true);
    if (s.n[4] == 1) ReduceMax<float, pattern>(result, source, scratch, shape, true);
    if (s.n[4] == 2) ReduceMin<float, pattern>(result, source, shape, true);
    if (s.n[4] == 3) ReduceProd<float, pattern, true>(result, source, scratch, shape, true);
    if (s.n[4] == 6) ReduceMean<float, pattern>(result, source, shape, true);
}
extern "C" __global__ __aicore__ void reduce_columns(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> source = load<float>(x, 0, s.n[0] * s.n[1]), result = place<float>(1);
    reduce<Pattern::Reduce::AR>(s, result, source);
    store(y, result, s.n[0]);
}
extern "C" __global__ __aicore__ void reduce_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> source = load<float>(x, 0, s.n[0] * s.n[1]), result = place<float>(1);
    reduce<Pattern::Reduce::RA>(s, result, source);
    store(y, result, s.n[1]);
}
constexpr CumSumConfig kAlong{true, false, false};
constexpr CumSumConfig kDown{false, false, true};
extern "C" __global__ __aicore__ void running(GM_ADDR x, GM_ADDR y, GM_ADDR last, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> source = load<float>(x, 0, s.n[0] * s.n[1]), result = place<float>(1), row = place<float>(2);
    LocalTensor<uint8_t> scratch = place<uint8_t>(3);
    if (s.n[2]) {
        CumSum<float, kAlong>(result, row, source, scratch, CumSumInfo{s.n[0], s.n[1]});
    } else {
        CumSum<float, kDown>(result, row, source, CumSumInfo{s.n[0], s.n[1]});
        store(last, row, s.n[1]);
    }
    store(y, result, s.n[0] * s.n[1]);
}

struct Tiling {
    uint32_t srcM;
    uint32_t srcK;
};
extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, GM_ADDR sums, GM_ADDR maxima, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t all = s.n[0] * s.n[1];
    LocalTensor<float> source = load<float>(x, 0, all), result = place<float>(1);
    SoftMax<float>(result, place<float>(2), place<float>(3), source, place<uint8_t>(4), Tiling{s.n[0], s.n[1]},
                   SoftMaxShapeInfo{s.n[0], s.n[1], s.n[0], s.n[2]});
    store(y, result, all);
    store(sums, place<float>(2), s.n[0] * 8);
    store(maxima, place<float>(3), s.n[0] * 8);
}
extern "C" __global__ __aicore__ void softmax_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t all = s.n[0] * s.n[1];
    LocalTensor<half> source = load<half>(x, 0, all), result = place<half>(1);
    if (s.n[3]) {
        LogSoftMax<half>(result, place<half>(2), place<half>(3), source, place<uint8_t>(4), Tiling{s.n[0], s.n[1]});
    } else {
        SoftMax<half>(result, source, Tiling{s.n[0], s.n[1]});
    }
    store(y, result, all);
}
// Two tiles of one row block after another, as attention does; n[3] selects the first version.
extern "C" __global__ __aicore__ void flash(GM_ADDR x, GM_ADDR y, GM_ADDR sums, GM_ADDR factors, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t tile = s.n[0] * s.n[1];
    const SoftMaxShapeInfo shape{s.n[0], s.n[1], s.n[0], s.n[1]};
    const Tiling sizes{s.n[0], s.n[1]};
    LocalTensor<float> source = load<float>(x, 0, 2 * tile), result = place<float>(1);
    LocalTensor<float> sum = place<float>(2), maximum = place<float>(3), factor = place<float>(4);
    if (s.n[3]) {
        SoftmaxFlash<float>(result, sum, maximum, source, factor, sum, maximum, sizes, false, shape);
        SoftmaxFlash<float>(result[tile], sum, maximum, source[tile], factor, sum, maximum, place<uint8_t>(5), sizes, true, shape);
    } else {
        SoftmaxFlashV2<float, false>(result, sum, maximum, source, factor, sum, maximum, sizes, shape);
        SoftmaxFlashV2<float, true>(result[tile], sum, maximum, source[tile], factor, sum, maximum, place<uint8_t>(5), sizes, shape);
    }
    store(y, result, 2 * tile);
    store(sums, sum, s.n[0] * 8);
    store(factors, factor, s.n[0] * 8);
}
// The third version over two tiles of n[0] rows of n[1]; f[0] is alpha.
extern "C" __global__ __aicore__ void flash_shifted(GM_ADDR x, GM_ADDR y, GM_ADDR states, GM_ADDR factors, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t tile = s.n[0] * s.n[1], block = s.n[0] * 8;
    const Tiling sizes{s.n[0], s.n[1]};
    LocalTensor<half> source = load<half>(x, 0, 2 * tile), result = place<half>(1), factor = place<half>(2);
    LocalTensor<float> state = place<float>(3);
    LocalTensor<float> mean = state, sum = state[block], maximum = state[2 * block];
    SoftMaxParams params{s.n[0], s.n[1], s.n[0], s.n[1], 1, 8, s.f[0]};
    SoftmaxFlashV3<half, float>(result, mean, sum, maximum, source, factor, mean, sum, maximum, sizes, params);
    params.loopCnt = 2;
    SoftmaxFlashV3<half, float, true>(result[tile], mean, sum, maximum, source[tile], factor, mean, sum, maximum,
                                      place<uint8_t>(4), sizes, params);
    store(y, result, 2 * tile);
    store(states, state, 3 * block);
    store(factors, factor, s.n[0] * 16);
}
extern "C" __global__ __aicore__ void softmax_grad(GM_ADDR g, GM_ADDR x, GM_ADDR y, GM_ADDR front, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t all = s.n[0] * s.n[1];
    LocalTensor<float> grad = load<float>(g, 0, all), source = load<float>(x, 1, all);
    SoftmaxGrad<float>(place<float>(2), grad, source, place<uint8_t>(4), Tiling{s.n[0], s.n[1]});
    SoftmaxGradFront<float>(place<float>(3), grad, source, Tiling{s.n[0], s.n[1]});
    store(y, place<float>(2), all);
    store(front, place<float>(3), s.n[0] * 8);
}
// Rows whose maximum is the float f[0] become f[1].
extern "C" __global__ __aicore__ void adjust(GM_ADDR x, GM_ADDR m, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> source = load<float>(x, 0, s.n[0] * s.n[1]), maxima = load<float>(m, 1, s.n[0] * 8);
    uint32_t bits;
    __builtin_memcpy(&bits, &s.f[0], 4);
    const bool found = AdjustSoftMaxRes<float, float>(source, maxima, bits, s.f[1],
                                                      SoftMaxShapeInfo{s.n[0], s.n[1], s.n[0], s.n[1]});
    if (!found) return;
    store(y, source, s.n[0] * s.n[1]);
}
