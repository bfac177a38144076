// The softmax family over the rows of a matrix. Rows start `pitch` elements apart; the maximum and the sum of a row
// fill one 32 B block of their tensors.
#include <algorithm>

#include "../abi/scratch.h"
#include "composite_rows.h"
#include "half.h"

namespace ascendopt::rt {
namespace {

constexpr double kLn10 = 2.302585092994045684;

void subtract_and_exp(Sequence& sequence, const Rows& at) {
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 8);
    sequence.step(Op::Sub, Dtype::F32, at.elements());
    sequence.step(Op::Exp, Dtype::F32, at.elements());
}
void divide(Sequence& sequence, const Rows& at) {
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 8);
    sequence.step(Op::Div, Dtype::F32, at.elements());
}
void row_maximum(Sequence& sequence, const Rows& at) {
    reduce_rows(sequence, Op::WholeReduceMax, Dtype::F32, at.rows, at.n);
}
void row_total(Sequence& sequence, const Rows& at) {
    reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, at.rows, at.n);
}
void widen(Sequence& sequence, const Rows& at) {
    if (at.half()) sequence.step(Op::Cast, Dtype::F32, at.elements());
}

// out: dst[, sum, max]; in: src[, sum, max]. value 3: 0 = SoftMax, 1 = SimpleSoftMax (sum and max are given),
// 2 = LogSoftMax, whose logarithm is the decimal one (as documented).
void softmax(const AscComposite& call) {
    const Rows at(call);
    const bool given = call.value[3] == 1, logarithm = call.value[3] == 2;
    Sequence sequence(call);
    sequence.scratch(scratch::softmax_row(static_cast<uint32_t>(at.pitch), 1));
    sequence.reads(0, at.elements());
    sequence.writes(0, at.elements());
    for (int i = 1; i < call.outputs; ++i) sequence.writes(i, blocks(call.out[i], at.rows));
    for (int i = 1; i < call.inputs; ++i) sequence.reads(i, blocks(call.in[i], at.rows));
    widen(sequence, at);
    if (!given) row_maximum(sequence, at);
    subtract_and_exp(sequence, at);
    if (!given) row_total(sequence, at);
    divide(sequence, at);
    if (logarithm) {
        sequence.step(Op::Ln, Dtype::F32, at.elements());
        sequence.step(Op::Muls, Dtype::F32, at.elements());
    }
    widen(sequence, at);
    if (!sequence.issue()) return;
    for (uint64_t row = 0; row < at.rows; ++row) {
        std::vector<float> values = load_values(call.in[0], at.pitch, row * at.pitch);
        const float maximum = given ? block_value(call.in[2], row) : largest(values, at.n);
        for (float& value : values) value = exponential_of(value - maximum);
        const float sum =
            given ? block_value(call.in[1], row) : row_sum({values.begin(), values.begin() + at.n}, Dtype::F32);
        for (float& value : values) value /= sum;
        if (logarithm) {
            for (float& value : values) value = static_cast<float>(math::logarithm(value) / kLn10);
        }
        store_values(call.out[0], values.data(), at.pitch, row * at.pitch);
        if (call.outputs > 1) {
            fill_block(call.out[1], row, sum);
            fill_block(call.out[2], row, maximum);
        }
    }
}

// out: dst, sum, max, expMax; in: src, inSum, inMax. value 3: 1 = V2 (dst is not divided by the sum); 4: 1 = update.
void softmax_flash(const AscComposite& call) {
    const Rows at(call);
    const bool second = call.value[3] != 0, update = call.value[4] != 0;
    Sequence sequence(call);
    sequence.scratch(scratch::softmax_row(static_cast<uint32_t>(at.pitch), 2));
    sequence.reads(0, at.elements());
    for (int i = 1; update && i < 3; ++i) sequence.reads(i, blocks(call.in[i], at.rows));
    sequence.writes(0, at.elements());
    for (int i = 1; i < (update ? 4 : 3); ++i) sequence.writes(i, blocks(call.out[i], at.rows));
    widen(sequence, at);
    row_maximum(sequence, at);
    if (update) sequence.step(Op::Max, Dtype::F32, at.rows * 8);
    subtract_and_exp(sequence, at);
    row_total(sequence, at);
    if (update) {
        sequence.step(Op::Sub, Dtype::F32, at.rows * 8);
        sequence.step(Op::Exp, Dtype::F32, at.rows * 8);
        sequence.step(Op::Mul, Dtype::F32, at.rows * 8);
        sequence.step(Op::Add, Dtype::F32, at.rows * 8);
    }
    if (!second) divide(sequence, at);
    widen(sequence, at);
    if (!sequence.issue()) return;
    for (uint64_t row = 0; row < at.rows; ++row) {
        std::vector<float> values = load_values(call.in[0], at.pitch, row * at.pitch);
        float maximum = largest(values, at.n);
        const float before = update ? block_value(call.in[2], row) : 0.0f;
        if (update && before > maximum) maximum = before;
        for (float& value : values) value = exponential_of(value - maximum);
        float sum = row_sum({values.begin(), values.begin() + at.n}, Dtype::F32);
        float factor = update ? exponential_of(before - maximum) : 0.0f;
        if (update) {
            const float weighted = factor * block_value(call.in[1], row);
            sum = weighted + sum;
            if (!second) factor = weighted / sum;
        }
        if (!second) {
            for (float& value : values) value /= sum;
        }
        store_values(call.out[0], values.data(), at.pitch, row * at.pitch);
        fill_block(call.out[1], row, sum);
        fill_block(call.out[2], row, maximum);
        if (update) fill_block(call.out[3], row, factor);
    }
}

// in: grad, src. value 3: 1 = only the sums, a block for each row.
void softmax_grad(const AscComposite& call) {
    const Rows at(call);
    const bool front = call.value[3] != 0;
    Sequence sequence(call);
    sequence.scratch(scratch::softmax_row(static_cast<uint32_t>(at.pitch), 2));
    sequence.reads(0, at.elements());
    sequence.reads(1, at.elements());
    sequence.writes(0, front ? blocks(call.out[0], at.rows) : at.elements());
    widen(sequence, at);
    sequence.step(Op::Mul, Dtype::F32, at.elements());
    row_total(sequence, at);
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 8);
    if (!front) {
        sequence.step(Op::Sub, Dtype::F32, at.elements());
        sequence.step(Op::Mul, Dtype::F32, at.elements());
    }
    widen(sequence, at);
    if (!sequence.issue()) return;
    for (uint64_t row = 0; row < at.rows; ++row) {
        std::vector<float> grad = load_values(call.in[0], at.pitch, row * at.pitch);
        const std::vector<float> source = load_values(call.in[1], at.pitch, row * at.pitch);
        std::vector<float> product(at.n);
        for (uint64_t i = 0; i < at.n; ++i) product[i] = grad[i] * source[i];
        const float sum = row_sum(product, Dtype::F32);
        if (front) {
            fill_block(call.out[0], row, sum);
            continue;
        }
        for (uint64_t i = 0; i < at.pitch; ++i) grad[i] = (grad[i] - sum) * source[i];
        store_values(call.out[0], grad.data(), at.pitch, row * at.pitch);
    }
}

// Rows whose maximum has the bits value[3] are filled with the float in value[4]. value[5]: host pointer to a bool that
// says whether there was one.
void adjust(const AscComposite& call) {
    const Rows at(call);
    Sequence sequence(call);
    sequence.reads(0, at.elements());
    sequence.reads(1, blocks(call.in[1], at.rows));
    sequence.writes(0, at.elements());
    sequence.step(Op::CompareScalar, static_cast<Dtype>(call.in[1].dtype), blocks(call.in[1], at.rows));
    sequence.step(Op::Duplicate, at.type, at.pitch);
    auto& found = *reinterpret_cast<bool*>(call.value[5]);
    found = false;
    if (!sequence.issue()) return data_dependent(call.api);
    const size_t size = dtype_bits(static_cast<Dtype>(call.in[1].dtype)) / 8;
    const std::vector<float> fill(at.pitch, parameter(call.value[4]));
    for (uint64_t row = 0; row < at.rows; ++row) {
        uint64_t bits = 0;
        __builtin_memcpy(&bits, local(call.in[1].position, call.in[1].address) + row * kBlockBytes, size);
        if (bits != (call.value[3] & (size == 2 ? 0xFFFFu : 0xFFFFFFFFu))) continue;
        found = true;
        store_values(call.out[0], fill.data(), at.pitch, row * at.pitch);
    }
}

}  // namespace

void run_softmax(const AscComposite& call, Composite op) {
    switch (op) {
        case Composite::SoftmaxFlash:
            if (call.value[3] == 2) return softmax_flash_shifted(call);
            return softmax_flash(call);
        case Composite::SoftmaxGrad:
            return softmax_grad(call);
        case Composite::AdjustSoftMaxRes:
            return adjust(call);
        default:
            return softmax(call);
    }
}

}  // namespace ascendopt::rt
