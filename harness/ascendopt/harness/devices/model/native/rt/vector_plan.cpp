// Masks, strides, ranges and the checks that depend on them; see vector_plan.h.
#include "vector_plan.h"

#include <algorithm>
#include <cstring>

namespace ascendopt::rt {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

uint64_t low_bits(uint32_t count) { return count >= 64 ? kAll : (uint64_t{1} << count) - 1; }

// A length as mask words: 64 fills the low word only, a whole repeat or more fills both, else the low n bits.
void length_words(uint64_t length, uint32_t lanes, uint64_t& low, uint64_t& high) {
    if (length == 64) {
        low = kAll;
        high = 0;
    } else if (length == lanes || length >= 128) {
        low = kAll;
        high = kAll;
    } else {
        low = low_bits(static_cast<uint32_t>(length));
        high = length > 64 ? low_bits(static_cast<uint32_t>(length) - 64) : 0;
    }
}

struct Interval {
    uint64_t begin;
    uint64_t end;
    bool meets(const Interval& other) const { return begin < other.end && other.begin < end; }
};

// Bounds of one repeat.
Interval bounds(const Plan& plan, const Operand& operand, uint32_t repeat) {
    const uint32_t end = plan.end(repeat);
    const uint64_t start = operand.address + uint64_t{repeat} * operand.repeat;
    if (end == 0) return {start, start};
    const uint32_t last = end - 1;
    const uint32_t shift = operand.block_shift();
    const uint64_t reach = uint64_t{last >> shift} * operand.block;
    const uint32_t in_block = (last & (operand.per_block() - 1)) + 1;
    const uint32_t rest = operand.block == 0 ? std::min(end, operand.per_block()) : in_block;
    return {start, start + reach + operand.bytes_of(rest)};
}

// Which of the 16 bank groups one repeat of an operand uses.
uint32_t groups(const Plan& plan, const Operand& operand, uint32_t repeat) {
    const uint32_t blocks = (plan.end(repeat) + operand.per_block() - 1) >> operand.block_shift();
    const uint64_t begin = operand.address + uint64_t{repeat} * operand.repeat;
    if (operand.block == kBlockBytes && blocks < 16) {
        const uint32_t ones = ((1u << blocks) - 1) << ((begin >> 5) & 15);
        return (ones | ones >> 16) & 0xFFFF;
    }
    uint32_t used = 0;
    for (uint32_t i = 0; i < blocks; ++i) {
        const uint64_t address = begin + uint64_t{i} * operand.block;
        used |= 1u << ((address >> 5) & 15);
    }
    return used;
}

}  // namespace

bool Plan::active(uint32_t repeat, uint32_t lane) const {
    if (counter) return uint64_t{repeat} * lanes + lane < total;
    return lane < 64 ? (low >> lane) & 1 : lane < 128 && ((high >> (lane - 64)) & 1);
}

uint32_t Plan::end(uint32_t repeat) const {
    if (counter) return std::min<uint64_t>(lanes, total - std::min<uint64_t>(total, uint64_t{repeat} * lanes));
    if (high) return 128 - static_cast<uint32_t>(__builtin_clzll(high));
    return low ? 64 - static_cast<uint32_t>(__builtin_clzll(low)) : 0;
}

bool Plan::prefix() const {
    if (counter) return true;
    if (high) return low == kAll && (high & (high + 1)) == 0;
    return (low & (low + 1)) == 0;
}

uint64_t Plan::elements() const {
    if (counter) return total;
    return uint64_t{repeats} * static_cast<uint32_t>(__builtin_popcountll(low) + __builtin_popcountll(high));
}

void AccessList::add(uint32_t begin, uint64_t end, bool write) {
    operand_start_ = size();
    extend(begin, end, write);
}

void AccessList::extend(uint32_t begin, uint64_t end, bool write) {
    if (end <= begin) return;
    const auto limit = static_cast<uint32_t>(std::min<uint64_t>(end, 0xFFFFFFFFu));
    if (size() > operand_start_) {
        Access& last = more_.empty() ? few_[count_ - 1] : more_.back();
        if (last.end == begin) {
            last.end = limit;
            return;
        }
    }
    if (more_.empty() && count_ < kFew) {
        few_[count_++] = {begin, limit, write};
        return;
    }
    if (more_.empty()) more_.assign(few_, few_ + count_);
    more_.push_back({begin, limit, write});
}

void AccessList::add(const Plan& plan, const Operand& operand, bool write) {
    if (plan.empty()) return;
    operand_start_ = size();
    const uint32_t full = operand.bytes_of(plan.lanes);
    const bool whole = plan.counter || plan.end(0) == plan.lanes;
    if (operand.block == kBlockBytes && operand.repeat == full && whole) {
        const uint64_t last = bounds(plan, operand, plan.repeats - 1).end;
        extend(operand.address, last, write);
        return;
    }
    const uint32_t distinct = operand.repeat == 0 ? 1 : plan.repeats;
    for (uint32_t r = 0; r < distinct; ++r) {
        const Interval range = bounds(plan, operand, r);
        if (operand.block <= kBlockBytes) {
            extend(static_cast<uint32_t>(range.begin), range.end, write);
            continue;
        }
        const uint32_t end = plan.end(r);
        for (uint32_t first = 0; first < end; first += operand.per_block()) {
            const uint64_t begin = range.begin + uint64_t{first / operand.per_block()} * operand.block;
            extend(static_cast<uint32_t>(begin), begin + operand.bytes_of(std::min(operand.per_block(), end - first)),
                   write);
        }
    }
}

Operand operand(const AscLocal& where, uint32_t stride_block, uint32_t stride_repeat) {
    Operand out;
    out.address = where.address;
    out.position = where.position;
    out.type = static_cast<Dtype>(where.dtype);
    out.bits = dtype_bits(out.type);
    out.block = stride_block * kBlockBytes;
    out.repeat = stride_repeat * kBlockBytes;
    return out;
}

Operand contiguous(const AscLocal& where, uint32_t lanes) {
    Operand out = operand(where, 1, 0);
    out.repeat = out.bytes_of(lanes);
    return out;
}

Plan resolve(const AscVector& call, uint32_t lanes, uint32_t narrow_lanes) {
    MaskState& state = mask();
    Plan plan;
    plan.lanes = lanes;
    if (call.form == kAscCount) {
        if (static_cast<int32_t>(call.count) < 0) {
            violation("count_negative", 0, call.api, "%s is called with %d elements", call.api,
                      static_cast<int32_t>(call.count));
            return plan;
        }
        plan.counter = true;
        plan.total = call.count;
        plan.repeats = (plan.total + lanes - 1) / lanes;
        // The call works in counter mode and leaves norm mode with a full mask behind.
        state.counter = false;
        state.low = state.high = kAll;
        return plan;
    }
    if (call.set_mask) {
        if (state.counter) {
            state.low = call.mask[0];
            state.high = 0;
        } else if (call.form == kAscMaskBits) {
            state.low = call.mask[0];
            state.high = call.mask[1];
        } else {
            if (call.mask[0] > lanes) {
                violation("mask_range", 0, call.api, "%s has mask %llu, but a repeat of its type has %u elements",
                          call.api, static_cast<unsigned long long>(call.mask[0]), lanes);
            }
            length_words(call.mask[0], narrow_lanes, state.low, state.high);
        }
    }
    plan.counter = state.counter;
    if (state.counter) {
        plan.total = static_cast<uint32_t>(state.low);
        plan.repeats = (plan.total + lanes - 1) / lanes;
        return plan;
    }
    if (call.repeat > 255) {
        violation("repeat_range", 0, call.api, "%s has %d repeats; the instruction counts 0 to 255", call.api,
                  static_cast<int32_t>(call.repeat));
    }
    plan.low = lanes >= 64 ? state.low : state.low & low_bits(lanes);
    plan.high = lanes > 64 ? state.high & low_bits(lanes - 64) : 0;
    plan.repeats = plan.low || plan.high ? call.repeat & 255 : 0;
    return plan;
}

void check_alignment(const AscVector& call, const Operand& operand, const char* name, uint32_t unit) {
    if (operand.address % unit == 0) return;
    violation("ub_misaligned", 0, call.api, "%s: %s starts at local address %u, which is not a multiple of %u B",
              call.api, name, operand.address, unit);
}

void check_overlap(const AscVector& call, const Plan& plan, const Operand& dst, const Operand& src, bool accumulates) {
    if (plan.empty() || dst.position == 0 || src.position == 0) return;
    const bool same_walk = dst.bits == src.bits && dst.block == src.block && dst.repeat == src.repeat;
    if (dst.address == src.address && same_walk) return;
    const Interval first_d = bounds(plan, dst, 0), last_d = bounds(plan, dst, plan.repeats - 1);
    const Interval first_s = bounds(plan, src, 0), last_s = bounds(plan, src, plan.repeats - 1);
    if (!Interval{first_d.begin, last_d.end}.meets({first_s.begin, last_s.end})) return;
    // The documented exception: the running result of one repeat is a source of the next.
    if (accumulates && dst.address == src.address && (dst.repeat == 0 || src.repeat == 0)) return;
    // Strides only grow addresses, so a write that hurts a later read hurts the next repeats first.
    for (uint32_t r = 0; r + 1 < plan.repeats; ++r) {
        const Interval written = bounds(plan, dst, r);
        for (uint32_t later = r + 1; later < plan.repeats; ++later) {
            const Interval read = bounds(plan, src, later);
            if (read.begin >= written.end) break;
            if (!written.meets(read)) continue;
            violation("overlap", 0, call.api,
                      "%s overwrites source data before it is read: repeat %u writes [%llu, %llu), repeat %u reads "
                      "[%llu, %llu)",
                      call.api, r, static_cast<unsigned long long>(written.begin),
                      static_cast<unsigned long long>(written.end), later, static_cast<unsigned long long>(read.begin),
                      static_cast<unsigned long long>(read.end));
            return;
        }
    }
}

uint8_t bank_flags(const Plan& plan, const Operand& dst, const Operand* sources, int count) {
    if (plan.empty() || count == 0) return 0;
    // Groups repeat with period 16 repeats at most; equal repeat strides keep their distance, so one repeat tells.
    bool uniform = true;
    for (int i = 0; i < count; ++i) uniform = uniform && sources[i].repeat == dst.repeat;
    const uint32_t look = uniform ? 1 : std::min<uint32_t>(plan.repeats, 16);
    uint32_t both = 0;
    bool write = false;
    for (uint32_t r = 0; r < look; ++r) {
        const uint32_t written = groups(plan, dst, r);
        uint32_t seen = 0;
        for (int i = 0; i < count; ++i) {
            const uint32_t used = groups(plan, sources[i], r);
            if (i == 1 && (seen & used)) ++both;
            seen |= used;
            const uint64_t read_at = sources[i].address + uint64_t{r} * sources[i].repeat;
            const uint64_t write_at = dst.address + uint64_t{r} * dst.repeat;
            // 16 groups of three 4 KB banks: two addresses share a bank in one group and one 64 KB range.
            write = write || (read_at != write_at && read_at >> 16 == write_at >> 16 && (used & written));
        }
    }
    uint8_t flags = 0;
    if (both == look) flags |= kBankReadRead;
    if (both > 0 && both < look) flags |= kPartialReadRead;
    if (write) flags |= kBankReadWrite;
    return flags;
}

uint8_t bank_crowd(const Plan& plan, const Operand* operands, int count) {
    uint32_t most = 1;
    for (int i = 0; i < count; ++i) {
        // Blocks that follow each other lie in different groups, and a repeated block is read once.
        if (plan.empty() || operands[i].block <= kBlockBytes) continue;
        uint8_t used[16] = {};
        const uint32_t blocks = (plan.end(0) + operands[i].per_block() - 1) / operands[i].per_block();
        for (uint32_t block = 0; block < blocks; ++block) {
            const uint64_t address = operands[i].address + uint64_t{block} * operands[i].block;
            most = std::max<uint32_t>(most, ++used[(address >> 5) & 15]);
        }
    }
    return static_cast<uint8_t>(std::min(most, 255u));
}

void issue(const AscVector& call, Op op, Dtype dtype, const Plan& plan, uint32_t address, uint8_t flags,
           const AccessList& accesses, uint8_t crowd) {
    TraceRecord record{};
    const bool maskless =
        op == Op::Brcb || op == Op::Gather || op == Op::Gatherb || op == Op::GatherMask || op == Op::GatherMaskTensor;
    if (maskless || (call.form != kAscCount && !call.set_mask)) flags |= kMaskKept;
    record.event = crowd;
    record.op = static_cast<uint16_t>(op);
    record.dtype = static_cast<uint8_t>(dtype);
    record.flags = flags;
    record.repeats = plan.repeats;
    record.elements = static_cast<uint32_t>(std::min<uint64_t>(plan.elements(), 0xFFFFFFFFu));
    record.ub_address = address;
    instruction(Pipe::V, record, accesses.data(), accesses.size(), call.api);
}

void gather_lanes(const Operand& operand, uint32_t repeat, uint32_t count, void* target) {
    auto* to = static_cast<uint8_t*>(target);
    const uint8_t* from = operand.at(repeat);
    const uint32_t per_block = operand.per_block();
    for (uint32_t first = 0; first < count; first += per_block) {
        std::memcpy(to, from, operand.bytes_of(std::min(per_block, count - first)));
        to += kBlockBytes;
        from += operand.block;
    }
}

void scatter_lanes(const Plan& plan, const Operand& operand, uint32_t repeat, const void* source) {
    const auto* from = static_cast<const uint8_t*>(source);
    uint8_t* to = operand.at(repeat);
    const uint32_t per_block = operand.per_block();
    const uint32_t size = operand.bits / 8;
    const uint32_t end = plan.end(repeat);
    for (uint32_t lane = 0; lane < end; ++lane) {
        if (!plan.active(repeat, lane)) continue;
        uint8_t* block = to + size_t{lane / per_block} * operand.block;
        if (size) {
            std::memcpy(block + size_t{lane % per_block} * size, from + size_t{lane} * size, size);
        } else {  // int4
            uint8_t& byte = block[lane % per_block / 2];
            const uint32_t keep = lane % 2 ? 0x0Fu : 0xF0u;
            byte = static_cast<uint8_t>((byte & keep) | (from[lane / 2] & ~keep));
        }
    }
}

}  // namespace ascendopt::rt
