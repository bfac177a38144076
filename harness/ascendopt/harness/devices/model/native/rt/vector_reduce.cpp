// Reductions. A sum inside a repeat is a balanced tree over neighbouring pairs; masked lanes count as zero and every
// addition rounds to the operand type.
#include <algorithm>
#include <cstring>
#include <vector>

#include "composite.h"
#include "half.h"
#include "vector_plan.h"

namespace ascendopt::rt {
namespace {

struct Extreme {
    float value = 0.0f;
    uint32_t index = 0;
    bool found = false;
};

// The first NaN wins, then the first of the largest (or smallest) values.
void take(Extreme& best, float value, uint32_t index, bool largest) {
    if (best.found) {
        if (best.value != best.value) return;
        const bool better = largest ? value > best.value : value < best.value;
        if (!better && value == value) return;
    }
    best = {value, index, true};
}

float round_to(float value, Dtype type) { return type == Dtype::F16 ? f16_to_f32(f32_to_f16(value)) : value; }

struct Context {
    const AscVector& call;
    Op op;
    Dtype type;
    uint32_t size;
    Plan plan;
    Operand src;

    // Values of a repeat; lanes that are off read as zero.
    void load(uint32_t repeat, float* values) const {
        alignas(32) uint8_t raw[kMaxLanes * 8];
        const uint32_t end = plan.end(repeat);
        const void* from = raw;
        if (src.block == kBlockBytes) {
            from = src.at(repeat);
        } else {
            gather_lanes(src, repeat, end, raw);
        }
        load_floats(from, type, end, values);
        std::fill(values + end, values + plan.lanes, 0.0f);
        if (plan.prefix()) return;
        for (uint32_t lane = 0; lane < end; ++lane) {
            if (!plan.active(repeat, lane)) values[lane] = 0.0f;
        }
    }
    Extreme extreme(uint32_t repeat, bool largest) const {
        float values[kMaxLanes];
        load(repeat, values);
        Extreme best;
        const uint32_t end = plan.end(repeat);
        for (uint32_t lane = 0; lane < end; ++lane) {
            if (plan.active(repeat, lane)) take(best, values[lane], lane, largest);
        }
        return best;
    }
    float sum(uint32_t repeat) const {
        float values[kMaxLanes];
        load(repeat, values);
        return tree_sum(values, plan.lanes, type);
    }
    uint8_t* dst(uint64_t offset) const { return local(call.dst.position, call.dst.address) + offset; }
    void store(uint64_t offset, float value) const { store_floats(&value, type, 1, dst(offset)); }
    void store_index(uint64_t offset, uint32_t index) const { std::memcpy(dst(offset), &index, size); }
    // What GetReduceRepeatSumSpr and GetReduceRepeatMaxMinSpr read.
    void keep_sum(float value) const {
        mask().reduced[kAscReduceSum] = 0;
        store_floats(&value, type, 1, &mask().reduced[kAscReduceSum]);
    }
    void keep_extreme(const Extreme& best) const {
        mask().reduced[kAscExtremeValue] = 0;
        store_floats(&best.value, type, 1, &mask().reduced[kAscExtremeValue]);
        mask().reduced[kAscExtremeIndex] = best.index;
    }
};

bool is_max(Op op) {
    return op == Op::ReduceMax || op == Op::ReduceMaxRepeat || op == Op::WholeReduceMax || op == Op::BlockReduceMax;
}

constexpr uint8_t kRegisterOnly = 2;  // option of ReduceSum: no result in memory

enum Order : uint8_t { kValueIndex, kIndexValue, kOnlyValue, kOnlyIndex };

// Bytes that one repeat writes, which is also the unit of dstRepStride.
uint32_t result_bytes(const AscVector& call, Op op, uint32_t size) {
    switch (op) {
        case Op::WholeReduceMax:
        case Op::WholeReduceMin:
            return call.option == kOnlyValue ? size : (call.option == kOnlyIndex ? 4 : 2 * size);
        case Op::BlockReduceSum:
        case Op::BlockReduceMax:
        case Op::BlockReduceMin:
            return 8 * size;
        case Op::PairReduceSum:
            return kRepeatBytes / 2;
        default:
            return size;
    }
}

void repeat_result(const Context& at, uint32_t repeat, uint64_t offset, Extreme& overall) {
    const bool largest = is_max(at.op);
    const uint32_t size = at.size;
    float values[kMaxLanes];
    switch (at.op) {
        case Op::WholeReduceSum:
        case Op::RepeatReduceSum:
            return at.store(offset, at.sum(repeat));
        case Op::WholeReduceMax:
        case Op::WholeReduceMin: {
            const Extreme best = at.extreme(repeat, largest);
            if (best.found) take(overall, best.value, repeat * at.plan.lanes + best.index, largest);
            if (at.call.option == kValueIndex || at.call.option == kOnlyValue) at.store(offset, best.value);
            if (at.call.option == kIndexValue) at.store(offset + size, best.value);
            if (at.call.option == kValueIndex) at.store_index(offset + size, best.index);
            if (at.call.option == kIndexValue) at.store_index(offset, best.index);
            if (at.call.option == kOnlyIndex) std::memcpy(at.dst(offset), &best.index, 4);
            return;
        }
        case Op::PairReduceSum: {
            at.load(repeat, values);
            const uint32_t pairs = (at.plan.end(repeat) + 1) / 2;
            for (uint32_t i = 0; i < pairs; ++i) values[i] = values[2 * i] + values[2 * i + 1];
            store_floats(values, at.type, pairs, at.dst(offset));
            return;
        }
        default:
            break;
    }
    // One result a block of 32 B. A block without an active lane sums to zero; its maximum is left alone.
    at.load(repeat, values);
    const uint32_t per_block = kBlockBytes / size;
    for (uint32_t block = 0; block < 8; ++block) {
        if (at.op == Op::BlockReduceSum) {
            at.store(offset + uint64_t{block} * size, tree_sum(values + block * per_block, per_block, at.type));
            continue;
        }
        Extreme best;
        for (uint32_t lane = block * per_block; lane < (block + 1) * per_block; ++lane) {
            if (at.plan.active(repeat, lane)) take(best, values[lane], lane, largest);
        }
        if (best.found) at.store(offset + uint64_t{block} * size, best.value);
    }
}

// The documentation counts srcRepStride in 32 B blocks; operators in the field pass the element count of a repeat.
void settle_doubts(Context& at) {
    const bool whole = at.op == Op::RepeatReduceSum || at.op == Op::WholeReduceSum;
    if (whole && at.plan.repeats > 1 && at.call.src_repeat[0] == at.plan.lanes) {
        if (as_meant()) at.src.repeat = at.plan.lanes * at.size;
        violation("doubt_rep_stride", 2, at.call.api,
                  "%s has srcRepStride %u: by the documentation 32 B blocks, so rows %u B apart; if elements were "
                  "meant, the value is %u",
                  at.call.api, at.call.src_repeat[0], at.call.src_repeat[0] * kBlockBytes,
                  at.call.src_repeat[0] * at.size / kBlockBytes);
    }
    if (at.call.src_block[0] == 0 && at.call.form != kAscCount && at.plan.end(0) > kBlockBytes / at.size) {
        violation("doubt_blk_stride", 2, at.call.api, "%s has srcBlkStride 0, which is taken as 1", at.call.api);
    }
}

// A reduction for each repeat, results apart by dstRepStride.
void run_repeats(const Context& at) {
    const uint32_t bytes = result_bytes(at.call, at.op, at.size);
    const uint64_t step = uint64_t{at.call.dst_repeat} * bytes;
    const uint32_t unit = at.op == Op::PairReduceSum ? kBlockBytes : bytes;
    check_alignment(at.call, operand(at.call.dst, 1, 0), "dst", unit);
    AccessList accesses;
    accesses.add(at.plan, at.src, false);
    for (uint32_t r = 0; r < at.plan.repeats; ++r) {
        const uint32_t written = at.op == Op::PairReduceSum ? (at.plan.end(r) + 1) / 2 * at.size : bytes;
        const uint64_t begin = at.call.dst.address + r * step;
        accesses.add(static_cast<uint32_t>(begin), begin + written, true);
        if (step == 0) break;
    }
    issue(at.call, at.op, at.type, at.plan, at.call.dst.address, 0, accesses);
    if (!functional()) return;
    Extreme overall;
    for (uint32_t r = 0; r < at.plan.repeats; ++r) repeat_result(at, r, r * step, overall);
    if (overall.found) at.keep_extreme(overall);
}

// Tree inside the repeats, then a tree over their sums, level by level in the scratch tensor.
float sum_of_repeats(const Context& at) {
    std::vector<float> sums(at.plan.repeats);
    for (uint32_t r = 0; r < at.plan.repeats; ++r) sums[r] = at.sum(r);
    while (sums.size() > 1) {
        std::vector<float> next;
        for (size_t first = 0; first < sums.size(); first += at.plan.lanes) {
            const auto n = static_cast<uint32_t>(std::min<size_t>(at.plan.lanes, sums.size() - first));
            next.push_back(tree_sum(sums.data() + first, n, at.type));
        }
        sums.swap(next);
    }
    return sums.empty() ? 0.0f : sums[0];
}

void store_extreme(const Context& at) {
    const bool largest = is_max(at.op);
    Extreme best;
    for (uint32_t r = 0; r < at.plan.repeats; ++r) {
        const Extreme here = at.extreme(r, largest);
        if (here.found) take(best, here.value, r * at.plan.lanes + here.index, largest);
    }
    at.store(0, best.value);
    at.keep_extreme(best);
    if (!at.call.option) return;
    if (at.type == Dtype::F16 && best.index > 0xFFFF) {
        violation("index_range", 0, at.call.api, "%s finds index %u, but a half tensor stores 16 bits of it",
                  at.call.api, best.index);
    }
    at.store_index(at.size, best.index);
}

// One result for the whole call, in dst[0] (and the index's bits in dst[1]).
void run_total(const Context& at) {
    const bool sum = at.op == Op::ReduceSum || at.op == Op::ReduceSumRepeat;
    AccessList accesses;
    accesses.add(at.plan, at.src, false);
    // Scratch: one result a repeat, or a pair with the index. ReduceSum with a count uses none on this chip.
    if (at.op != Op::ReduceSum && at.plan.repeats > 1) {
        const uint32_t each = (!sum && at.call.option ? 2 : 1) * at.size;
        const uint32_t bytes = (at.plan.repeats * each + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
        accesses.add(at.call.tmp.address, uint64_t{at.call.tmp.address} + bytes, true);
    }
    const uint32_t results = !sum && at.call.option ? 2 : 1;
    const bool to_memory = at.call.option != kRegisterOnly || !sum;
    if (to_memory) accesses.add(at.call.dst.address, uint64_t{at.call.dst.address} + results * at.size, true);
    const Op base = sum ? Op::ReduceSum : (is_max(at.op) ? Op::ReduceMax : Op::ReduceMin);
    issue(at.call, base, at.type, at.plan, at.call.dst.address, 0, accesses);
    if (to_memory && (at.op == Op::ReduceSum || results == 2)) scalar_takes_result();
    if (!functional()) return;
    if (!sum) return store_extreme(at);
    if (at.op == Op::ReduceSumRepeat) return at.store(0, sum_of_repeats(at));
    // The repeats are added one after another into an accumulator that rounds to the operand type.
    float total = at.sum(0);
    for (uint32_t r = 1; r < at.plan.repeats; ++r) total = round_to(total + at.sum(r), at.type);
    at.keep_sum(total);
    if (to_memory) at.store(0, total);
}

// Kernels that were written for the instruction itself set a mask, pass one tensor three times and give the repeats
// where the function takes a count of elements.
bool repeats_as_count(const AscVector& call) {
    const MaskState& state = mask();
    const bool masked = state.counter || ~state.low != 0 || ~state.high != 0;
    return call.form == kAscCount && masked && call.dst.address == call.src[0].address &&
           call.dst.address == call.tmp.address;
}

AscVector as_repeats(const AscVector& call) {
    AscVector out = call;
    out.form = kAscMaskBits;
    out.set_mask = 0;
    out.repeat = call.count;
    out.src_block[0] = 1;
    out.src_repeat[0] = 8;
    return out;
}

}  // namespace

// Neighbours are added until one value is left; `count` need not be a power of two.
float tree_sum(float* values, uint32_t count, Dtype type) {
    if (count == 0) return 0.0f;
    for (; count > 1; count = (count + 1) / 2) {
        const uint32_t pairs = count / 2;
        for (uint32_t i = 0; i < pairs; ++i) values[i] = values[2 * i] + values[2 * i + 1];
        if (count % 2) values[pairs] = values[count - 1];
        if (type == Dtype::F16) {
            uint16_t halves[kMaxLanes];
            f32_to_f16_block(values, halves, pairs);
            f16_to_f32_block(halves, values, pairs);
        }
    }
    return values[0];
}

void run_reduce(const AscVector& call, Op op) {
    if (repeats_as_count(call)) {
        violation("doubt_reduce_count", 2, call.api,
                  "%s takes a count of elements (%d here) and ignores the mask that is set; if repeats were meant, "
                  "most of the data is left out",
                  call.api, static_cast<int32_t>(call.count));
        if (as_meant()) return run_reduce(as_repeats(call), op);
    }
    const auto type = static_cast<Dtype>(call.src[0].dtype);
    if (!legal_types(op, static_cast<Dtype>(call.dst.dtype), type)) {
        fatal("dtype", call.api, "%s does not take %s on this chip", call.api, dtype_name(type));
    }
    const uint32_t size = dtype_bits(type) / 8;
    const uint32_t lanes = kRepeatBytes / size;
    Context at{call, op, type, size, resolve(call, lanes, lanes), {}};
    if (at.plan.empty()) return;
    at.src = call.form == kAscCount
                 ? contiguous(call.src[0], lanes)
                 : operand(call.src[0], std::max<uint32_t>(call.src_block[0], 1), call.src_repeat[0]);
    check_alignment(call, at.src, "src");
    switch (op) {
        case Op::ReduceSum:
        case Op::ReduceMax:
        case Op::ReduceMin:
        case Op::ReduceSumRepeat:
        case Op::ReduceMaxRepeat:
        case Op::ReduceMinRepeat:
            return run_total(at);
        default:
            settle_doubts(at);
            return run_repeats(at);
    }
}

}  // namespace ascendopt::rt
