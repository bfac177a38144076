// Changes of layout, sorting, selection by bytes, quantisation.
#include "tile.h"

// clang-format off: the runner finds entries by their line beginnings
extern "C" __global__ __aicore__ void square(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<half> source = load<half>(x, 0, 256), result = place<half>(1);
    Transpose(result, source);
    store(y, result, 256);
}
// n: batch, channels, height, width, direction.
extern "C" __global__ __aicore__ void channels(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t all = s.n[0] * s.n[1] * s.n[2] * s.n[3];
    LocalTensor<float> source = load<float>(x, 0, all), result = place<float>(1);
    const TransposeType type = s.n[4] ? TransposeType::TRANSPOSE_NHWC2NCHW : TransposeType::TRANSPOSE_NCHW2NHWC;
    Transpose(result, source, place<uint8_t>(2), TransposeParamsExt(s.n[0], s.n[1], s.n[2], s.n[3], type));
    store(y, result, all);
}
// Four axes in n, then the kind, elements read and written.
struct Axes {
    uint32_t param0, param1, param2, param3;
};
template <typename T>
__aicore__ void exchange_axes(GM_ADDR x, GM_ADDR y, const Shape& s) {
    Axes axes{s.n[0], s.n[1], s.n[2], s.n[3]};
    LocalTensor<T> source = load<T>(x, 0, s.n[5]), result = place<T>(1);
    Duplicate(result, T(0), int32_t(s.n[6]));
    PipeBarrier<PIPE_V>();
    if (s.n[7]) {
        ConfusionTranspose(result, source, static_cast<TransposeType>(s.n[4]), axes);
    } else {
        Transpose(result, source, place<uint8_t>(2), static_cast<TransposeType>(s.n[4]), axes);
    }
    store(y, result, s.n[6]);
}
extern "C" __global__ __aicore__ void axes_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    exchange_axes<half>(x, y, s);
}
extern "C" __global__ __aicore__ void axes_float(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    exchange_axes<float>(x, y, s);
}
// Sixteen rows of n[0] blocks to sixteen blocks a repeat: n[1] repeats; n[2] bit 0 dst high, bit 1 src high.
template <typename T>
__aicore__ void exchange(GM_ADDR x, GM_ADDR y, const Shape& s, uint32_t form) {
    const uint32_t unit = 32 / sizeof(T), width = s.n[0] * unit, all = 16 * width;
    LocalTensor<T> source = load<T>(x, 0, all), result = place<T>(1);
    Duplicate(result.template ReinterpretCast<int16_t>(), int16_t(0), int32_t(all * sizeof(T) / 2));
    PipeBarrier<PIPE_V>();
    TransDataTo5HDParams params(s.n[2] & 1, s.n[2] & 2, s.n[1], s.n[1] > 1 ? 16 : 0, s.n[1] > 1 ? 1 : 0);
    LocalTensor<T> from[16], to[16];
    uint64_t from_address[16], to_address[16];
    for (uint32_t i = 0; i < 16; ++i) {
        from[i] = source[i * width];
        to[i] = result[i * unit];
        from_address[i] = (uint64_t)from[i].GetPhyAddr();
        to_address[i] = (uint64_t)to[i].GetPhyAddr();
    }
    if (form) {
        TransDataTo5HD<T>(to_address, from_address, params);
    } else {
        TransDataTo5HD<T>(to, from, params);
    }
    store(y, result, all);
}
extern "C" __global__ __aicore__ void exchange_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    exchange<half>(x, y, s, s.n[3]);
}
extern "C" __global__ __aicore__ void exchange_float(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    exchange<float>(x, y, s, s.n[3]);
}
extern "C" __global__ __aicore__ void exchange_byte(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    exchange<int8_t>(x, y, s, s.n[3]);
}
// The same by registers of addresses: two repeats of 16 x 16.
extern "C" __global__ __aicore__ void exchange_registers(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<int16_t> source = load<int16_t>(x, 0, 512), result = place<int16_t>(1);
    uint64_t low[8], high[8];
    for (int i = 0; i < 8; ++i) {
        low[i] = (uint64_t)(source.GetPhyAddr() + 32 * i);
        high[i] = (uint64_t)(source.GetPhyAddr() + 32 * (8 + i));
    }
    set_va_reg_sb(VA2, low);
    set_va_reg_sb(VA3, high);
    for (int i = 0; i < 8; ++i) {
        low[i] = (uint64_t)(result.GetPhyAddr() + 16 * i);
        high[i] = (uint64_t)(result.GetPhyAddr() + 16 * (8 + i));
    }
    set_va_reg_sb(VA0, low);
    set_va_reg_sb(VA1, high);
    scatter_vnchwconv_b16(VA0, VA2, 2, 16, 1);
    store(y, result, 512);
}

// n[0] groups of 32; n[1]: 0 Sort32, 1 Sort of all, 2 Sort of each group. Records as they lie in memory.
template <typename T>
__aicore__ void sorted(GM_ADDR x, GM_ADDR index, GM_ADDR y, const Shape& s) {
    const uint32_t count = s.n[0] * 32;
    LocalTensor<T> scores = load<T>(x, 0, count), result = place<T>(2), scratch = place<T>(3), concat;
    LocalTensor<uint32_t> indices = load<uint32_t>(index, 1, count);
    Concat(concat, scores, scratch, s.n[0] * 2);
    if (s.n[1] == 0) Sort32<T>(result, concat, indices, s.n[0]);
    if (s.n[1] == 1) Sort<T, true>(result, concat, indices, scratch, s.n[0]);
    if (s.n[1] == 2) Sort<T, false>(result, concat, indices, scratch, s.n[0]);
    store(y, result, GetSortLen<T>(count));
}
extern "C" __global__ __aicore__ void sorted_float(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    sorted<float>(x, index, y, s);
}
extern "C" __global__ __aicore__ void sorted_half(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    sorted<half>(x, index, y, s);
}
// Lists of records: n[0..3] lengths, n[4] valid bits, n[5] 1: stop when one ends.
extern "C" __global__ __aicore__ void merged(GM_ADDR x, GM_ADDR y, GM_ADDR taken, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    uint32_t total = 0, start[4];
    uint16_t lengths[4];
    for (int i = 0; i < 4; ++i) {
        start[i] = GetSortOffset<float>(total);
        lengths[i] = s.n[i];
        total += s.n[i];
    }
    LocalTensor<float> source = load<float>(x, 0, total * 2), result = place<float>(1);
    Duplicate(result, 0.0f, int32_t(total * 2));
    PipeBarrier<PIPE_V>();
    const MrgSortSrcList<float> lists(source[start[0]], source[start[1]], source[start[2]], source[start[3]]);
    uint32_t counts[4] = {};
    if (s.n[5]) {
        MrgSort<float, true>(result, lists, lengths, counts, s.n[4], 1);
    } else {
        MrgSort(result, lists, MrgSort4Info(lengths, false, s.n[4], 1));
        uint16_t a, b, c, d;
        GetMrgSortResult(a, b, c, d);
        counts[0] = a, counts[1] = b, counts[2] = c, counts[3] = d;
    }
    store(y, result, total * 2);
    GlobalTensor<uint32_t> report;
    report.SetGlobalBuffer((__gm__ uint32_t*)taken);
    for (int i = 0; i < 4; ++i) report.SetValue(i, counts[i]);
}
extern "C" __global__ __aicore__ void extracted(GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> records = load<float>(x, 0, s.n[0] * 64), scores = place<float>(1);
    LocalTensor<uint32_t> indices = place<uint32_t>(2);
    Extract(scores, indices, records, s.n[0]);
    store(y, scores, s.n[0] * 32);
    store(index, indices, s.n[0] * 32);
}
// n: rows, width, mask width; f[0] the scalar; n[3] 1: the scalar comes first.
extern "C" __global__ __aicore__ void by_bytes(GM_ADDR x, GM_ADDR mask, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<half> source = load<half>(x, 0, s.n[0] * s.n[1]), result = place<half>(2);
    LocalTensor<uint8_t> bytes = load<uint8_t>(mask, 1, s.n[0] * s.n[2]);
    SelectWithBytesMaskShapeInfo info;
    info.firstAxis = s.n[0], info.srcLastAxis = s.n[1], info.maskLastAxis = s.n[2];
    if (s.n[3]) {
        SelectWithBytesMask(result, half(s.f[0]), source, bytes, place<uint8_t>(3), info);
    } else {
        Select(result, source, half(s.f[0]), bytes, place<uint8_t>(3), info);
    }
    store(y, result, s.n[0] * s.n[1]);
}
// n: m, n, calCount; f[0] a scale for all when n[3].
extern "C" __global__ __aicore__ void dequantised(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<int32_t> source = load<int32_t>(x, 0, s.n[0] * s.n[1]);
    LocalTensor<float> scales = load<float>(scale, 1, s.n[2]);
    LocalTensor<half> result = place<half>(2);
    const uint32_t pitch = (s.n[1] + 15) / 16 * 16;
    Duplicate(result, half(0), int32_t(s.n[0] * pitch));
    PipeBarrier<PIPE_V>();
    if (s.n[3]) {
        AscendDequant(result, source, s.f[0], place<uint8_t>(3), DequantParams{s.n[0], s.n[1], s.n[2]});
    } else {
        AscendDequant(result, source, scales, place<uint8_t>(3), DequantParams{s.n[0], s.n[1], s.n[2]});
    }
    store(y, result, s.n[0] * pitch);
}
// n: elements, scales (0: one scale); f: scale, offset.
extern "C" __global__ __aicore__ void quantised(GM_ADDR x, GM_ADDR scale, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> source = load<float>(x, 0, s.n[0]);
    LocalTensor<int8_t> result = place<int8_t>(2);
    if (s.n[1]) {
        LocalTensor<float> scales = load<float>(scale, 1, s.n[1]);
        AscendQuant(result, source, place<uint8_t>(3), scales, s.f[1], s.n[1], s.n[0]);
    } else {
        AscendQuant(result, source, s.f[0], s.f[1], s.n[0]);
    }
    store(y, result, s.n[0]);
}
// n: rows, inner, n, k, largest, own indices (small mode).
struct NoTiling {};
template <bool given, TopKMode mode, bool finish>
__aicore__ void top(GM_ADDR x, GM_ADDR index, GM_ADDR done, GM_ADDR y, GM_ADDR order, const Shape& s) {
    const uint32_t all = s.n[0] * s.n[1], own = mode == TopKMode::TOPK_NSMALL ? all : s.n[1];
    LocalTensor<float> source = load<float>(x, 0, all);
    LocalTensor<int32_t> indices = load<int32_t>(index, 1, own);
    LocalTensor<bool> flags = load<uint8_t>(done, 2, s.n[0]).ReinterpretCast<bool>();
    TopK<float, given, finish, false, mode>(place<float>(3), place<int32_t>(4), source, indices, flags, place<uint8_t>(5),
                                            s.n[3], NoTiling{}, TopKInfo{int32_t(s.n[0]), int32_t(s.n[1]), int32_t(s.n[2])}, s.n[4] != 0);
    const uint32_t pitch = (s.n[3] + 7) / 8 * 8;
    store(y, place<float>(3), s.n[0] * pitch);
    store(order, place<int32_t>(4), s.n[0] * pitch);
}
extern "C" __global__ __aicore__ void top_positions(GM_ADDR x, GM_ADDR index, GM_ADDR done, GM_ADDR y, GM_ADDR order, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    top<false, TopKMode::TOPK_NORMAL, false>(x, index, done, y, order, s);
}
extern "C" __global__ __aicore__ void top_given(GM_ADDR x, GM_ADDR index, GM_ADDR done, GM_ADDR y, GM_ADDR order, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    if (s.n[5]) {
        top<true, TopKMode::TOPK_NSMALL, false>(x, index, done, y, order, s);
    } else {
        top<true, TopKMode::TOPK_NORMAL, true>(x, index, done, y, order, s);
    }
}
struct Width {
    uint32_t srcHeight, srcWidth, srcOriWidth;
};
// n: rows, width, elements that count, left, right, unpad; f[0] the value.
extern "C" __global__ __aicore__ void padded(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<half> source = load<half>(x, 0, s.n[0] * s.n[1]), result = place<half>(1);
    Width width{s.n[0], s.n[1], s.n[2]};
    if (s.n[5]) {
        UnPadParams params{0, uint16_t(s.n[4])};
        LocalTensor<uint8_t> scratch = place<uint8_t>(2);
        UnPad(result, source, params, scratch, width);
    } else {
        PadParams params{uint16_t(s.n[3]), uint16_t(s.n[4]), int32_t(s.f[0])};
        Pad(result, source, params, place<uint8_t>(2), width);
    }
    store(y, result, s.n[6]);
}
// n: rows, width, mask width; f[0] keep probability.
extern "C" __global__ __aicore__ void dropped(GM_ADDR x, GM_ADDR mask, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<float> source = load<float>(x, 0, s.n[0] * s.n[1]);
    LocalTensor<uint8_t> bytes = load<uint8_t>(mask, 1, s.n[0] * s.n[2]);
    DropOutShapeInfo info;
    info.firstAxis = s.n[0], info.srcLastAxis = s.n[1], info.maskLastAxis = s.n[2];
    DropOut(place<float>(2), source, bytes, place<uint8_t>(3), s.f[0], info);
    store(y, place<float>(2), s.n[0] * s.n[1]);
}
// n: rows, columns, rows of scales; f: scale, offset where there are none.
extern "C" __global__ __aicore__ void weights(GM_ADDR x, GM_ADDR scale, GM_ADDR offset, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<int8_t> source = load<int8_t>(x, 0, s.n[0] * s.n[1]);
    source.SetSize(s.n[0] * s.n[1]);
    if (s.n[2]) {
        LocalTensor<half> scales = load<half>(scale, 1, s.n[2] * s.n[1]), offsets = load<half>(offset, 2, s.n[2] * s.n[1]);
        AscendAntiQuant<int8_t, half, false>(place<half>(3), source, offsets, scales, place<uint8_t>(4), s.n[0],
                                             AntiQuantShapeInfo{s.n[2], s.n[1], s.n[2], s.n[1]});
    } else {
        AscendAntiQuant<int8_t, half, false>(place<half>(3), source, half(s.f[1]), half(s.f[0]), s.n[0]);
    }
    store(y, place<half>(3), s.n[0] * s.n[1]);
}
// n: horizontal, vertical repeats, a weight for each block, mask.
extern "C" __global__ __aicore__ void interpolated(GM_ADDR x, GM_ADDR offset, GM_ADDR weight, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    const uint32_t repeats = s.n[0] * s.n[1];
    LocalTensor<half> source = load<half>(x, 0, 512), weights = load<half>(weight, 2, s.n[2] ? repeats * 8 : repeats);
    LocalTensor<uint32_t> offsets = load<uint32_t>(offset, 1, repeats * 8);
    Duplicate(place<half>(3), half(0), int32_t(s.n[1] * 128));
    PipeBarrier<PIPE_V>();
    BilinearInterpolation(place<half>(3), source, offsets, weights, uint64_t(s.n[3]), s.n[0], s.n[2] != 0, 1, 128, s.n[1],
                          place<uint8_t>(4));
    store(y, place<half>(3), s.n[1] * 128);
}
// n: n, c, d, h, w, elements of x and y; n[7]: which of the four ways.
constexpr TransDataConfig kToBlocks{DataFormat::NCDHW, DataFormat::NDC1HWC0}, kFromBlocks{DataFormat::NDC1HWC0, DataFormat::NCDHW};
constexpr TransDataConfig kToFractals{DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D}, kFromFractals{DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};
extern "C" __global__ __aicore__ void formats(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    LocalTensor<half> source = load<half>(x, 0, s.n[5]), result = place<half>(2);
    LocalTensor<uint8_t> scratch = place<uint8_t>(4);
    const uint32_t n1 = (s.n[0] + 15) / 16, c1 = (s.n[1] + 15) / 16;
    const auto plain = MakeLayout(MakeShape(s.n[0], s.n[1], s.n[2], s.n[3], s.n[4]), MakeStride());
    const auto blocks = MakeLayout(MakeShape(s.n[0], s.n[2], c1, s.n[3], s.n[4], 16), MakeStride());
    const auto fractals = MakeLayout(MakeShape(s.n[2], c1, s.n[3], s.n[4], n1, 16, 16), MakeStride());
    using Plain = std::decay_t<decltype(plain)>;
    using Blocks = std::decay_t<decltype(blocks)>;
    using Fractals = std::decay_t<decltype(fractals)>;
    if (s.n[7] == 0) TransData<kToBlocks>(result, source, scratch, TransDataParams<Plain, Blocks>{plain, blocks});
    if (s.n[7] == 1) TransData<kFromBlocks>(result, source, scratch, TransDataParams<Blocks, Plain>{blocks, plain});
    if (s.n[7] == 2) TransData<kToFractals>(result, source, scratch, TransDataParams<Plain, Fractals>{plain, fractals});
    if (s.n[7] == 3) TransData<kFromFractals>(result, source, scratch, TransDataParams<Fractals, Plain>{fractals, plain});
    store(y, result, s.n[6]);
}
