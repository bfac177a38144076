// What the parts of the cube unit share: checked operands, element access, order between pipes.
#pragma once
#include "../abi/cube.h"
#include "half.h"
#include "state.h"

namespace ascendopt::rt {

constexpr uint32_t kFractal = 512;
constexpr uint32_t kFractalRows = 16;

inline uint32_t ceil_div(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit; }

// Bits of an element; 0 for types that the cube unit does not take.
uint32_t element_bits(uint8_t dtype);
// Elements of 32 B: the width of a fractal.
uint32_t fractal_width(uint8_t dtype, const char* api);

// One operand of a cube instruction: bounds, alignment and clocks, and its host address.
uint8_t* operand(Pipe pipe, const AscLocal& at, Memory expected, uint64_t bytes, uint32_t align, bool write,
                 const char* api);

// The pipe `to` begins after everything that `from` was given: what hardware guarantees without a flag.
void order(Pipe from, Pipe to);

// Values of cube operands. Integers come back exactly.
float load_float(const uint8_t* data, uint64_t index, uint8_t dtype);
int32_t load_int(const uint8_t* data, uint64_t index, uint8_t dtype);
bool is_integer(uint8_t dtype);
// binary32 as the cube sees it in HF32 mode: 11 bits of fraction.
float to_hf32(float value, bool ties_to_zero);

struct Scaling {
    uint8_t quant;
    bool relu;
};
// One result element from L0C (bits of float or int32) on its way out, as bits of the destination's type.
uint32_t convert_result(uint32_t raw, bool integer, const Scaling& how, uint64_t scale, uint8_t dtype, const char* api);
void store_element(uint8_t* to, uint32_t bits, uint32_t size);

}  // namespace ascendopt::rt
