// Reductions and running sums along an axis of a matrix in local memory.
#include <algorithm>

#include "../abi/scratch.h"
#include "composite.h"
#include "half.h"

namespace ascendopt::rt {
namespace {

uint32_t lanes_of(Dtype type) { return kRepeatBytes * 8 / dtype_bits(type); }

// value: 0 = rows; 1 = row pitch in elements; 2 = elements of a row that count; 3 = type to compute in.
void sum_rows(const AscComposite& call, Composite op) {
    check_type(call, call.in[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t rows = call.value[0], pitch = call.value[1], n = call.value[2];
    const auto type = static_cast<Dtype>(call.in[0].dtype);
    const auto inside = op == Composite::Mean ? static_cast<Dtype>(call.value[3]) : type;
    if (n == 0 || n > pitch)
        fatal("shape", call.api, "%s: n is %llu, but a row has %llu elements", call.api,
              static_cast<unsigned long long>(n), static_cast<unsigned long long>(pitch));
    Sequence sequence(call);
    sequence.scratch(scratch::sum(static_cast<uint32_t>(n), dtype_bits(inside) / 8));
    sequence.reads(0, rows * pitch);
    sequence.writes(0, rows);
    if (inside != type) sequence.step(Op::Cast, inside, rows * pitch);
    reduce_rows(sequence, Op::WholeReduceSum, inside, rows, n);
    if (op == Composite::Mean) sequence.step(Op::Muls, inside, rows);
    if (inside != type) sequence.step(Op::Cast, inside, rows);
    if (!sequence.issue()) return;
    std::vector<float> results;
    for (uint64_t row = 0; row < rows; ++row) {
        float sum = row_sum(load_values(call.in[0], n, row * pitch), inside);
        if (op == Composite::Mean) sum *= 1.0f / static_cast<float>(n);
        results.push_back(sum);
    }
    store_values(call.out[0], results.data(), rows);
}

enum class Kind : uint64_t { Sum, Max, Min, Prod, Any, All, Mean };

float combine(Kind kind, float a, float b) {
    switch (kind) {
        case Kind::Max:
        case Kind::Any:
            return a != a || a > b ? a : b;
        case Kind::Min:
        case Kind::All:
            return a != a || a < b ? a : b;
        case Kind::Prod:
            return a * b;
        default:
            return a + b;
    }
}

Op step_of(Kind kind) {
    switch (kind) {
        case Kind::Max:
        case Kind::Any:
            return Op::Max;
        case Kind::Min:
        case Kind::All:
            return Op::Min;
        case Kind::Prod:
            return Op::Mul;
        default:
            return Op::Add;
    }
}

// value: 0 = Kind; 1, 2 = rows and columns; 3 = 1: the rows are reduced (pattern RA), 0: the columns (AR). Rows start
// at multiples of 32 B.
void reduce_axis(const AscComposite& call) {
    check_starts(call);
    const auto kind = static_cast<Kind>(call.value[0]);
    const uint64_t rows = call.value[1], columns = call.value[2];
    const auto type = static_cast<Dtype>(call.in[0].dtype);
    const uint64_t unit = kBlockBytes * 8 / dtype_bits(type);
    const uint64_t pitch = (columns + unit - 1) / unit * unit;
    const bool by_rows = call.value[3] != 0;
    Sequence sequence(call);
    sequence.reads(0, rows * pitch);
    sequence.writes(0, by_rows ? columns : rows);
    if (by_rows) {
        // Halving: each step adds the lower half of the rows to the upper one.
        for (uint64_t left = rows; left > 1; left = (left + 1) / 2)
            sequence.step(step_of(kind), type, left / 2 * pitch);
        if (rows == 1) sequence.step(Op::Copy, type, pitch);
    } else {
        for (uint64_t left = columns; left > lanes_of(type); left = (left + 1) / 2) {
            sequence.step(step_of(kind), type, left / 2 * rows);
        }
        sequence.step(Op::WholeReduceSum, type, rows * lanes_of(type));
    }
    if (kind == Kind::Mean) sequence.step(Op::Muls, type, by_rows ? columns : rows);
    if (!sequence.issue()) return;
    const std::vector<float> values = load_values(call.in[0], rows * pitch);
    const uint64_t outer = by_rows ? columns : rows, inner = by_rows ? rows : columns;
    std::vector<float> results(outer);
    for (uint64_t i = 0; i < outer; ++i) {
        const auto at = [&](uint64_t k) { return by_rows ? values[k * pitch + i] : values[i * pitch + k]; };
        float result = at(0);
        for (uint64_t k = 1; k < inner; ++k) result = combine(kind, result, at(k));
        results[i] = kind == Kind::Mean ? result / static_cast<float>(inner) : result;
    }
    store_values(call.out[0], results.data(), outer);
}

// value: 0, 1 = rows, columns; 2 = 1: along the columns; 3 = 1: the last row goes to out[1] too.
void running_sum(const AscComposite& call) {
    check_type(call, call.in[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t rows = call.value[0], columns = call.value[1];
    const bool along = call.value[2] != 0;
    const auto type = static_cast<Dtype>(call.in[0].dtype);
    Sequence sequence(call);
    sequence.reads(0, rows * columns);
    sequence.writes(0, rows * columns);
    if (call.value[3]) sequence.writes(1, columns);
    if (type == Dtype::F16) sequence.step(Op::Cast, Dtype::F32, rows * columns);
    if (along) sequence.step(Op::TransDataTo5HD, type, rows * columns);
    const uint64_t length = along ? columns : rows, width = along ? rows : columns;
    sequence.step(Op::Add, Dtype::F32, (length - 1) * width, static_cast<uint32_t>(length - 1));
    if (along) sequence.step(Op::TransDataTo5HD, type, rows * columns);
    sequence.step(type == Dtype::F16 ? Op::Cast : Op::Copy, Dtype::F32, rows * columns);
    if (!sequence.issue()) return;
    std::vector<float> values = load_values(call.in[0], rows * columns);
    for (uint64_t i = 0; i < rows * columns; ++i) {
        const bool first = along ? i % columns == 0 : i < columns;
        if (!first) values[i] = values[i] + values[along ? i - 1 : i - columns];
    }
    store_values(call.out[0], values.data(), rows * columns);
    if (call.value[3]) store_values(call.out[1], values.data() + (rows - 1) * columns, columns);
}

}  // namespace

// A tree inside each repeat, then over their results, until one is left.
float row_sum(std::vector<float> values, Dtype type) {
    while (values.size() > 1) {
        std::vector<float> next;
        for (size_t first = 0; first < values.size(); first += lanes_of(type)) {
            const auto n = static_cast<uint32_t>(std::min<size_t>(lanes_of(type), values.size() - first));
            next.push_back(tree_sum(values.data() + first, n, type));
        }
        values.swap(next);
    }
    return values.empty() ? 0.0f : values[0];
}

// WholeReduce of all rows at once if a row fits in a repeat, else row by row in levels.
void reduce_rows(Sequence& sequence, Op op, Dtype type, uint64_t rows, uint64_t n) {
    uint64_t left = n;
    do {
        const uint32_t calls = left <= lanes_of(type) ? 1 : static_cast<uint32_t>(rows);
        const uint64_t padded = std::max<uint64_t>((left + lanes_of(type) - 1) / lanes_of(type), 1) * lanes_of(type);
        sequence.step(op, type, rows * padded, calls);
        left = (left + lanes_of(type) - 1) / lanes_of(type);
    } while (left > 1);
}

void run_axis(const AscComposite& call, Composite op) {
    if (op == Composite::CumSum) return running_sum(call);
    if (op == Composite::ReduceAxis) return reduce_axis(call);
    sum_rows(call, op);
}

}  // namespace ascendopt::rt
