// Sorting by score, largest first, equal scores in their first order. A record takes 8 bytes: the score in the low
// bytes (half: 2 and 2 unused), its index in the high 4.
#include <algorithm>
#include <cstring>

#include "composite.h"
#include "half.h"

namespace ascendopt::rt {
namespace {

struct Record {
    uint64_t bits;
    float score(bool half) const {
        return half ? f16_to_f32(static_cast<uint16_t>(bits)) : bits_float(static_cast<uint32_t>(bits));
    }
};
constexpr uint32_t kGroup = 32;  // records that one Sort32 repeat sorts

bool is_half(const AscComposite& call) { return static_cast<Dtype>(call.out[0].dtype) == Dtype::F16; }

std::vector<Record> read_records(const AscLocal& where, size_t count) {
    std::vector<Record> records(count);
    std::memcpy(records.data(), local(where.position, where.address), count * sizeof(Record));
    return records;
}
void write_records(const AscLocal& where, const std::vector<Record>& records, size_t first = 0) {
    std::memcpy(local(where.position, where.address) + first * sizeof(Record), records.data(),
                records.size() * sizeof(Record));
}

void sort_range(std::vector<Record>& records, size_t first, size_t count, bool half) {
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(count),
                     [half](const Record& a, const Record& b) { return a.score(half) > b.score(half); });
}

// in[0]: scores, in[1]: indices; value: 0 = groups of 32; 1 = 1: all of them in one order (Sort), else each group.
void sort_scores(const AscComposite& call, Composite op) {
    check_type(call, call.out[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t groups = call.value[0], count = groups * kGroup;
    const bool whole = op == Composite::Sort && call.value[1];
    const bool half = is_half(call);
    Sequence sequence(call);
    sequence.reads(0, count);
    sequence.reads(1, count);
    sequence.writes_bytes(call.out[0], count * sizeof(Record));
    sequence.step(Op::Sort32, Dtype::I64, count);
    for (uint64_t length = kGroup; whole && length < count; length *= 4) sequence.step(Op::MrgSort, Dtype::I64, count);
    if (!sequence.issue(op == Composite::Sort32)) return;
    const size_t size = half ? 2 : 4;
    const uint8_t* scores = local(call.in[0].position, call.in[0].address);
    const uint8_t* indices = local(call.in[1].position, call.in[1].address);
    std::vector<Record> records(count);
    for (size_t i = 0; i < count; ++i) {
        uint32_t index;
        records[i].bits = 0;
        std::memcpy(&records[i].bits, scores + i * size, size);
        std::memcpy(&index, indices + i * 4, 4);
        records[i].bits |= static_cast<uint64_t>(index) << 32;
    }
    if (whole) {
        sort_range(records, 0, count, half);
    } else {
        for (size_t first = 0; first < count; first += kGroup) sort_range(records, first, kGroup, half);
    }
    write_records(call.out[0], records);
}

struct Lists {
    uint64_t lengths[4] = {};
    uint32_t count = 0;
    uint64_t total = 0;
};

Lists read_lists(const AscComposite& call) {
    Lists lists;
    const uint64_t valid = call.value[4];
    if (valid != 3 && valid != 7 && valid != 15) {
        fatal("merge_lists", call.api, "%s: validBit %llu does not name the first two, three or four lists", call.api,
              static_cast<unsigned long long>(valid));
    }
    lists.count = valid == 3 ? 2 : (valid == 7 ? 3 : 4);
    for (uint32_t i = 0; i < lists.count; ++i) {
        lists.lengths[i] = call.value[i];
        lists.total += lists.lengths[i];
        if (lists.lengths[i] > 4095) {
            violation("merge_lists", 0, call.api, "%s: list %u has %llu records, the instruction takes 4095", call.api,
                      i, static_cast<unsigned long long>(lists.lengths[i]));
        }
    }
    return lists;
}

// The earliest list wins among equal scores. With `suspend` it stops when one list has no records left.
std::vector<Record> merge(const std::vector<Record> (&source)[4], const Lists& lists, bool half, bool suspend,
                          uint64_t (&taken)[4]) {
    std::vector<Record> merged;
    for (;;) {
        int best = -1;
        for (uint32_t i = 0; i < lists.count; ++i) {
            if (taken[i] >= lists.lengths[i]) continue;
            const float score = source[i][taken[i]].score(half);
            if (best < 0 || score > source[best][taken[best]].score(half)) best = static_cast<int>(i);
        }
        if (best < 0) return merged;
        merged.push_back(source[best][taken[best]++]);
        if (suspend && taken[best] == lists.lengths[best]) return merged;
    }
}

// in: up to four lists; value: 0..3 = their lengths; 4 = valid bits; 5 = repeats; 6 = 1: stop when a list ends;
// 7 = host pointer to four uint32 of records taken, or 0.
void merge_lists(const AscComposite& call) {
    check_type(call, call.out[0], kHalfOrFloat);
    const Lists lists = read_lists(call);
    const uint64_t repeats = call.value[5];
    const bool half = is_half(call), suspend = call.value[6] != 0;
    if (repeats == 0 || lists.total == 0) return;
    Sequence sequence(call);
    for (uint32_t i = 0; i < lists.count; ++i) sequence.reads_bytes(call.in[i], lists.lengths[i] * sizeof(Record));
    sequence.writes_bytes(call.out[0], lists.total * repeats * sizeof(Record));
    sequence.step(Op::MrgSort, Dtype::I64, lists.total * repeats);
    uint64_t taken[4] = {};
    if (!sequence.issue(true)) {
        if (suspend) data_dependent(call.api);
        std::copy(std::begin(lists.lengths), std::end(lists.lengths), std::begin(taken));
    } else {
        for (uint64_t r = 0; r < repeats; ++r) {
            std::fill(std::begin(taken), std::end(taken), 0);
            std::vector<Record> source[4];
            for (uint32_t i = 0; i < lists.count; ++i) {
                AscLocal from = call.in[i];
                from.address += static_cast<uint32_t>(r * lists.total * sizeof(Record));
                source[i] = read_records(from, lists.lengths[i]);
            }
            write_records(call.out[0], merge(source, lists, half, suspend, taken), r * lists.total);
        }
    }
    for (int i = 0; i < 4; ++i) mask().merged[i] = static_cast<uint16_t>(taken[i]);
    auto* report = reinterpret_cast<uint32_t*>(call.value[7]);
    for (int i = 0; report && i < 4; ++i) report[i] = static_cast<uint32_t>(taken[i]);
}

// in[0]: records; out[0]: scores; out[1]: indices; value 0 = groups of 32.
void extract(const AscComposite& call) {
    check_type(call, call.out[0], kHalfOrFloat);
    check_starts(call);
    const uint64_t count = call.value[0] * kGroup;
    const bool half = is_half(call);
    Sequence sequence(call);
    sequence.reads_bytes(call.in[0], count * sizeof(Record));
    sequence.writes(0, count);
    sequence.writes(1, count);
    sequence.step(Op::GatherMask, Dtype::U32, count * 2);
    sequence.step(Op::GatherMask, half ? Dtype::F16 : Dtype::U32, count * (half ? 4 : 2));
    if (!sequence.issue()) return;
    const std::vector<Record> records = read_records(call.in[0], count);
    const size_t size = half ? 2 : 4;
    uint8_t* scores = local(call.out[0].position, call.out[0].address);
    uint8_t* indices = local(call.out[1].position, call.out[1].address);
    for (size_t i = 0; i < count; ++i) {
        const auto index = static_cast<uint32_t>(records[i].bits >> 32);
        std::memcpy(scores + i * size, &records[i].bits, size);
        std::memcpy(indices + i * 4, &index, 4);
    }
}

// in: rows of `inner` values of which n count, indices[, a byte for each row: its indices become n]; out: values and
// indices, k a row, rows at multiples of 32 B. value: 0 = rows; 1 = inner; 2 = n; 3 = k; 4 = 1: largest; 5 = 1: the
// position stands for the index; 6 = 1: rows have indices of their own; 7 = 1: some rows are finished.
struct TopRows {
    uint64_t rows, inner, n, k;
    bool largest, positions, own, finish;
    size_t size;
    uint64_t value_pitch, index_pitch;

    explicit TopRows(const AscComposite& call)
        : rows(call.value[0]),
          inner(call.value[1]),
          n(call.value[2]),
          k(call.value[3]),
          largest(call.value[4]),
          positions(call.value[5]),
          own(call.value[6]),
          finish(call.value[7]),
          size(dtype_bits(static_cast<Dtype>(call.in[0].dtype)) / 8) {
        const uint64_t unit = kBlockBytes / size;
        value_pitch = (k + unit - 1) / unit * unit;
        index_pitch = (k + 7) / 8 * 8;
    }
    // Positions of a row's values in the order of the result; a NaN comes first.
    std::vector<uint32_t> order(const std::vector<float>& values) const {
        std::vector<uint32_t> out(values.size());
        for (uint32_t i = 0; i < out.size(); ++i) out[i] = i;
        std::stable_sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
            const bool nan_a = values[a] != values[a], nan_b = values[b] != values[b];
            if (nan_a || nan_b) return nan_a && !nan_b;
            return largest ? values[a] > values[b] : values[a] < values[b];
        });
        return out;
    }
};

void top_k(const AscComposite& call) {
    check_type(call, call.in[0], kHalfOrFloat);
    check_starts(call);
    const TopRows at(call);
    if (at.k == 0 || at.k > at.n || at.n > at.inner || at.inner % kGroup) {
        fatal("shape", call.api, "TopK: k %llu, n %llu, inner %llu do not satisfy 1 <= k <= n <= inner, 32 | inner",
              static_cast<unsigned long long>(at.k), static_cast<unsigned long long>(at.n),
              static_cast<unsigned long long>(at.inner));
    }
    Sequence sequence(call);
    sequence.reads(0, at.rows * at.inner);
    if (!at.positions) sequence.reads(1, (at.own ? at.rows : 1) * at.inner);
    if (at.finish) sequence.reads(2, at.rows);
    sequence.writes(0, at.rows * at.value_pitch);
    sequence.writes(1, at.rows * at.index_pitch);
    const auto calls = static_cast<uint32_t>(at.rows);
    const uint64_t all = at.rows * at.inner;
    if (at.positions) sequence.step(Op::ArithProgression, Dtype::I32, at.inner);
    if (!at.largest) sequence.step(Op::Muls, sequence.type(), all);
    sequence.step(Op::Sort32, Dtype::I64, all, calls);
    for (uint64_t length = kGroup; length < at.inner; length *= 4) sequence.step(Op::MrgSort, Dtype::I64, all, calls);
    sequence.step(Op::GatherMask, Dtype::U32, at.rows * at.k * 4, 2 * calls);
    if (!at.largest) sequence.step(Op::Muls, sequence.type(), at.rows * at.value_pitch);
    if (!sequence.issue()) return;
    const uint8_t* raw = local(call.in[0].position, call.in[0].address);
    const uint8_t* indices = at.positions ? nullptr : local(call.in[1].position, call.in[1].address);
    const uint8_t* finished = at.finish ? local(call.in[2].position, call.in[2].address) : nullptr;
    uint8_t* values_out = local(call.out[0].position, call.out[0].address);
    uint8_t* indices_out = local(call.out[1].position, call.out[1].address);
    for (uint64_t row = 0; row < at.rows; ++row) {
        const std::vector<uint32_t> order = at.order(load_values(call.in[0], at.n, row * at.inner));
        for (uint64_t i = 0; i < at.k; ++i) {
            uint32_t index = order[i];
            std::memcpy(values_out + (row * at.value_pitch + i) * at.size, raw + (row * at.inner + index) * at.size,
                        at.size);
            if (indices) std::memcpy(&index, indices + ((at.own ? row * at.inner : 0) + order[i]) * 4, 4);
            if (finished && finished[row]) index = static_cast<uint32_t>(at.n);
            std::memcpy(indices_out + (row * at.index_pitch + i) * 4, &index, 4);
        }
    }
}

}  // namespace

void run_sort(const AscComposite& call, Composite op) {
    switch (op) {
        case Composite::MrgSort:
            return merge_lists(call);
        case Composite::Extract:
            return extract(call);
        case Composite::TopK:
            return top_k(call);
        case Composite::Sort32:
        case Composite::Sort:
            return sort_scores(call, op);
        default:
            fatal("unsupported", call.api, "%s does not exist on this chip", call.api);
    }
}

}  // namespace ascendopt::rt
