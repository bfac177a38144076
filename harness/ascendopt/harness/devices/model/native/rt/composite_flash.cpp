// The third form of flash softmax: scores are shifted by the deviation of a part's mean from the row's mean, which
// keeps half data in range; the formula is the one of the documentation.
#include <algorithm>

#include "composite_rows.h"

namespace ascendopt::rt {
namespace {

constexpr uint64_t kParts = 8, kGroup = 64, kHead = kParts * kGroup;

// Mean of each part of a row. The head of 512 elements counts in groups of 64, each further 64 in groups of eight.
std::vector<float> part_means(const std::vector<float>& row, uint64_t n) {
    std::vector<float> means(kParts);
    for (uint64_t part = 0; part < kParts; ++part) {
        float sum = 0.0f;
        for (uint64_t i = part * kGroup; i < (part + 1) * kGroup; ++i) sum += row[i];
        for (uint64_t start = kHead; start < n; start += kGroup) {
            for (uint64_t i = 0; i < kGroup / kParts; ++i) sum += row[start + part * (kGroup / kParts) + i];
        }
        means[part] = sum / static_cast<float>(n / kParts);
    }
    return means;
}

struct Loop {
    bool update;
    float count, scale;

    explicit Loop(const AscComposite& call) : update(call.value[4] != 0), count(static_cast<float>(call.value[5])) {
        const float alpha = parameter(call.value[6]);
        scale = alpha / (1.0f - alpha);
    }
};

void steps(Sequence& sequence, const Rows& at, bool update) {
    sequence.step(Op::Cast, Dtype::F32, at.elements());
    sequence.step(Op::BlockReduceSum, Dtype::F32, at.rows * kHead);
    sequence.step(Op::Add, Dtype::F32, at.elements() - at.rows * kHead);
    sequence.step(Op::BlockReduceSum, Dtype::F32, at.rows * kGroup);
    sequence.step(Op::Muls, Dtype::F32, at.rows * kParts);
    reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, at.rows, kParts);
    for (const Op op : {Op::Sub, Op::Muls}) sequence.step(op, Dtype::F32, at.rows * kParts);
    sequence.step(Op::Sub, Dtype::F32, at.elements());
    reduce_rows(sequence, Op::WholeReduceMax, Dtype::F32, at.rows, at.n);
    for (const Op op : {Op::Sub, Op::Muls, Op::Add, Op::Sub}) sequence.step(op, Dtype::F32, at.rows * 8);
    for (const Op op : {Op::Sub, Op::Exp}) sequence.step(op, Dtype::F32, at.elements());
    reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, at.rows, at.n);
    for (const Op op : {Op::Max, Op::Exp, Op::Mul, Op::Add}) {
        if (update) sequence.step(op, Dtype::F32, at.rows * 8);
    }
    sequence.step(Op::Cast, Dtype::F32, at.elements());
}

void row(const AscComposite& call, const Rows& at, const Loop& loop, uint64_t index) {
    std::vector<float> values = load_values(call.in[0], at.pitch, index * at.pitch);
    const std::vector<float> means = part_means(values, at.n);
    float global = 0.0f;
    for (const float mean : means) global += mean / kParts;
    for (uint64_t i = 0; i < at.n; ++i) values[i] -= (global - means[i / (at.n / kParts)]) * loop.scale;
    const float before = loop.update ? block_value(call.in[1], index) : 0.0f;
    const float mean = loop.update ? (global + before * (loop.count - 1.0f)) / loop.count : global;
    const float shift = (global - mean) * loop.scale, earlier = (before - mean) * loop.scale;
    const float known = loop.update ? block_value(call.in[3], index) : 0.0f;
    float maximum = largest(values, at.n) + shift;
    if (loop.update) maximum = std::max(maximum, earlier + known);
    for (float& value : values) value = exponential_of(value - (maximum - shift));
    float sum = row_sum({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at.n)}, Dtype::F32);
    if (loop.update) {
        const float factor = exponential_of(known - maximum + earlier);
        sum += factor * block_value(call.in[2], index);
        fill_block(call.out[4], index, factor);
    }
    store_values(call.out[0], values.data(), at.pitch, index * at.pitch);
    fill_block(call.out[1], index, mean);
    fill_block(call.out[2], index, sum);
    fill_block(call.out[3], index, maximum);
}

}  // namespace

// out: dst, mean, sum, max, expMax; in: src, inMean, inSum, inMax. value: 4 = update; 5 = turns so far; 6 = alpha;
// 7 = parts of a row.
void softmax_flash_shifted(const AscComposite& call) {
    const Rows at(call);
    const Loop loop(call);
    if (call.value[7] != kParts || at.n < kHead || at.n % kGroup || at.n != at.pitch) {
        fatal("shape", call.api,
              "%s takes rows of at least 512 elements, a multiple of 64, in 8 parts; not %llu in %llu", call.api,
              static_cast<unsigned long long>(at.n), static_cast<unsigned long long>(call.value[7]));
    }
    Sequence sequence(call);
    sequence.reads(0, at.elements());
    for (int i = 1; loop.update && i < 4; ++i) sequence.reads(i, blocks(call.in[i], at.rows));
    sequence.writes(0, at.elements());
    for (int i = 1; i < (loop.update ? 5 : 4); ++i) sequence.writes(i, blocks(call.out[i], at.rows));
    steps(sequence, at, loop.update);
    if (!sequence.issue()) return;
    for (uint64_t index = 0; index < at.rows; ++index) row(call, at, loop, index);
}

}  // namespace ascendopt::rt
