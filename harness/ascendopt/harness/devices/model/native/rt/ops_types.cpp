// Names, widths and legal types; scalar decoding.
#include "ops_types.h"

#include <cstring>

#include "half.h"

namespace ascendopt::rt {
namespace {

constexpr uint32_t bit(Dtype type) { return 1u << static_cast<uint32_t>(type); }
constexpr uint32_t kFloats = bit(Dtype::F16) | bit(Dtype::F32);
constexpr uint32_t kArithmetic = kFloats | bit(Dtype::I16) | bit(Dtype::I32);
constexpr uint32_t kLogic = bit(Dtype::I16) | bit(Dtype::U16);
constexpr uint32_t kShift = kLogic | bit(Dtype::I32) | bit(Dtype::U32);
constexpr uint32_t kMove = kShift | kFloats | bit(Dtype::BF16);

// Types of the source, from the pages of the API documentation (A2 and A3 lists).
uint32_t source_types(Op op) {
    switch (op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Max:
        case Op::Min:
        case Op::Adds:
        case Op::Muls:
        case Op::Maxs:
        case Op::Mins:
        case Op::CreateVecIndex:
        case Op::ArithProgression:
            return kArithmetic;
        case Op::AddRelu:
        case Op::SubRelu:
            return kFloats | bit(Dtype::I16);
        case Op::Relu:
            return kFloats | bit(Dtype::I32);
        case Op::And:
        case Op::Or:
        case Op::Not:
        case Op::Xor:
            return kLogic;
        case Op::ShiftLeft:
        case Op::ShiftRight:
            return kShift;
        case Op::Duplicate:
        case Op::Copy:
        case Op::Brcb:
        case Op::Gather:
        case Op::GatherMask:
            return kMove;
        case Op::Gatherb:
            return kMove;
        case Op::BroadCast:
            return kMove | bit(Dtype::I8) | bit(Dtype::U8);
        case Op::Compare:
        case Op::CompareScalar:
            return kFloats | bit(Dtype::I32);
        case Op::Power:
            return kFloats | bit(Dtype::I32);
        case Op::ReGlu:
            return kFloats | bit(Dtype::BF16);
        default:
            return kFloats;
    }
}

}  // namespace

uint32_t dtype_bits(Dtype type) {
    switch (type) {
        case Dtype::I4:
            return 4;
        case Dtype::I8:
        case Dtype::U8:
        case Dtype::B8:
            return 8;
        case Dtype::F16:
        case Dtype::BF16:
        case Dtype::I16:
        case Dtype::U16:
            return 16;
        case Dtype::F32:
        case Dtype::I32:
        case Dtype::U32:
            return 32;
        case Dtype::I64:
        case Dtype::U64:
        case Dtype::F64:
        case Dtype::C64:
            return 64;
        case Dtype::None:
            break;
    }
    return 0;
}

const char* dtype_name(Dtype type) {
    static const char* const names[] = {"half",     "float",    "bfloat16_t", "int8_t",   "uint8_t",
                                        "int16_t",  "uint16_t", "int32_t",    "uint32_t", "int64_t",
                                        "uint64_t", "int4b_t",  "bool",       "double",   "complex64"};
    const auto index = static_cast<size_t>(type);
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : "unknown type";
}

bool legal_types(Op op, Dtype dst, Dtype src) {
    if (op == Op::Axpy || op == Op::MulAddDst) {
        return (dst == src && (source_types(op) & bit(src)) != 0) || (dst == Dtype::F32 && src == Dtype::F16);
    }
    // Operations that convert exist for the pairs that have a kernel.
    if (op == Op::AddReluCast || op == Op::SubReluCast || op == Op::MulCast || op == Op::AddDeqRelu) return true;
    return dst == src && (source_types(op) & bit(src)) != 0;
}

float scalar_float(uint64_t pattern, Dtype type) {
    switch (type) {
        case Dtype::F16:
            return f16_to_f32(static_cast<uint16_t>(pattern));
        case Dtype::BF16:
            return bf16_to_f32(static_cast<uint16_t>(pattern));
        case Dtype::F32:
            return bits_float(static_cast<uint32_t>(pattern));
        case Dtype::F64: {
            double value;
            std::memcpy(&value, &pattern, sizeof value);
            return static_cast<float>(value);
        }
        default:
            return static_cast<float>(scalar_integer(pattern, type));
    }
}

int64_t scalar_integer(uint64_t pattern, Dtype type) {
    switch (type) {
        case Dtype::I8:
            return static_cast<int8_t>(pattern);
        case Dtype::U8:
        case Dtype::B8:
            return static_cast<uint8_t>(pattern);
        case Dtype::I16:
            return static_cast<int16_t>(pattern);
        case Dtype::U16:
            return static_cast<uint16_t>(pattern);
        case Dtype::I32:
            return static_cast<int32_t>(pattern);
        case Dtype::U32:
            return static_cast<uint32_t>(pattern);
        default:
            return static_cast<int64_t>(pattern);
    }
}

}  // namespace ascendopt::rt
