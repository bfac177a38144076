// The C ABI between the kernel headers (thin templates, compiled with each candidate at -O0) and the prebuilt
// runtime. Keep it small: one entry for all vector instructions, one for all DMA, a few for queues and flags.
#pragma once
#include <cstdint>

// A tensor operand in local memory: byte address inside its memory, and the bytes left up to the tensor's end.
struct AscLocal {
    uint32_t address;
    uint32_t bytes;
    uint8_t dtype;     // ascendopt::Dtype
    uint8_t position;  // TPosition
    uint16_t reserved;
};

enum AscForm : uint8_t { kAscCount = 0, kAscMaskLength = 1, kAscMaskBits = 2 };

// One vector call. `mode` is the rounding, comparison or selection mode. Strides are in 32 B blocks.
struct AscVector {
    uint16_t op;  // ascendopt::Op
    uint8_t form;
    uint8_t mode;
    uint8_t sources;      // 0..3 tensor sources
    uint8_t has_scalar;
    uint8_t set_mask;     // false: the caller's SetVectorMask stands
    uint8_t option;       // per-op switch (reduce: 1 = index wanted; select: mode; gather mask: pattern)
    uint32_t count;
    uint32_t repeat;
    uint64_t mask[2];
    uint16_t dst_block, src_block[2];
    uint16_t dst_repeat, src_repeat[2];
    uint64_t scalar;      // bit pattern in the scalar's own type
    uint8_t scalar_dtype;
    AscLocal dst;
    AscLocal src[3];
    AscLocal tmp;
    const char* api;      // name as the user wrote it, for messages
};

extern "C" {
void asc_vector(const AscVector* call);
}
