// Quantisation to int8 and back, with one scale or one for each column.
#include <algorithm>

#include "composite.h"
#include "half.h"

namespace ascendopt::rt {
namespace {

float to_half(float value) { return f16_to_f32(f32_to_f16(value)); }

// Half results are rounded after each step, as the instructions do.
float rounded(float value, Dtype type) { return type == Dtype::F16 ? to_half(value) : value; }

int8_t to_int8(float value) {
    const float nearest = (value + 12582912.0f) - 12582912.0f;  // ties to even below 2^22
    const float whole = value != value ? 0.0f : (value >= 127 || value <= -128 ? value : nearest);
    return static_cast<int8_t>(std::min(127.0f, std::max(-128.0f, whole)));
}

// in: src[, scales[, offsets]]; out: int8. value: 0 = elements; 1 = elements of a row (the scales repeat);
// 2, 3 = scale and offset as floats where no tensor is given.
void quantise(const AscComposite& call) {
    check_type(call, call.in[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t count = call.value[0], width = std::max<uint64_t>(call.value[1], 1);
    Sequence sequence(call);
    const Dtype type = sequence.type();
    const bool scales = call.inputs > 1, offsets = call.inputs > 2;
    sequence.reads(0, count);
    for (int i = 1; i < call.inputs; ++i) sequence.reads(i, width);
    sequence.writes(0, count);
    const auto calls = scales ? static_cast<uint32_t>((count + width - 1) / width) : 1;
    sequence.step(scales ? Op::Mul : Op::Muls, type, count, calls);
    sequence.step(offsets ? Op::Add : Op::Adds, type, count, calls);
    if (type == Dtype::F32) sequence.step(Op::Cast, type, count);
    sequence.step(Op::Cast, Dtype::F16, count);
    if (!sequence.issue()) return;
    const std::vector<float> values = load_values(call.in[0], count);
    const std::vector<float> scale =
        scales ? load_values(call.in[1], width) : std::vector<float>{parameter(call.value[2])};
    const std::vector<float> offset =
        offsets ? load_values(call.in[2], width) : std::vector<float>{parameter(call.value[3])};
    auto* to = reinterpret_cast<int8_t*>(local(call.out[0].position, call.out[0].address));
    for (uint64_t i = 0; i < count; ++i) {
        const float product = rounded(values[i] * rounded(scale[scales ? i % width : 0], type), type);
        to[i] = to_int8(to_half(rounded(product + rounded(offset[offsets ? i % width : 0], type), type)));
    }
}

// in: int32 src[, scales]; value: 0 = rows; 1 = elements of a row of src; 2 = elements that count; 3 = the scale as a
// float where no tensor is given. Rows of dst start at multiples of 32 B.
void dequantise(const AscComposite& call) {
    check_type(call, call.in[0], type_bit(Dtype::I32));
    check_type(call, call.out[0], kHalfOrFloat | type_bit(Dtype::BF16));
    check_starts(call);
    const uint64_t rows = call.value[0], width = call.value[1], n = call.value[2];
    const auto type = static_cast<Dtype>(call.out[0].dtype);
    const uint64_t unit = kBlockBytes * 8 / dtype_bits(type);
    const uint64_t pitch = (width + unit - 1) / unit * unit;
    const bool scales = call.inputs > 1;
    if (n > width)
        fatal("shape", call.api, "%s: calCount %llu exceeds the %llu elements of a row", call.api,
              static_cast<unsigned long long>(n), static_cast<unsigned long long>(width));
    Sequence sequence(call);
    sequence.reads(0, rows * width);
    if (scales) sequence.reads(1, n);
    sequence.writes(0, rows * pitch);
    sequence.step(Op::Cast, Dtype::F32, rows * width);
    if (scales && static_cast<Dtype>(call.in[1].dtype) != Dtype::F32) sequence.step(Op::Cast, Dtype::F32, n);
    sequence.step(scales ? Op::Mul : Op::Muls, Dtype::F32, rows * width, scales ? static_cast<uint32_t>(rows) : 1);
    if (type != Dtype::F32) sequence.step(Op::Cast, Dtype::F32, rows * width);
    if (!sequence.issue()) return;
    const std::vector<float> scale = scales ? load_values(call.in[1], n) : std::vector<float>{parameter(call.value[3])};
    for (uint64_t row = 0; row < rows; ++row) {
        std::vector<float> values = load_values(call.in[0], n, row * width);
        for (uint64_t i = 0; i < n; ++i) values[i] *= scale[scales ? i : 0];
        store_values(call.out[0], values.data(), n, row * pitch);
    }
}

// in: int8 src[, scales[, offsets]]; out: half or bfloat16. value: 0 = elements; 1 = columns; 2, 3 = scale and offset
// as floats where no tensor is given; 4 = rows that share a row of scales.
void dequantise_weights(const AscComposite& call) {
    check_type(call, call.in[0], type_bit(Dtype::I8));
    check_type(call, call.out[0], type_bit(Dtype::F16) | type_bit(Dtype::BF16));
    check_starts(call);
    const uint64_t count = call.value[0], width = std::max<uint64_t>(call.value[1], 1);
    const uint64_t group = std::max<uint64_t>(call.value[4], 1);
    const uint64_t groups = (count / width + group - 1) / group;
    const bool scales = call.inputs > 1, offsets = call.inputs > 2;
    const auto type = static_cast<Dtype>(call.out[0].dtype);
    const Dtype inside = type == Dtype::F16 ? Dtype::F16 : Dtype::F32;
    Sequence sequence(call);
    sequence.reads(0, count);
    for (int i = 1; i < call.inputs; ++i) sequence.reads(i, groups * width);
    sequence.writes(0, count);
    const auto calls = scales ? static_cast<uint32_t>(count / width) : 1;
    sequence.step(Op::Cast, Dtype::F16, count);
    if (inside == Dtype::F32) sequence.step(Op::Cast, Dtype::F32, count);
    sequence.step(offsets ? Op::Add : Op::Adds, inside, count, calls);
    sequence.step(scales ? Op::Mul : Op::Muls, inside, count, calls);
    if (inside == Dtype::F32) sequence.step(Op::Cast, Dtype::F32, count);
    if (!sequence.issue()) return;
    std::vector<float> values = load_values(call.in[0], count);
    const std::vector<float> scale =
        scales ? load_values(call.in[1], groups * width) : std::vector<float>{parameter(call.value[2])};
    const std::vector<float> offset =
        offsets ? load_values(call.in[2], groups * width) : std::vector<float>{parameter(call.value[3])};
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t at = i / width / group * width + i % width;
        const float moved = rounded(values[i] + offset[offsets ? at : 0], inside);
        values[i] = moved * scale[scales ? at : 0];
    }
    store_values(call.out[0], values.data(), count);
}

}  // namespace

void run_quant(const AscComposite& call, Composite op) {
    if (op == Composite::Quant) return quantise(call);
    if (op == Composite::Dequant) return dequantise(call);
    dequantise_weights(call);
}

}  // namespace ascendopt::rt
