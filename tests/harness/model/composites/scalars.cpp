// Operators on tensors, registers of reductions, instructions by their own names, scalar conversions.
#include "tile.h"

// clang-format off: the runner finds entries by their line beginnings
// y: a + b, a - b, a * b, a / b one after another; then the bits of the six comparisons.
extern "C" __global__ __aicore__ void operators(GM_ADDR x, GM_ADDR z, GM_ADDR y, GM_ADDR bits, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<float> a = load<float>(x, 0, 128), b = load<float>(z, 1, 128), result = place<float>(2);
    LocalTensor<uint8_t> flags = place<uint8_t>(3);
    LocalTensor<float> part[4];
    for (int i = 0; i < 4; ++i) {
        part[i] = result[i * 128];
        part[i].SetSize(128);
    }
    part[0] = a + b;
    part[1] = a - b;
    part[2] = a * b;
    part[3] = a / b;
    LocalTensor<uint8_t> bit[6];
    for (int i = 0; i < 6; ++i) {
        bit[i] = flags[i * 128];
        bit[i].SetSize(128);
    }
    bit[0] = a < b;
    bit[1] = a > b;
    bit[2] = a == b;
    bit[3] = a <= b;
    bit[4] = a >= b;
    bit[5] = a != b;
    store(y, result, 512);
    store(bits, flags, 768);
}
// y: ReduceSum's register; then the extreme over the repeats of WholeReduceMax and its index; then vcadd, twice.
extern "C" __global__ __aicore__ void registers(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<float> a = load<float>(x, 0, 256), b = place<float>(1);
    GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float*)y);
    const auto wait = [] {
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
    };
    ReduceSum(b, a, b[64], 256);
    wait();
    const uint64_t sum = GetAccVal();
    float value, index;
    __builtin_memcpy(&value, &sum, 4);
    out.SetValue(0, value);
    out.SetValue(1, GetReduceRepeatSumSpr<float>());
    WholeReduceMax(b, a, 64, 4, 1, 1, 8);
    wait();
    GetReduceMaxMinCount(value, index);
    uint32_t position;
    __builtin_memcpy(&position, &index, 4);
    out.SetValue(2, value);
    out.SetValue(3, float(position));
    const uint64_t both = get_max_min_cnt();
    out.SetValue(4, float(both >> 32));
    AscendCUtils::SetMask<float>(64);
    vcadd((float*)nullptr, a.GetPhyAddr(), 4, 1, 1, 8, true);
    wait();
    const uint64_t total = get_acc_val();
    __builtin_memcpy(&value, &total, 4);
    out.SetValue(5, value);
    vcadd(b.GetPhyAddr(), a.GetPhyAddr(), 4, 1, 1, 8, false);
    wait();
    out.SetValue(6, b.GetValue(3));
}
// y: vadd of the first mask elements of two repeats over what vector_dup left; y + 128: vtranspose.
extern "C" __global__ __aicore__ void instructions(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<int16_t> a = load<int16_t>(x, 0, 256), b = place<int16_t>(1);
    AscendCUtils::SetMask<half>(128);
    vector_dup(b.GetPhyAddr(), (int16_t)7, 2, 1, 1, (uint8_t)8, (uint8_t)0);
    PipeBarrier<PIPE_V>();
    SetVectorMask<half>(0, 0xFF);
    vadd(b.GetPhyAddr(), a.GetPhyAddr(), a.GetPhyAddr(), 2, 1, 1, 1, 8, 8, 8);
    vtranspose(b[256].GetPhyAddr(), a.GetPhyAddr());
    store(y, b, 512);
}
// 200 elements of four bits, by the mask's count.
extern "C" __global__ __aicore__ void four_bits(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<uint8_t> a = load<uint8_t>(x, 0, 128);
    LocalTensor<half> b = place<half>(1);
    Duplicate(b, half(50), 256);
    set_mask_count();
    set_vector_mask(0, 200);
    vconv_s42f16(b.GetPhyAddr(), (__ubuf__ int4b_t*)a.GetPhyAddr(), 1, 1, 1, 8, 2);
    set_mask_norm();
    store(y, b, 256);
}
// ReduceSum with a count under a mask: what kernels that count repeats do.
extern "C" __global__ __aicore__ void repeats(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<float> a = load<float>(x, 0, 256);
    AscendCUtils::SetMask<float>(64);
    ReduceSum(a, a, a, 4);
    store(y, a, 1);
}
// The sum of 200 elements: by the mask's count; of the first 40: by its bits.
extern "C" __global__ __aicore__ void masked_sums(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<float> a = load<float>(x, 0, 256), b = place<float>(1), tmp = place<float>(2);
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(200);
    ReduceSum<float, false>(b, a, tmp, 1);
    SetMaskNorm();
    SetVectorMask<float, MaskMode::NORMAL>(40);
    ReduceSum<float, false>(b[8], a, tmp, 1);
    ResetMask();
    store(y, b, 16);
}
// f: four values. y: half bits by mode, int32 by mode, bits of words.
extern "C" __global__ __aicore__ void scalars(GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(s, tiling);
    GlobalTensor<half> halves;
    halves.SetGlobalBuffer((__gm__ half*)y);
    GlobalTensor<int32_t> whole;
    whole.SetGlobalBuffer((__gm__ int32_t*)z);
    for (int i = 0; i < 4; ++i) {
        halves.SetValue(i, ScalarCast<float, half, RoundMode::CAST_RINT>(s.f[i]));
        halves.SetValue(4 + i, Cast<float, half, RoundMode::CAST_CEIL>(s.f[i]));
        halves.SetValue(8 + i, half(ToFloat(ToBfloat16(s.f[i]))));
        whole.SetValue(i, ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(s.f[i]));
        whole.SetValue(4 + i, ScalarCast<float, int32_t, RoundMode::CAST_RINT>(s.f[i]));
        whole.SetValue(8 + i, ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(s.f[i]));
        whole.SetValue(12 + i, ScalarCast<float, int32_t, RoundMode::CAST_TRUNC>(s.f[i]));
    }
    whole.SetValue(16, GetBitCount<1>(0xF0F0ull));
    whole.SetValue(17, GetBitCount<0>(0xF0F0ull));
    whole.SetValue(18, GetSFFValue<1>(0x50ull));
    whole.SetValue(19, GetSFFValue<0>(0x0Full));
    whole.SetValue(20, CountLeadingZero(0x0Full));
    whole.SetValue(21, CountBitsCntSameAsSignBit(-1));
    whole.SetValue(22, abs(-3) + min(2, 9u) + max(1.5f, 1));
}
// Whole numbers: quotients rounded up, the larger and the smaller, bits set and cleared.
extern "C" __global__ __aicore__ void whole_numbers(GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    LocalTensor<int32_t> result = place<int32_t>(0);
    Duplicate(result, int32_t(0), 8);
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    const uint64_t before = get_ctrl();
    set_ctrl(sbitset1(before, 60));
    set_ctrl(sbitset0(get_ctrl(), 60));
    result.SetValue(0, CeilDiv(7, 3));
    result.SetValue(1, CeilDiv(6, 3));
    result.SetValue(2, ::min(5u, 9));
    result.SetValue(3, ::max(int16_t(-2), 4));
    result.SetValue(4, static_cast<int32_t>(sbitset1(8, 1)));
    result.SetValue(5, static_cast<int32_t>(sbitset0(10, 3)));
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    store(y, result, 8);
}
