// Temporary room of the kernel library's functions, for both sides: host code asks for it (Get..MaxMinTmpSize), and
// where a kernel passes none the function takes it from what no buffer uses. Figures of the open kernel library.
#pragma once
#include <cstdint>

#include "ops.h"

namespace ascendopt {

// Temporaries in units of the source's bytes, for two-byte types (which are computed in float) and for float; without
// and with the source as one of them. A function needs at least 256 bytes of each.
struct ScratchNeed {
    uint32_t half;
    uint32_t real;
    uint32_t real_reused;
    uint32_t extra = 0;  // bytes

    constexpr uint32_t factor(uint32_t type_size, bool reuse_source) const {
        if (type_size != sizeof(float)) return half;
        return reuse_source ? real_reused : real;
    }
    constexpr uint32_t least(uint32_t type_size, bool reuse_source) const {
        return factor(type_size, reuse_source) * 256 + extra;
    }
};

namespace scratch {
constexpr ScratchNeed kAcos{6, 2, 2}, kAcosh{2, 1, 1}, kAsin{6, 2, 2}, kAsinh{3, 3, 3}, kAtan{12, 5, 5},
    kAtanh{4, 1, 1};
constexpr ScratchNeed kAxpy{4, 1, 1}, kCeil{2, 1, 1}, kClamp{1, 1, 1}, kCos{8, 3, 2, 32}, kCosh{6, 2, 2};
constexpr ScratchNeed kDigamma{16, 7, 6}, kErf{8, 3, 3}, kErfc{16, 7, 7}, kExp{8, 3, 2}, kFloor{2, 1, 1};
constexpr ScratchNeed kFmod{6, 0, 0}, kFrac{4, 0, 0}, kLgamma{13, 8, 7}, kLog10{2, 0, 0}, kLog2{2, 0, 0};
constexpr ScratchNeed kRound{1, 1, 1}, kSigmoid{1, 1, 1}, kSign{3, 3, 3}, kSin{8, 3, 2, 32}, kSinh{4, 1, 1};
constexpr ScratchNeed kTan{10, 4, 4}, kTanh{4, 1, 1}, kTrunc{2, 1, 1}, kXor{1, 1, 1};
// Of real numbers, neither side a scalar.
constexpr ScratchNeed kPower{14, 4, 4, 256};
}  // namespace scratch

// Null for operations that are instructions, or that this table does not know.
constexpr const ScratchNeed* scratch_of(Op op) {
    switch (op) {
        case Op::Acos:
            return &scratch::kAcos;
        case Op::Acosh:
            return &scratch::kAcosh;
        case Op::Asin:
            return &scratch::kAsin;
        case Op::Asinh:
            return &scratch::kAsinh;
        case Op::Atan:
            return &scratch::kAtan;
        case Op::Atanh:
            return &scratch::kAtanh;
        case Op::Ceil:
            return &scratch::kCeil;
        case Op::ClampMax:
        case Op::ClampMin:
            return &scratch::kClamp;
        case Op::Cos:
            return &scratch::kCos;
        case Op::Cosh:
            return &scratch::kCosh;
        case Op::Digamma:
            return &scratch::kDigamma;
        case Op::Erf:
            return &scratch::kErf;
        case Op::Erfc:
            return &scratch::kErfc;
        case Op::Floor:
            return &scratch::kFloor;
        case Op::Fmod:
            return &scratch::kFmod;
        case Op::Frac:
            return &scratch::kFrac;
        case Op::Lgamma:
            return &scratch::kLgamma;
        case Op::Log10:
            return &scratch::kLog10;
        case Op::Log2:
            return &scratch::kLog2;
        case Op::Power:
            return &scratch::kPower;
        case Op::Round:
            return &scratch::kRound;
        case Op::Sigmoid:
            return &scratch::kSigmoid;
        case Op::Sign:
            return &scratch::kSign;
        case Op::Sin:
            return &scratch::kSin;
        case Op::Sinh:
            return &scratch::kSinh;
        case Op::Tan:
            return &scratch::kTan;
        case Op::Tanh:
            return &scratch::kTanh;
        case Op::Trunc:
            return &scratch::kTrunc;
        case Op::Xor:
            return &scratch::kXor;
        default:
            return nullptr;
    }
}

namespace scratch {

// One row of softmax, in bytes: `copies` of it in float, a block for its maximum or sum, and one reduction.
constexpr uint32_t softmax_row(uint32_t length, uint32_t copies) { return (copies * length + 8 + 64) * 4; }
// Normalisations: `copies` of one row in float, and two values for each of the rows.
constexpr uint32_t norm_row(uint32_t rows, uint32_t length, uint32_t copies) {
    return copies * ((length * 4 + 31) / 32 * 32) + 2 * ((rows * 4 + 31) / 32 * 32);
}
// One partial sum for each 256 bytes.
constexpr uint32_t sum(uint32_t elements, uint32_t type_size) {
    return ((elements * type_size + 255) / 256 * type_size + 31) / 32 * 32;
}

}  // namespace scratch
}  // namespace ascendopt
