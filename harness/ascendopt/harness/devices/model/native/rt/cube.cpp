// Shared parts of the cube unit: operands, elements, registers.
#include "cube.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ascendopt::rt {

namespace {

constexpr int kOrderEvent = 48;  // outside of the user's events and those of queues

int32_t saturate(float value, int32_t low, int32_t high) {
    if (std::isnan(value)) return 0;
    const float rounded = std::nearbyint(value);
    if (rounded <= static_cast<float>(low)) return low;
    if (rounded >= static_cast<float>(high)) return high;
    return static_cast<int32_t>(rounded);
}

// The multiplier of a quantisation parameter: binary32 with 10 bits of fraction.
float multiplier(uint64_t scale) { return bits_float(static_cast<uint32_t>(scale) & 0xFFFFE000u); }

// int32 input: as it is, or shifted into 16 bits first (mode control bit).
float quant_input(int32_t value, uint64_t scale) {
    if ((scale >> 36 & 1) == 0) return static_cast<float>(value);
    const int shift = static_cast<int>(scale >> 32 & 15) + 1;
    return static_cast<float>(std::clamp(value >> shift, -32768, 32767));
}

uint32_t to_b8(float value, uint64_t scale) {
    const auto offset = static_cast<int32_t>(scale >> 37 & 0x1FF);
    const float shifted = value + static_cast<float>(offset >= 256 ? offset - 512 : offset);
    const bool is_signed = (scale >> 46 & 1) != 0;
    const int32_t out = is_signed ? saturate(shifted, -128, 127) : saturate(shifted, 0, 255);
    return static_cast<uint32_t>(out) & 0xFFu;
}

float relu(float value, bool on) { return on && !(value > 0) ? 0.0f : value; }

[[noreturn]] void bad_quant(const char* api, const char* what) {
    fatal("cube_types", api, "%s: this quantisation mode does not go with %s", api, what);
}

}  // namespace

uint32_t element_bits(uint8_t dtype) {
    switch (static_cast<Dtype>(dtype)) {
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
        default:
            return 0;
    }
}

uint32_t fractal_width(uint8_t dtype, const char* api) {
    const uint32_t bits = element_bits(dtype);
    if (bits == 0) fatal("cube_types", api, "%s: elements of this type make no fractals", api);
    return 256 / bits;
}

uint8_t* operand(Pipe pipe, const AscLocal& at, Memory expected, uint64_t bytes, uint32_t align, bool write,
                 const char* api) {
    const Memory which = memory_of(at.position);
    if (which != expected) {
        fatal("cube_position", api, "%s: a tensor in %s (%s) stands where one in %s is needed", api, memory_name(which),
              position_name(at.position), memory_name(expected));
    }
    if (at.address % align != 0) {
        violation("cube_misaligned", 0, api, "%s: address %u in %s is not a multiple of %u bytes", api, at.address,
                  memory_name(which), align);
    }
    check_range(which, at.address, at.address + bytes, api);
    touch(pipe, which, at.address, static_cast<uint32_t>(at.address + bytes), write, api);
    return memory(which).data + at.address;
}

void order(Pipe from, Pipe to) {
    set_flag(from, to, kOrderEvent, false);
    wait_flag(from, to, kOrderEvent, false);
}

bool is_integer(uint8_t dtype) {
    const auto type = static_cast<Dtype>(dtype);
    return type != Dtype::F16 && type != Dtype::BF16 && type != Dtype::F32;
}

float load_float(const uint8_t* data, uint64_t index, uint8_t dtype) {
    if (static_cast<Dtype>(dtype) == Dtype::F32) {
        float value;
        std::memcpy(&value, data + index * 4, 4);
        return value;
    }
    uint16_t bits;
    std::memcpy(&bits, data + index * 2, 2);
    return static_cast<Dtype>(dtype) == Dtype::F16 ? f16_to_f32(bits) : bf16_to_f32(bits);
}

int32_t load_int(const uint8_t* data, uint64_t index, uint8_t dtype) {
    switch (static_cast<Dtype>(dtype)) {
        case Dtype::I4: {
            const uint8_t pair = data[index / 2];
            const int32_t nibble = index % 2 ? pair >> 4 : pair & 15;
            return nibble >= 8 ? nibble - 16 : nibble;
        }
        case Dtype::I8:
            return static_cast<int8_t>(data[index]);
        case Dtype::U8:
        case Dtype::B8:
            return data[index];
        default: {
            int32_t value;
            std::memcpy(&value, data + index * 4, 4);
            return value;
        }
    }
}

float to_hf32(float value, bool ties_to_zero) {
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7F800000u) == 0x7F800000u) return value;
    const uint32_t half = 0x800u;  // 12 of 23 fraction bits go
    const uint32_t rest = bits & 0xFFFu;
    const uint32_t kept = bits & ~0xFFFu;
    const bool up = rest > half || (rest == half && !ties_to_zero && (kept >> 12 & 1) != 0);
    return bits_float(up ? kept + 0x1000u : kept);
}

uint32_t convert_result(uint32_t raw, bool integer, const Scaling& how, uint64_t scale, uint8_t dtype,
                        const char* api) {
    const float real = bits_float(raw);
    const auto whole = static_cast<int32_t>(raw);
    switch (how.quant) {
        case kAscNoQuant:
            if (integer) return how.relu && whole < 0 ? 0u : raw;
            return float_bits(relu(real, how.relu));
        case kAscF32ToF16:
            if (integer) bad_quant(api, "int32");
            return f32_to_f16(relu(real, how.relu));
        case kAscF32ToBf16:
            if (integer) bad_quant(api, "int32");
            return f32_to_bf16(relu(real, how.relu));
        case kAscDequantF16:
        case kAscVectorDequantF16:
            if (!integer || static_cast<Dtype>(dtype) != Dtype::F16) bad_quant(api, "these types");
            return f32_to_f16(relu(quant_input(whole, scale) * multiplier(scale), how.relu));
        case kAscQuantB8:
        case kAscVectorQuantB8:
            if (integer) bad_quant(api, "int32");
            return to_b8(relu(real * multiplier(scale), how.relu), scale);
        case kAscRequant8:
        case kAscVectorRequant8:
            if (!integer) bad_quant(api, "float");
            return to_b8(relu(quant_input(whole, scale) * multiplier(scale), how.relu), scale);
        default:
            fatal("unsupported", api, "%s: this quantisation mode is not modelled", api);
    }
}

void store_element(uint8_t* to, uint32_t bits, uint32_t size) { std::memcpy(to, &bits, size); }

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_cube_register(uint8_t which, uint64_t value, const char* api) {
    ASC_ENTER(api);
    if (which >= kAscCubeRegisters) fatal("unsupported", api, "%s sets a register that is not modelled", api);
    core().cube_registers[which] = value;
}
}
