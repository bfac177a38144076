// One run of calls for each instruction. Numbers of instructions and types are those of drive.py.
#pragma once
#include <type_traits>

#include "kernel_operator.h"

namespace {
using namespace AscendC;

enum : uint32_t {
    OP_ADD = 1, OP_SUB, OP_MUL, OP_DIV, OP_MAX, OP_MIN, OP_AND, OP_OR, OP_ADD_RELU, OP_SUB_RELU, OP_MUL_ADD_DST,
    OP_FUSED_MUL_ADD, OP_FUSED_MUL_ADD_RELU, OP_COMPARE, OP_SELECT,
    OP_ABS = 20, OP_RELU, OP_NOT, OP_EXP, OP_LN, OP_SQRT, OP_RSQRT, OP_RECIPROCAL, OP_ADDS, OP_MULS, OP_MAXS, OP_MINS,
    OP_SHIFT_LEFT, OP_SHIFT_RIGHT, OP_LEAKY_RELU, OP_AXPY, OP_COMPARE_SCALAR,
    OP_WHOLE_SUM = 40, OP_WHOLE_MAX, OP_WHOLE_MIN, OP_BLOCK_SUM, OP_BLOCK_MAX, OP_BLOCK_MIN, OP_PAIR_SUM,
    OP_DUPLICATE = 50, OP_COPY, OP_BRCB, OP_GATHER, OP_GATHERB, OP_GATHER_MASK,
};

struct Work {
    uint32_t op, repeats, calls, src0, src1, dst, block0, stride0;
    bool keep;
};

template <typename T>
__aicore__ inline LocalTensor<T> At(uint32_t address) {
    return LocalTensor<T>(TPosition::VECCALC, address, (192 * 1024 - address) / sizeof(T));
}

template <typename T, typename F>
__aicore__ inline bool Repeat(const Work& work, F call) {
    SetMaskNorm();
    ResetMask();
    for (uint32_t i = 0; i < work.calls; ++i) {
        call();
    }
    return true;
}

template <typename T>
constexpr bool REAL = std::is_same<T, half>::value || std::is_same<T, float>::value;
template <typename T>
constexpr uint64_t FULL = 256 / sizeof(T);

template <typename T>
__aicore__ inline bool Binary(const Work& w) {
    const LocalTensor<T> x = At<T>(w.src0), y = At<T>(w.src1), z = At<T>(w.dst);
    const uint8_t n = w.repeats;
    BinaryRepeatParams p(1, w.block0, 1, 8, w.stride0, 8);
    if (w.op == OP_ADD && !w.keep) return Repeat<T>(w, [&] { Add<T, true>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_ADD) return Repeat<T>(w, [&] { Add<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_SUB) return Repeat<T>(w, [&] { Sub<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_MUL) return Repeat<T>(w, [&] { Mul<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_MAX) return Repeat<T>(w, [&] { Max<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_MIN) return Repeat<T>(w, [&] { Min<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_AND) return Repeat<T>(w, [&] { And<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_OR) return Repeat<T>(w, [&] { Or<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_ADD_RELU) return Repeat<T>(w, [&] { AddRelu<T, false>(z, x, y, FULL<T>, n, p); });
    if (w.op == OP_SUB_RELU) return Repeat<T>(w, [&] { SubRelu<T, false>(z, x, y, FULL<T>, n, p); });
    if constexpr (REAL<T>) {
        const LocalTensor<uint8_t> bits = At<uint8_t>(w.dst);
        if (w.op == OP_DIV) return Repeat<T>(w, [&] { Div<T, false>(z, x, y, FULL<T>, n, p); });
        if (w.op == OP_MUL_ADD_DST) return Repeat<T>(w, [&] { MulAddDst<T, T, false>(z, x, y, FULL<T>, n, p); });
        if (w.op == OP_FUSED_MUL_ADD) return Repeat<T>(w, [&] { FusedMulAdd<T, false>(z, x, y, FULL<T>, n, p); });
        if (w.op == OP_FUSED_MUL_ADD_RELU)
            return Repeat<T>(w, [&] { FusedMulAddRelu<T, false>(z, x, y, FULL<T>, n, p); });
        if (w.op == OP_COMPARE)
            return Repeat<T>(w, [&] { Compare<T, uint8_t, false>(bits, x, y, CMPMODE::GE, FULL<T>, n, p); });
        if (w.op == OP_SELECT)
            return Repeat<T>(w, [&] {
                Select<T, uint8_t, false>(z, bits[65536 - 8192], x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, FULL<T>, n, p);
            });
    }
    return false;
}

template <typename T>
__aicore__ inline bool Unary(const Work& w) {
    const LocalTensor<T> x = At<T>(w.src0), z = At<T>(w.dst);
    const uint8_t n = w.repeats;
    const UnaryRepeatParams p(1, 1, 8, 8);
    const T two = T(2);
    if (w.op == OP_ABS) return Repeat<T>(w, [&] { Abs<T, false>(z, x, FULL<T>, n, p); });
    if (w.op == OP_RELU) return Repeat<T>(w, [&] { Relu<T, false>(z, x, FULL<T>, n, p); });
    if (w.op == OP_NOT) return Repeat<T>(w, [&] { Not<T, false>(z, x, FULL<T>, n, p); });
    if (w.op == OP_ADDS) return Repeat<T>(w, [&] { Adds<T, false>(z, x, two, FULL<T>, n, p); });
    if (w.op == OP_MULS) return Repeat<T>(w, [&] { Muls<T, false>(z, x, two, FULL<T>, n, p); });
    if (w.op == OP_MAXS) return Repeat<T>(w, [&] { Maxs<T, false>(z, x, two, FULL<T>, n, p); });
    if (w.op == OP_MINS) return Repeat<T>(w, [&] { Mins<T, false>(z, x, two, FULL<T>, n, p); });
    if (w.op == OP_SHIFT_LEFT) return Repeat<T>(w, [&] { ShiftLeft<T, false>(z, x, two, FULL<T>, n, p); });
    if (w.op == OP_SHIFT_RIGHT) return Repeat<T>(w, [&] { ShiftRight<T, false>(z, x, two, FULL<T>, n, p); });
    if constexpr (REAL<T>) {
        const LocalTensor<uint8_t> bits = At<uint8_t>(w.dst);
        if (w.op == OP_EXP) return Repeat<T>(w, [&] { Exp<T, false>(z, x, FULL<T>, n, p); });
        if (w.op == OP_LN) return Repeat<T>(w, [&] { Ln<T, false>(z, x, FULL<T>, n, p); });
        if (w.op == OP_SQRT) return Repeat<T>(w, [&] { Sqrt<T, false>(z, x, FULL<T>, n, p); });
        if (w.op == OP_RSQRT) return Repeat<T>(w, [&] { Rsqrt<T, false>(z, x, FULL<T>, n, p); });
        if (w.op == OP_RECIPROCAL) return Repeat<T>(w, [&] { Reciprocal<T, false>(z, x, FULL<T>, n, p); });
        if (w.op == OP_LEAKY_RELU) return Repeat<T>(w, [&] { LeakyRelu<T, false>(z, x, two, FULL<T>, n, p); });
        if (w.op == OP_AXPY) return Repeat<T>(w, [&] { Axpy<T, T, false>(z, x, two, FULL<T>, n, p); });
        if (w.op == OP_COMPARE_SCALAR)
            return Repeat<T>(w, [&] { CompareScalar<T, uint8_t, false>(bits, x, two, CMPMODE::GE, FULL<T>, n, p); });
    }
    return false;
}

template <typename T>
__aicore__ inline bool Reduction(const Work& w) {
    const LocalTensor<T> x = At<T>(w.src0), z = At<T>(w.dst);
    const int32_t n = w.repeats, all = FULL<T>;
    if constexpr (REAL<T>) {
        if (w.op == OP_WHOLE_SUM) return Repeat<T>(w, [&] { WholeReduceSum<T, false>(z, x, all, n, 1, 1, 8); });
        if (w.op == OP_WHOLE_MAX) return Repeat<T>(w, [&] { WholeReduceMax<T, false>(z, x, all, n, 1, 1, 8); });
        if (w.op == OP_WHOLE_MIN) return Repeat<T>(w, [&] { WholeReduceMin<T, false>(z, x, all, n, 1, 1, 8); });
        if (w.op == OP_BLOCK_SUM) return Repeat<T>(w, [&] { BlockReduceSum<T, false>(z, x, n, all, 1, 1, 8); });
        if (w.op == OP_BLOCK_MAX) return Repeat<T>(w, [&] { BlockReduceMax<T, false>(z, x, n, all, 1, 1, 8); });
        if (w.op == OP_BLOCK_MIN) return Repeat<T>(w, [&] { BlockReduceMin<T, false>(z, x, n, all, 1, 1, 8); });
        if (w.op == OP_PAIR_SUM) return Repeat<T>(w, [&] { PairReduceSum<T, false>(z, x, n, all, 1, 1, 8); });
    }
    return false;
}

template <typename T>
__aicore__ inline bool Movement(const Work& w) {
    const LocalTensor<T> x = At<T>(w.src0), z = At<T>(w.dst);
    const uint8_t n = w.repeats;
    const T two = T(2);
    if (w.op == OP_DUPLICATE) return Repeat<T>(w, [&] { Duplicate<T, false>(z, two, FULL<T>, n, 1, 8); });
    if constexpr (!REAL<T>) {
        const LocalTensor<uint32_t> offsets = At<uint32_t>(w.src1);
        if (w.op == OP_COPY) return Repeat<T>(w, [&] { Copy<T, false>(z, x, FULL<T>, n, {1, 1, 8, 8}); });
        if constexpr (std::is_same<T, uint16_t>::value || std::is_same<T, uint32_t>::value) {
            if (w.op == OP_BRCB) return Repeat<T>(w, [&] { Brcb(z, x, n, {1, 8}); });
            if (w.op == OP_GATHER) return Repeat<T>(w, [&] { Gather(z, x, offsets, 0u, FULL<T>, n, 8); });
            if (w.op == OP_GATHERB) return Repeat<T>(w, [&] { Gatherb(z, x, offsets, n, {1, 8}); });
            if (w.op == OP_GATHER_MASK) {
                const LocalTensor<T> pattern = At<T>(w.src1);
                uint64_t kept = 0;
                return Repeat<T>(w, [&] { GatherMask(z, x, pattern, false, 0, {1, n, 8, 1}, kept); });
            }
        }
    }
    return false;
}

template <typename To, typename From>
__aicore__ inline void CastRun(const Work& w, RoundMode mode) {
    const LocalTensor<From> x = At<From>(w.src0);
    const LocalTensor<To> z = At<To>(w.dst);
    const uint32_t wide = sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From);
    const uint8_t to = 8 * sizeof(To) / wide, from = 8 * sizeof(From) / wide;
    const UnaryRepeatParams p(1, 1, to, from);
    Repeat<To>(w, [&] { Cast<To, From, false>(z, x, mode, 256 / wide, w.repeats, p); });
}

__aicore__ inline void Casts(const Work& w, uint32_t pair) {
    switch (pair) {
        case 10:
            return CastRun<float, half>(w, RoundMode::CAST_NONE);
        case 11:
            return CastRun<half, float>(w, RoundMode::CAST_ROUND);
        case 12:
            return CastRun<bfloat16_t, float>(w, RoundMode::CAST_ROUND);
        case 13:
            return CastRun<float, int32_t>(w, RoundMode::CAST_ROUND);
        case 14:
            return CastRun<float, bfloat16_t>(w, RoundMode::CAST_NONE);
        case 15:
            return CastRun<int16_t, half>(w, RoundMode::CAST_ROUND);
        case 16:
            return CastRun<int32_t, half>(w, RoundMode::CAST_ROUND);
        case 17:
            return CastRun<int8_t, half>(w, RoundMode::CAST_ROUND);
        case 18:
            return CastRun<uint8_t, half>(w, RoundMode::CAST_ROUND);
        case 19:
            return CastRun<int32_t, float>(w, RoundMode::CAST_ROUND);
        case 20:
            return CastRun<int64_t, float>(w, RoundMode::CAST_ROUND);
        case 21:
            return CastRun<half, int16_t>(w, RoundMode::CAST_NONE);
        case 22:
            return CastRun<float, int16_t>(w, RoundMode::CAST_NONE);
        case 23:
            return CastRun<float, int64_t>(w, RoundMode::CAST_ROUND);
        case 24:
            return CastRun<half, int8_t>(w, RoundMode::CAST_NONE);
        case 25:
            return CastRun<half, uint8_t>(w, RoundMode::CAST_NONE);
        default:
            Trap();
    }
}

}  // namespace
