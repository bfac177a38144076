// Gather, Gatherb, GatherMask, Brcb, Broadcast and index sequences.
#include <algorithm>
#include <cstring>

#include "half.h"
#include "vector_plan.h"

namespace ascendopt::rt {
namespace {

uint32_t bytes_of(const AscLocal& tensor) { return dtype_bits(static_cast<Dtype>(tensor.dtype)) / 8; }

void check_move_type(const AscVector& call, Op op) {
    const auto type = static_cast<Dtype>(call.dst.dtype);
    if (legal_types(op, type, type)) return;
    if (bytes_of(call.dst) == 0) fatal("dtype", call.api, "%s does not take %s", call.api, dtype_name(type));
    violation("dtype", 0, call.api, "%s does not take %s on this chip", call.api, dtype_name(type));
}

void full_mask() {
    mask().low = ~uint64_t{0};
    mask().high = ~uint64_t{0};
}

void distinct(const AscVector& call) {
    const uint64_t d = call.dst.address, s = call.src[0].address;
    if (d == s) violation("overlap", 0, call.api, "%s needs src and dst in different memory", call.api);
}

Plan whole_repeats(uint32_t lanes, uint32_t repeats) {
    Plan plan;
    plan.counter = true;
    plan.lanes = lanes;
    plan.repeats = repeats;
    plan.total = lanes * repeats;
    return plan;
}

void gather(const AscVector& call) {
    check_move_type(call, Op::Gather);
    const uint32_t size = bytes_of(call.dst);
    const uint32_t lanes = kRepeatBytes / size;
    const Plan plan = resolve(call, lanes, lanes);
    if (plan.empty()) return;
    const Operand dst =
        call.form == kAscCount ? contiguous(call.dst, lanes) : operand(call.dst, call.dst_block, call.dst_repeat);
    const Operand offsets = contiguous(call.src[1], lanes);
    check_alignment(call, dst, "dst");
    check_alignment(call, offsets, "srcOffset");
    distinct(call);
    AccessList accesses;
    accesses.add(call.src[0].address, uint64_t{call.src[0].address} + call.src[0].bytes, false);
    accesses.add(plan, offsets, false);
    accesses.add(plan, dst, true);
    issue(call, Op::Gather, dst.type, plan, dst.address, 0, accesses);
    if (!functional()) return;
    const uint8_t* source = local(call.src[0].position, call.src[0].address);
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        alignas(32) uint8_t result[kMaxLanes * 8] = {};
        const uint32_t end = plan.end(r);
        const uint8_t* from = offsets.at(r);
        for (uint32_t lane = 0; lane < end; ++lane) {
            uint32_t offset;
            std::memcpy(&offset, from + size_t{lane} * 4, 4);
            if (!plan.active(r, lane)) continue;
            const uint64_t byte = uint64_t{offset} + static_cast<uint32_t>(call.scalar);
            if (byte % size) {
                violation("gather_offset", 0, call.api, "%s: offset %llu is not a multiple of the element's %u B",
                          call.api, static_cast<unsigned long long>(byte), size);
            }
            if (byte + size > call.src[0].bytes) {
                violation("gather_range", 0, call.api, "%s: offset %llu lies outside the %u B of src", call.api,
                          static_cast<unsigned long long>(byte), call.src[0].bytes);
                continue;
            }
            std::memcpy(result + size_t{lane} * size, source + byte, size);
        }
        scatter_lanes(plan, dst, r, result);
    }
}

void gather_blocks(const AscVector& call) {
    check_move_type(call, Op::Gatherb);
    const uint32_t size = bytes_of(call.dst);
    const Plan plan = whole_repeats(kRepeatBytes / size, call.repeat);
    full_mask();
    if (plan.empty()) return;
    const Operand dst = operand(call.dst, call.dst_block, call.dst_repeat);
    check_alignment(call, dst, "dst");
    distinct(call);
    AccessList accesses;
    accesses.add(call.src[0].address, uint64_t{call.src[0].address} + call.src[0].bytes, false);
    accesses.add(call.src[1].address, uint64_t{call.src[1].address} + uint64_t{32} * call.repeat, false);
    accesses.add(plan, dst, true);
    issue(call, Op::Gatherb, dst.type, plan, dst.address, 0, accesses);
    if (!functional()) return;
    const uint8_t* source = local(call.src[0].position, call.src[0].address);
    const uint8_t* offsets = local(call.src[1].position, call.src[1].address);
    for (uint32_t i = 0; i < 8 * call.repeat; ++i) {
        uint32_t offset;
        std::memcpy(&offset, offsets + size_t{i} * 4, 4);
        if ((call.src[0].address + offset) % kBlockBytes || uint64_t{offset} + kBlockBytes > call.src[0].bytes) {
            violation("gather_range", 0, call.api, "%s: offset %u is not a 32 B block inside src (%u B)", call.api,
                      offset, call.src[0].bytes);
            continue;
        }
        std::memcpy(dst.at(i / 8) + size_t{i % 8} * dst.block, source + offset, kBlockBytes);
    }
}

// The seven fixed patterns: even, odd, first to fourth of every four, all.
bool fixed_pattern(uint8_t pattern, uint32_t element) {
    if (pattern <= 2) return element % 2 == pattern - 1u;
    return pattern == 7 || element % 4 == pattern - 3u;
}

struct MaskWalk {
    uint32_t lanes;  // elements a repeat
    uint32_t repeats;
    Operand src;
    bool fixed;
    const uint8_t* bits;
    uint32_t bits_repeat;  // bytes

    bool keeps(const AscVector& call, uint32_t repeat, uint32_t element) const {
        if (fixed) return fixed_pattern(call.option, element);
        const uint8_t* row = bits + size_t{repeat} * bits_repeat;
        return (row[element / 8] >> (element % 8)) & 1;
    }
};

void gather_by_mask(const AscVector& call) {
    check_move_type(call, Op::GatherMask);
    const uint32_t size = bytes_of(call.dst);
    auto& kept_out = *reinterpret_cast<uint64_t*>(call.scalar);
    MaskWalk walk{};
    walk.lanes = call.mode ? call.count : kRepeatBytes / size;
    walk.repeats = call.repeat;
    walk.src = operand(call.src[0], call.src_block[0], call.src_repeat[0]);
    walk.fixed = call.sources == 1;
    walk.bits_repeat = uint32_t{call.src_repeat[1]} * kBlockBytes;
    mask().counter = false;  // whatever was set before
    if (walk.fixed && (call.option < 1 || call.option > 7)) {
        fatal("gather_pattern", call.api, "GatherMask: pattern %u does not exist; 1 to 7 do", call.option);
    }
    kept_out = 0;
    if (walk.lanes == 0 || walk.repeats == 0) return;
    const Operand dst = operand(call.dst, 1, 0);
    check_alignment(call, dst, "dst");
    check_alignment(call, walk.src, "src0");
    Plan plan = whole_repeats(walk.lanes, walk.repeats);
    uint64_t kept = 0;
    if (walk.fixed) {
        for (uint32_t e = 0; e < walk.lanes; ++e) kept += fixed_pattern(call.option, e) ? walk.repeats : 0;
    } else if (functional()) {
        walk.bits = local(call.src[1].position, call.src[1].address);
        for (uint32_t r = 0; r < walk.repeats; ++r) {
            for (uint32_t e = 0; e < walk.lanes; ++e) kept += walk.keeps(call, r, e) ? 1 : 0;
        }
    } else {
        data_dependent(call.api);
        kept = uint64_t{walk.lanes} * walk.repeats;
    }
    AccessList accesses;
    accesses.add(plan, walk.src, false);
    if (!walk.fixed) {
        const uint64_t last = uint64_t{walk.bits_repeat} * (walk.repeats - 1) + (walk.lanes + 7) / 8;
        accesses.add(call.src[1].address, call.src[1].address + last, false);
    }
    accesses.add(dst.address, dst.address + kept * size, true);
    // Time goes by 256 B of source.
    plan.repeats =
        static_cast<uint32_t>((uint64_t{walk.lanes} * size + kRepeatBytes - 1) / kRepeatBytes * walk.repeats);
    const Op op = walk.fixed ? Op::GatherMask : Op::GatherMaskTensor;
    issue(call, op, dst.type, plan, dst.address, 0, accesses);
    kept_out = kept;
    if (!functional()) return;
    uint8_t* out = dst.at(0);
    const uint32_t per_block = walk.src.per_block();
    for (uint32_t r = 0; r < walk.repeats; ++r) {
        const uint8_t* row = walk.src.at(r);
        for (uint32_t e = 0; e < walk.lanes; ++e) {
            if (!walk.keeps(call, r, e)) continue;
            std::memmove(out, row + size_t{e / per_block} * walk.src.block + size_t{e % per_block} * size, size);
            out += size;
        }
    }
}

void broadcast_blocks(const AscVector& call) {
    check_move_type(call, Op::Brcb);
    const uint32_t size = bytes_of(call.dst);
    full_mask();
    const Plan plan = whole_repeats(kRepeatBytes / size, call.repeat);
    if (plan.empty()) return;
    const Operand dst = operand(call.dst, call.dst_block, call.dst_repeat);
    check_alignment(call, dst, "dst");
    check_alignment(call, operand(call.src[0], 1, 0), "src");
    distinct(call);
    if (call.dst_block == 0) violation("stride_zero", 0, call.api, "Brcb does not allow dstBlkStride 0");
    AccessList accesses;
    accesses.add(call.src[0].address, uint64_t{call.src[0].address} + uint64_t{8} * call.repeat * size, false);
    accesses.add(plan, dst, true);
    issue(call, Op::Brcb, dst.type, plan, dst.address, 0, accesses);
    if (!functional()) return;
    const uint8_t* source = local(call.src[0].position, call.src[0].address);
    for (uint32_t i = 0; i < 8 * call.repeat; ++i) {
        uint8_t* block = dst.at(i / 8) + size_t{i % 8} * dst.block;
        for (uint32_t at = 0; at < kBlockBytes; at += size) std::memcpy(block + at, source + size_t{i} * size, size);
    }
}

// count = rows, mask[0] = columns, mask[1] = {source rows, source columns}.
void broadcast(const AscVector& call) {
    check_move_type(call, Op::BroadCast);
    const uint32_t size = bytes_of(call.dst);
    const uint32_t rows = call.count;
    const auto columns = static_cast<uint32_t>(call.mask[0]);
    const auto source_rows = static_cast<uint32_t>(call.mask[1] >> 32);
    const auto source_columns = static_cast<uint32_t>(call.mask[1]);
    if ((source_rows != rows && source_rows != 1) || (source_columns != columns && source_columns != 1)) {
        fatal("broadcast_shape", call.api, "%s cannot spread (%u, %u) to (%u, %u)", call.api, source_rows,
              source_columns, rows, columns);
    }
    const uint64_t elements = uint64_t{rows} * columns;
    if (elements == 0) return;
    Plan plan;
    plan.counter = true;
    plan.lanes = kRepeatBytes / size;
    plan.total = static_cast<uint32_t>(elements);
    plan.repeats = (plan.total + plan.lanes - 1) / plan.lanes;
    const Operand dst = contiguous(call.dst, plan.lanes);
    check_alignment(call, dst, "dst");
    check_alignment(call, operand(call.src[0], 1, 0), "src");
    AccessList accesses;
    accesses.add(call.src[0].address, call.src[0].address + uint64_t{source_rows} * source_columns * size, false);
    if (call.tmp.bytes) accesses.add(call.tmp.address, uint64_t{call.tmp.address} + call.tmp.bytes, true);
    accesses.add(plan, dst, true);
    issue(call, Op::BroadCast, dst.type, plan, dst.address, 0, accesses);
    full_mask();
    if (!functional()) return;
    const uint8_t* source = local(call.src[0].position, call.src[0].address);
    std::vector<uint8_t> copy(source, source + uint64_t{source_rows} * source_columns * size);
    uint8_t* out = dst.at(0);
    for (uint32_t row = 0; row < rows; ++row) {
        const uint8_t* from = copy.data() + size_t{source_rows == 1 ? 0 : row} * source_columns * size;
        for (uint32_t column = 0; column < columns; ++column, out += size) {
            std::memcpy(out, from + size_t{source_columns == 1 ? 0 : column} * size, size);
        }
    }
}

// first + i * step, built like on the chip: the first block by scalar writes, later blocks by adding a multiple of the
// block's span, each rounded to the type. So half sequences lose integers above 2048.
void sequence_values(const AscVector& call, Dtype type, bool with_step, uint32_t first_lane, uint32_t count,
                     void* out) {
    const auto scalar_type = static_cast<Dtype>(call.scalar_dtype);
    const uint32_t per_block = kBlockBytes * 8 / dtype_bits(type);
    if (type == Dtype::I16 || type == Dtype::I32) {
        const int64_t start = scalar_integer(call.scalar, scalar_type);
        const int64_t step = with_step ? scalar_integer(call.mask[0], scalar_type) : 1;
        for (uint32_t i = 0; i < count; ++i) {
            const int64_t value = start + step * (first_lane + i);
            std::memcpy(static_cast<uint8_t*>(out) + size_t{i} * dtype_bits(type) / 8, &value, dtype_bits(type) / 8);
        }
        return;
    }
    const auto rounded = [&](float value) { return type == Dtype::F16 ? f16_to_f32(f32_to_f16(value)) : value; };
    const float start = scalar_float(call.scalar, scalar_type);
    const float step = with_step ? scalar_float(call.mask[0], scalar_type) : 1.0f;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = first_lane + i;
        const float base = rounded(start + step * static_cast<float>(at % per_block));
        const float jump = rounded(step * static_cast<float>(at - at % per_block));
        const float value = rounded(base + jump);
        store_floats(&value, type, 1, static_cast<uint8_t*>(out) + size_t{i} * dtype_bits(type) / 8);
    }
}

void sequence(const AscVector& call, Op op) {
    check_move_type(call, op);
    const auto type = static_cast<Dtype>(call.dst.dtype);
    const uint32_t lanes = kRepeatBytes / bytes_of(call.dst);
    AscVector shape = call;
    if (op == Op::ArithProgression) shape.mask[0] = 0;  // it carries the step
    const Plan plan = resolve(shape, lanes, lanes);
    if (plan.empty()) return;
    const Operand dst =
        call.form == kAscCount ? contiguous(call.dst, lanes) : operand(call.dst, call.dst_block, call.dst_repeat);
    check_alignment(call, dst, "dst");
    AccessList accesses;
    accesses.add(plan, dst, true);
    issue(call, op, type, plan, dst.address, 0, accesses);
    if (!functional()) return;
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        alignas(32) uint8_t result[kMaxLanes * 8];
        sequence_values(call, type, op == Op::ArithProgression, r * lanes, plan.end(r), result);
        scatter_lanes(plan, dst, r, result);
    }
}

}  // namespace

void run_gather(const AscVector& call, Op op) {
    switch (op) {
        case Op::Gather:
            return gather(call);
        case Op::Gatherb:
            return gather_blocks(call);
        default:
            return gather_by_mask(call);
    }
}

void run_fill(const AscVector& call, Op op) {
    switch (op) {
        case Op::Brcb:
            return broadcast_blocks(call);
        case Op::BroadCast:
            return broadcast(call);
        default:
            return sequence(call, op);
    }
}

}  // namespace ascendopt::rt
