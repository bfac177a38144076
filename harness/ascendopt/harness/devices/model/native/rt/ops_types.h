// Element types and what the operation kernels take. A kernel works on plain contiguous arrays in the native types;
// addresses, masks and strides are resolved before it is called (vector.cpp).
#pragma once
#include <cstddef>
#include <cstdint>

#include "../abi/ops.h"

namespace ascendopt::rt {

// Bits of one element; 0 for a type that local memory does not hold.
uint32_t dtype_bits(Dtype type);
const char* dtype_name(Dtype type);

struct ElementArgs {
    void* dst;           // also read by Axpy, MulAddDst, FusedMulAdd
    const void* src[2];  // native arrays
    size_t count;
    uint64_t scalar;  // bit pattern in `scalar_type`
    Dtype scalar_type;
    uint8_t mode;
    uint8_t option;
    float deq_scale;
    bool infinities;  // false: half results beyond 65504 saturate
};
using ElementKernel = void (*)(const ElementArgs& args);

// The kernel of an element-by-element operation, or nullptr if the types have none.
ElementKernel element_kernel(Op op, Dtype dst, Dtype src);
ElementKernel fused_kernel(Op op, Dtype dst, Dtype src);
ElementKernel math_kernel(Op op, Dtype type);
ElementKernel cast_kernel(Dtype dst, Dtype src);

// Whether the chip's vector unit (A2, A3) takes these types, by the API documentation.
bool legal_types(Op op, Dtype dst, Dtype src);
bool legal_cast(Dtype dst, Dtype src, uint8_t mode);

// Value of a scalar pattern as binary32 (floats) or as a sign-extended integer.
float scalar_float(uint64_t pattern, Dtype type);
int64_t scalar_integer(uint64_t pattern, Dtype type);

// Packs the results of `count` comparisons, bit i of the stream for element i. Whole bytes are written.
// `right` is nullptr for a scalar.
void compare_bits(uint8_t mode, Dtype type, const void* left, const void* right, uint64_t scalar, size_t count,
                  uint8_t* bits);
// Bit set: src0; clear: src1, or the scalar if src1 is nullptr. `size` is the element's bytes (2 or 4).
void select_elements(uint32_t size, void* dst, const uint8_t* bits, size_t first_bit, const void* src0,
                     const void* src1, uint64_t scalar, size_t count);

// Arrays of half, bfloat16_t or float as binary32, and back (round to nearest even).
void load_floats(const void* source, Dtype type, size_t count, float* target);
void store_floats(const float* source, Dtype type, size_t count, void* target);

}  // namespace ascendopt::rt
