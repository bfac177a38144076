// Selection by a mask of whole elements instead of bits.
#include <cstring>

#include "composite.h"

namespace ascendopt::rt {
namespace {

// in: src, mask. value: 0 = rows; 1 = elements of a row of src; 2 = of the mask; 3 = the scalar's bits; 4 = 1: the
// scalar stands for a mask of zero, 0: for any other.
void select_by_bytes(const AscComposite& call) {
    check_type(call, call.in[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t rows = call.value[0], width = call.value[1], mask_width = call.value[2];
    if (mask_width < width) fatal("shape", call.api, "%s: the mask's rows are shorter than those of src", call.api);
    Sequence sequence(call);
    const Dtype type = sequence.type();
    sequence.reads(0, rows * width);
    sequence.reads(1, rows * mask_width);
    sequence.writes(0, rows * width);
    if (mask_width != width) sequence.step(Op::GatherMask, Dtype::U16, rows * mask_width / 2);
    sequence.step(Op::Cast, Dtype::F16, rows * width);
    sequence.step(Op::CompareScalar, Dtype::F16, rows * width);
    sequence.step(Op::Select, type, rows * width);
    if (!sequence.issue()) return;
    const size_t size = dtype_bits(type) / 8, mask_size = dtype_bits(static_cast<Dtype>(call.in[1].dtype)) / 8;
    const uint8_t* source = local(call.in[0].position, call.in[0].address);
    const uint8_t* mask = local(call.in[1].position, call.in[1].address);
    uint8_t* to = local(call.out[0].position, call.out[0].address);
    for (uint64_t row = 0; row < rows; ++row) {
        for (uint64_t i = 0; i < width; ++i) {
            uint64_t bits = 0;
            std::memcpy(&bits, mask + (row * mask_width + i) * mask_size, mask_size);
            const uint64_t at = (row * width + i) * size;
            const bool scalar = (bits == 0) == (call.value[4] != 0);
            std::memmove(to + at, scalar ? static_cast<const void*>(&call.value[3]) : source + at, size);
        }
    }
}

// in: src, mask. value: 0 = rows; 1, 2 = elements of a row of src and of the mask; 3 = 1 / keep probability; 4 = 1: the
// mask holds bits, 0: bytes.
void drop_out(const AscComposite& call) {
    check_type(call, call.in[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t rows = call.value[0], width = call.value[1], mask_width = call.value[2];
    const bool bits = call.value[4] != 0;
    const uint64_t mask_bytes = bits ? (width + 7) / 8 : width;
    if (mask_bytes > mask_width) fatal("shape", call.api, "DropOut: the mask's rows are shorter than those of src");
    Sequence sequence(call);
    const Dtype type = sequence.type();
    sequence.reads(0, rows * width);
    sequence.reads(1, rows * mask_width);
    sequence.writes(0, rows * width);
    if (mask_bytes != mask_width) sequence.step(Op::GatherMask, Dtype::U16, rows * mask_width / 2);
    if (!bits) {
        sequence.step(Op::Cast, Dtype::F16, rows * width);
        sequence.step(Op::CompareScalar, Dtype::F16, rows * width);
    }
    sequence.step(Op::Select, type, rows * width);
    sequence.step(Op::Muls, type, rows * width);
    if (!sequence.issue()) return;
    const uint8_t* mask = local(call.in[1].position, call.in[1].address);
    for (uint64_t row = 0; row < rows; ++row, mask += mask_width) {
        std::vector<float> values = load_values(call.in[0], width, row * width);
        for (uint64_t i = 0; i < width; ++i) {
            const bool keep = bits ? ((mask[i / 8] >> (i % 8)) & 1) != 0 : mask[i] != 0;
            values[i] = keep ? values[i] * parameter(call.value[3]) : 0.0f;
        }
        store_values(call.out[0], values.data(), width, row * width);
    }
}

}  // namespace

void run_choice(const AscComposite& call, Composite op) {
    if (op == Composite::DropOut) return drop_out(call);
    if (op == Composite::BilinearInterpolation) return interpolate(call);
    select_by_bytes(call);
}

}  // namespace ascendopt::rt
