// Normalisations of rows: LayerNorm and its relatives, in binary32, rounded once when stored.
#include <algorithm>

#include "../abi/scratch.h"
#include "composite.h"
#include "half.h"

namespace ascendopt::rt {
namespace {

float root(double value) { return static_cast<float>(__builtin_sqrt(value)); }

// value: 0 = rows; 1 = pitch; 2 = elements that count; 3 = epsilon; the rest by function.
struct Matrix {
    const AscComposite& call;
    uint64_t rows, pitch, n;
    float epsilon;
    Dtype type;

    explicit Matrix(const AscComposite& from)
        : call(from),
          rows(from.value[0]),
          pitch(from.value[1]),
          n(from.value[2]),
          epsilon(parameter(from.value[3])),
          type(static_cast<Dtype>(from.in[0].dtype)) {
        check_type(call, call.in[0], kHalfOrFloat);
        check_starts(call);
        if (n == 0 || n > pitch || pitch * dtype_bits(type) / 8 % kBlockBytes) {
            fatal("shape", call.api, "%s: rows of %llu elements (%llu count) are not whole 32 B blocks", call.api,
                  static_cast<unsigned long long>(pitch), static_cast<unsigned long long>(n));
        }
    }
    uint64_t elements() const { return rows * pitch; }
    void cast(Sequence& sequence) const {
        if (type == Dtype::F16) sequence.step(Op::Cast, Dtype::F32, elements());
    }
    // Multiplication or addition with a row that all rows share.
    void by_row(Sequence& sequence, Op op) const {
        sequence.step(op, Dtype::F32, elements(), static_cast<uint32_t>(rows));
    }
};

struct Moments {
    float mean, variance;
};

Moments moments(const std::vector<float>& values, uint64_t n) {
    std::vector<float> part(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    const float mean = row_sum(part, Dtype::F32) / static_cast<float>(n);
    for (float& value : part) value = (value - mean) * (value - mean);
    return {mean, row_sum(part, Dtype::F32) / static_cast<float>(n)};
}

constexpr uint64_t kRstd = 1, kNoGamma = 2, kNoBeta = 4, kOnlyOutput = 8, kTwoSources = 16;

// out: dst, mean, variance (or 1 / deviation: kRstd); in: x[, gx], gamma, beta. value: 4 = flags; 5 = alpha (x counts
// alpha times, then gx is added: kTwoSources); 6 = rows for each gamma and beta (0: they are rows themselves).
void normalise(const AscComposite& call) {
    const Matrix at(call);
    const uint64_t flags = call.value[4];
    const bool two = flags & kTwoSources;
    const int gamma_input = two ? 2 : 1, beta_input = two ? 3 : 2;
    Sequence sequence(call);
    sequence.scratch(scratch::norm_row(static_cast<uint32_t>(at.rows), static_cast<uint32_t>(at.n), 3));
    sequence.reads(0, at.elements());
    if (two) sequence.reads(1, at.elements());
    if (!(flags & kNoGamma)) sequence.reads(gamma_input, at.n);
    if (!(flags & kNoBeta)) sequence.reads(beta_input, at.n);
    sequence.writes(0, at.elements());
    for (int i = 1; i < 3 && !(flags & kOnlyOutput); ++i) sequence.writes(i, at.rows);
    at.cast(sequence);
    if (two) sequence.step(Op::Axpy, Dtype::F32, at.elements());
    sequence.step(Op::Muls, Dtype::F32, at.elements());
    reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, at.rows, at.n);
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 8);
    sequence.step(Op::Sub, Dtype::F32, at.elements());
    sequence.step(Op::Mul, Dtype::F32, at.elements());
    sequence.step(Op::Muls, Dtype::F32, at.elements());
    reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, at.rows, at.n);
    sequence.step(Op::Adds, Dtype::F32, at.rows);
    sequence.step(Op::Sqrt, Dtype::F32, at.rows);
    sequence.step(Op::Div, Dtype::F32, at.rows);
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 8);
    sequence.step(Op::Mul, Dtype::F32, at.elements());
    if (!(flags & kNoGamma)) at.by_row(sequence, Op::Mul);
    if (!(flags & kNoBeta)) at.by_row(sequence, Op::Add);
    at.cast(sequence);
    if (!sequence.issue()) return;
    const std::vector<float> gamma =
        flags & kNoGamma ? std::vector<float>(at.n, 1.0f) : load_values(call.in[gamma_input], at.n);
    const std::vector<float> beta =
        flags & kNoBeta ? std::vector<float>(at.n, 0.0f) : load_values(call.in[beta_input], at.n);
    std::vector<float> means, spreads;
    for (uint64_t row = 0; row < at.rows; ++row) {
        std::vector<float> values = load_values(call.in[0], at.pitch, row * at.pitch);
        if (two) {
            const std::vector<float> other = load_values(call.in[1], at.pitch, row * at.pitch);
            for (uint64_t i = 0; i < at.pitch; ++i) values[i] = values[i] * parameter(call.value[5]) + other[i];
        }
        const Moments found = moments(values, at.n);
        const float rstd = 1.0f / root(static_cast<double>(found.variance + at.epsilon));
        means.push_back(found.mean);
        spreads.push_back(flags & kRstd ? rstd : found.variance);
        for (uint64_t i = 0; i < at.n; ++i) values[i] = (values[i] - found.mean) * rstd * gamma[i] + beta[i];
        store_values(call.out[0], values.data(), at.n, row * at.pitch);
    }
    if (flags & kOnlyOutput) return;
    store_values(call.out[1], means.data(), at.rows);
    store_values(call.out[2], spreads.data(), at.rows);
}

// out: dst; in: x, gamma.
void root_mean_square(const AscComposite& call) {
    const Matrix at(call);
    Sequence sequence(call);
    sequence.reads(0, at.elements());
    sequence.reads(1, at.n);
    sequence.writes(0, at.elements());
    at.cast(sequence);
    sequence.step(Op::Mul, Dtype::F32, at.elements());
    reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, at.rows, at.n);
    sequence.step(Op::Muls, Dtype::F32, at.rows);
    sequence.step(Op::Adds, Dtype::F32, at.rows);
    sequence.step(Op::Sqrt, Dtype::F32, at.rows);
    sequence.step(Op::Div, Dtype::F32, at.rows);
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 8);
    sequence.step(Op::Mul, Dtype::F32, at.elements());
    at.by_row(sequence, Op::Mul);
    at.cast(sequence);
    if (!sequence.issue()) return;
    const std::vector<float> gamma = load_values(call.in[1], at.n);
    for (uint64_t row = 0; row < at.rows; ++row) {
        std::vector<float> values = load_values(call.in[0], at.n, row * at.pitch);
        std::vector<float> squares = values;
        for (float& value : squares) value *= value;
        const float mean = row_sum(squares, Dtype::F32) / static_cast<float>(at.n);
        const float rstd = 1.0f / root(static_cast<double>(mean + at.epsilon));
        for (uint64_t i = 0; i < at.n; ++i) values[i] = values[i] * rstd * gamma[i];
        store_values(call.out[0], values.data(), at.n, row * at.pitch);
    }
}

// Over the rows: out: dst, mean, variance (a row each); in: x, gamma, beta (one value a row).
void normalise_columns(const AscComposite& call) {
    const Matrix at(call);
    Sequence sequence(call);
    sequence.reads(0, at.elements());
    sequence.reads(1, at.rows);
    sequence.reads(2, at.rows);
    sequence.writes(0, at.elements());
    sequence.writes(1, at.pitch);
    sequence.writes(2, at.pitch);
    at.cast(sequence);
    const auto calls = static_cast<uint32_t>(at.rows);
    for (int pass = 0; pass < 2; ++pass) {
        if (pass) sequence.step(Op::Mul, Dtype::F32, at.elements());
        sequence.step(Op::Muls, Dtype::F32, at.elements());
        sequence.step(Op::Add, Dtype::F32, at.elements(), calls);
        if (!pass) sequence.step(Op::Sub, Dtype::F32, at.elements(), calls);
    }
    sequence.step(Op::Adds, Dtype::F32, at.pitch);
    sequence.step(Op::Sqrt, Dtype::F32, at.pitch);
    sequence.step(Op::Div, Dtype::F32, at.elements(), calls);
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 8 * 2);
    sequence.step(Op::Mul, Dtype::F32, at.elements(), calls);
    sequence.step(Op::Add, Dtype::F32, at.elements(), calls);
    at.cast(sequence);
    if (!sequence.issue()) return;
    std::vector<float> x = load_values(call.in[0], at.elements());
    const std::vector<float> gamma = load_values(call.in[1], at.rows), beta = load_values(call.in[2], at.rows);
    std::vector<float> means(at.pitch), variances(at.pitch);
    for (uint64_t i = 0; i < at.pitch; ++i) {
        std::vector<float> column(at.rows);
        for (uint64_t row = 0; row < at.rows; ++row) column[row] = x[row * at.pitch + i];
        const Moments found = moments(column, at.rows);
        means[i] = found.mean;
        variances[i] = found.variance;
        const float rstd = 1.0f / root(static_cast<double>(found.variance + at.epsilon));
        for (uint64_t row = 0; row < at.rows; ++row) {
            x[row * at.pitch + i] = (column[row] - found.mean) * rstd * gamma[row] + beta[row];
        }
    }
    store_values(call.out[0], x.data(), at.elements());
    store_values(call.out[1], means.data(), at.pitch);
    store_values(call.out[2], variances.data(), at.pitch);
}

// out: dx, (x - mean) / deviation; in: dy, x, variance, mean, gamma.
void layer_norm_grad(const AscComposite& call) {
    const Matrix at(call);
    Sequence sequence(call);
    sequence.reads(0, at.elements());
    sequence.reads(1, at.elements());
    sequence.reads(2, at.rows);
    sequence.reads(3, at.rows);
    sequence.reads(4, at.n);
    sequence.writes(0, at.elements());
    sequence.writes(1, at.elements());
    at.cast(sequence);
    at.by_row(sequence, Op::Mul);
    for (int i = 0; i < 2; ++i) sequence.step(Op::Brcb, Dtype::F32, at.rows * 8);
    sequence.step(Op::Sub, Dtype::F32, at.elements());
    sequence.step(Op::Sqrt, Dtype::F32, at.rows);
    for (int i = 0; i < 6; ++i) sequence.step(Op::Mul, Dtype::F32, at.elements());
    for (int i = 0; i < 3; ++i) reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, at.rows, at.n);
    for (int i = 0; i < 2; ++i) sequence.step(Op::Add, Dtype::F32, at.elements());
    at.cast(sequence);
    if (!sequence.issue()) return;
    const std::vector<float> gamma = load_values(call.in[4], at.n);
    const std::vector<float> variances = load_values(call.in[2], at.rows), means = load_values(call.in[3], at.rows);
    const double size = static_cast<double>(at.n);
    for (uint64_t row = 0; row < at.rows; ++row) {
        std::vector<float> dy = load_values(call.in[0], at.n, row * at.pitch);
        std::vector<float> x = load_values(call.in[1], at.n, row * at.pitch);
        const double rstd = 1.0 / __builtin_sqrt(static_cast<double>(variances[row]) + at.epsilon);
        double sum = 0, weighted = 0, offsets = 0;
        for (uint64_t i = 0; i < at.n; ++i) {
            x[i] -= means[row];
            dy[i] *= gamma[i];
            sum += dy[i];
            weighted += static_cast<double>(dy[i]) * x[i];
            offsets += x[i];
        }
        const double by_variance = -0.5 * weighted * rstd * rstd * rstd;
        const double by_mean = -sum * rstd + by_variance * (-2.0 * offsets) / size;
        for (uint64_t i = 0; i < at.n; ++i) {
            const double offset = x[i];
            dy[i] = static_cast<float>(dy[i] * rstd + by_variance * 2.0 * offset / size + by_mean / size);
            x[i] = static_cast<float>(offset * rstd);
        }
        store_values(call.out[0], dy.data(), at.n, row * at.pitch);
        store_values(call.out[1], x.data(), at.n, row * at.pitch);
    }
}

// out: sums over the rows of dy times the other input, and of dy; in: the other input, dy.
void layer_norm_grad_beta(const AscComposite& call) {
    const Matrix at(call);
    Sequence sequence(call);
    sequence.reads(0, at.elements());
    sequence.reads(1, at.elements());
    sequence.writes(0, at.n);
    sequence.writes(1, at.n);
    at.cast(sequence);
    sequence.step(Op::Mul, Dtype::F32, at.elements());
    for (int i = 0; i < 2; ++i) sequence.step(Op::Add, Dtype::F32, at.elements(), static_cast<uint32_t>(at.rows));
    if (at.type == Dtype::F16) sequence.step(Op::Cast, Dtype::F32, 2 * at.n);
    if (!sequence.issue()) return;
    std::vector<float> gamma(at.n), beta(at.n);
    for (uint64_t row = 0; row < at.rows; ++row) {
        const std::vector<float> other = load_values(call.in[0], at.n, row * at.pitch);
        const std::vector<float> dy = load_values(call.in[1], at.n, row * at.pitch);
        for (uint64_t i = 0; i < at.n; ++i) {
            gamma[i] += dy[i] * other[i];
            beta[i] += dy[i];
        }
    }
    store_values(call.out[0], gamma.data(), at.n);
    store_values(call.out[1], beta.data(), at.n);
}

// One more sample for each element. out: mean, variance sum; in: x, mean, variance sum. value: 0 = elements;
// 1 = elements that count (the others are copied); 2 = 1 / number of samples.
void welford_update(const AscComposite& call) {
    check_type(call, call.in[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t count = call.value[0], n = std::min(call.value[1], count);
    Sequence sequence(call);
    sequence.reads(0, n);
    sequence.writes(0, count);
    sequence.writes(1, count);
    sequence.reads(1, count);
    sequence.reads(2, count);
    if (sequence.type() == Dtype::F16) sequence.step(Op::Cast, Dtype::F32, n);
    sequence.step(Op::Sub, Dtype::F32, n);
    sequence.step(Op::Axpy, Dtype::F32, n);
    sequence.step(Op::Sub, Dtype::F32, n);
    sequence.step(Op::Mul, Dtype::F32, n);
    sequence.step(Op::Add, Dtype::F32, n);
    if (!sequence.issue()) return;
    const std::vector<float> x = load_values(call.in[0], n);
    std::vector<float> mean = load_values(call.in[1], count), variance = load_values(call.in[2], count);
    for (uint64_t i = 0; i < n; ++i) {
        const float delta = x[i] - mean[i];
        mean[i] = mean[i] + delta * parameter(call.value[2]);
        variance[i] = variance[i] + delta * (x[i] - mean[i]);
    }
    store_values(call.out[0], mean.data(), count);
    store_values(call.out[1], variance.data(), count);
}

// Running means of parts become one mean and variance. out: mean, variance; in: means, variance sums[, counts].
// value: 0 = parts; 1 = 1 / samples of all; 2 = samples of a part where no counts are given; 3 = parts from which on a
// part has value 4 samples.
void welford_finalize(const AscComposite& call) {
    check_starts(call);
    const uint64_t parts = call.value[0];
    const bool given = call.inputs > 2;
    Sequence sequence(call);
    for (int i = 0; i < call.inputs; ++i) sequence.reads(i, parts);
    sequence.writes(0, 1);
    sequence.writes(1, 1);
    if (given) sequence.step(Op::Cast, Dtype::F32, parts);
    for (int pass = 0; pass < 2; ++pass) {
        if (pass) sequence.step(Op::Adds, Dtype::F32, parts);
        if (pass) sequence.step(Op::Mul, Dtype::F32, parts);
        sequence.step(Op::Mul, Dtype::F32, parts);
        reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, 1, parts);
    }
    reduce_rows(sequence, Op::WholeReduceSum, Dtype::F32, 1, parts);
    sequence.step(Op::Add, Dtype::F32, 1);
    if (!sequence.issue()) return;
    const std::vector<float> means = load_values(call.in[0], parts), sums = load_values(call.in[1], parts);
    std::vector<float> counts = given ? load_values(call.in[2], parts) : std::vector<float>(parts);
    for (uint64_t i = 0; i < parts && !given; ++i) {
        counts[i] = static_cast<float>(i < call.value[3] ? call.value[2] : call.value[4]);
    }
    const double share = parameter(call.value[1]);
    double mean = 0, variance = 0;
    for (uint64_t i = 0; i < parts; ++i) mean += static_cast<double>(counts[i]) * means[i] * share;
    for (uint64_t i = 0; i < parts; ++i) {
        variance += (sums[i] + counts[i] * (means[i] - mean) * (means[i] - mean)) * share;
    }
    const float results[] = {static_cast<float>(mean), static_cast<float>(variance)};
    store_values(call.out[0], &results[0], 1);
    store_values(call.out[1], &results[1], 1);
}

// Mean and variance are given. out: dst, 1 / deviation; in: x, means, variances, gamma, beta. value 4 = flags.
void apply_moments(const AscComposite& call) {
    const Matrix at(call);
    const uint64_t flags = call.value[4];
    Sequence sequence(call);
    sequence.reads(0, at.elements());
    sequence.reads(1, at.rows);
    sequence.reads(2, at.rows);
    if (!(flags & kNoGamma)) sequence.reads(3, at.n);
    if (!(flags & kNoBeta)) sequence.reads(4, at.n);
    sequence.writes(0, at.elements());
    if (!(flags & kOnlyOutput)) sequence.writes(1, at.rows);
    at.cast(sequence);
    sequence.step(Op::Adds, Dtype::F32, at.rows);
    sequence.step(Op::Sqrt, Dtype::F32, at.rows);
    sequence.step(Op::Div, Dtype::F32, at.rows);
    sequence.step(Op::Brcb, Dtype::F32, at.rows * 16);
    sequence.step(Op::Sub, Dtype::F32, at.elements());
    sequence.step(Op::Mul, Dtype::F32, at.elements());
    if (!(flags & kNoGamma)) at.by_row(sequence, Op::Mul);
    if (!(flags & kNoBeta)) at.by_row(sequence, Op::Add);
    at.cast(sequence);
    if (!sequence.issue()) return;
    const std::vector<float> means = load_values(call.in[1], at.rows), variances = load_values(call.in[2], at.rows);
    const std::vector<float> gamma = flags & kNoGamma ? std::vector<float>(at.n, 1.0f) : load_values(call.in[3], at.n);
    const std::vector<float> beta = flags & kNoBeta ? std::vector<float>(at.n, 0.0f) : load_values(call.in[4], at.n);
    std::vector<float> spreads(at.rows);
    for (uint64_t row = 0; row < at.rows; ++row) {
        std::vector<float> values = load_values(call.in[0], at.n, row * at.pitch);
        spreads[row] = 1.0f / root(static_cast<double>(variances[row] + at.epsilon));
        for (uint64_t i = 0; i < at.n; ++i) values[i] = (values[i] - means[row]) * spreads[row] * gamma[i] + beta[i];
        store_values(call.out[0], values.data(), at.n, row * at.pitch);
    }
    if (!(flags & kOnlyOutput)) store_values(call.out[1], spreads.data(), at.rows);
}

}  // namespace

void run_norm(const AscComposite& call, Composite op) {
    switch (op) {
        case Composite::RmsNorm:
            return root_mean_square(call);
        case Composite::BatchNorm:
            return normalise_columns(call);
        case Composite::LayerNormGrad:
            return layer_norm_grad(call);
        case Composite::LayerNormGradBeta:
            return layer_norm_grad_beta(call);
        case Composite::WelfordUpdate:
            return welford_update(call);
        case Composite::WelfordFinalize:
            return welford_finalize(call);
        case Composite::Normalize:
            return apply_moments(call);
        default:
            return normalise(call);
    }
}

}  // namespace ascendopt::rt
