// asc_vector: the one entry for vector functions. Element by element operations, comparison and selection are here;
// reductions, gathers and fills in their own files.
#include <algorithm>
#include <cstring>

#include "../abi/scratch.h"
#include "vector_plan.h"

namespace ascendopt::rt {
namespace {

// dst is an input as well.
bool reads_dst(Op op) {
    return op == Op::Axpy || op == Op::MulAddDst || op == Op::FusedMulAdd || op == Op::FusedMulAddRelu;
}

// "The result of a repeat may be the second source of the next": documented for these.
bool may_accumulate(Op op) {
    return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Max || op == Op::Min || op == Op::AddRelu ||
           op == Op::SubRelu;
}

uint32_t lanes_of(uint32_t bits) { return kRepeatBytes * 8 / bits; }

struct Sources {
    Operand operands[3];
    int count = 0;
};

// Whether the whole call is one run over plain arrays, and of how many elements.
bool flat(const Plan& plan, const Operand& dst, const Sources& sources, size_t& count) {
    const auto plain = [&](const Operand& operand) {
        return operand.block == kBlockBytes && (plan.repeats == 1 || operand.repeat == operand.bytes_of(plan.lanes));
    };
    if (!plan.prefix() || !plain(dst)) return false;
    for (int i = 0; i < sources.count; ++i) {
        if (!plain(sources.operands[i])) return false;
    }
    if (plan.counter) {
        count = plan.total;
        return true;
    }
    if (plan.repeats > 1 && plan.end(0) != plan.lanes) return false;
    count = plan.repeats == 1 ? plan.end(0) : size_t{plan.repeats} * plan.lanes;
    return true;
}

// Calls body(dst, sources, count, first element) over contiguous arrays: once, or for each repeat in order.
template <typename Body>
void execute(const Plan& plan, const Operand& dst, const Sources& sources, bool dst_is_input, bool split, Body body) {
    const void* inputs[3] = {};
    size_t count = 0;
    if (!split && flat(plan, dst, sources, count)) {
        for (int i = 0; i < sources.count; ++i) inputs[i] = sources.operands[i].at(0);
        body(dst.at(0), inputs, count, size_t{0});
        return;
    }
    alignas(32) uint8_t gathered[3][kMaxLanes * 8];
    alignas(32) uint8_t result[kMaxLanes * 8];
    const bool direct = dst.block == kBlockBytes && plan.prefix();
    for (uint32_t r = 0; r < plan.repeats; ++r) {
        const uint32_t end = plan.end(r);
        for (int i = 0; i < sources.count; ++i) {
            const Operand& source = sources.operands[i];
            if (source.block == kBlockBytes) {
                inputs[i] = source.at(r);
            } else {
                gather_lanes(source, r, end, gathered[i]);
                inputs[i] = gathered[i];
            }
        }
        if (direct) {
            body(dst.at(r), inputs, end, size_t{r} * plan.lanes);
            continue;
        }
        if (dst_is_input) gather_lanes(dst, r, end, result);
        body(result, inputs, end, size_t{r} * plan.lanes);
        scatter_lanes(plan, dst, r, result);
    }
}

void check_types(const AscVector& call, Op op, Dtype dst, Dtype src, bool computable) {
    const bool legal = op == Op::Cast ? legal_cast(dst, src, call.mode) : legal_types(op, dst, src);
    if (legal && computable) return;
    static const char* const modes[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                        "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
    if (op == Op::Cast) {
        const char* mode = call.mode < 7 ? modes[call.mode] : "an unknown mode";
        if (!computable)
            fatal("cast_types", call.api, "Cast from %s to %s does not exist on this chip", dtype_name(src),
                  dtype_name(dst));
        violation("cast_types", 0, call.api, "Cast from %s to %s does not take %s on this chip", dtype_name(src),
                  dtype_name(dst), mode);
        return;
    }
    if (!computable) {
        fatal("dtype", call.api, "%s does not take %s on this chip", call.api, dtype_name(src));
    }
    violation("dtype", 0, call.api, "%s does not take %s on this chip", call.api, dtype_name(src));
}

uint32_t dst_stride(const AscVector& call, uint32_t lanes, Operand& dst) {
    dst = call.form == kAscCount ? contiguous(call.dst, lanes) : operand(call.dst, call.dst_block, call.dst_repeat);
    return lanes;
}

void run_elementwise(const AscVector& call, Op op) {
    const auto dst_type = static_cast<Dtype>(call.dst.dtype);
    const Dtype src_type = call.sources ? static_cast<Dtype>(call.src[0].dtype) : dst_type;
    const ElementKernel kernel = element_kernel(op, dst_type, src_type);
    check_types(call, op, dst_type, src_type, kernel != nullptr);
    const uint32_t wide = std::max(dtype_bits(dst_type), dtype_bits(src_type));
    const uint32_t narrow = std::min(dtype_bits(dst_type), dtype_bits(src_type));
    const uint32_t lanes = lanes_of(wide);
    const Plan plan = resolve(call, lanes, lanes_of(narrow));
    if (plan.empty()) return;
    Operand dst;
    dst_stride(call, lanes, dst);
    Sources sources;
    for (int i = 0; i < call.sources && i < 2; ++i) {
        sources.operands[sources.count++] = call.form == kAscCount
                                                ? contiguous(call.src[i], lanes)
                                                : operand(call.src[i], call.src_block[i], call.src_repeat[i]);
    }
    check_alignment(call, dst, "dst");
    AccessList accesses;
    for (int i = 0; i < sources.count; ++i) {
        check_alignment(call, sources.operands[i], i ? "src1" : "src0");
        check_overlap(call, plan, dst, sources.operands[i], may_accumulate(op));
        accesses.add(plan, sources.operands[i], false);
    }
    if (reads_dst(op)) accesses.add(plan, dst, false);
    if (call.tmp.bytes) accesses.add(call.tmp.address, uint64_t{call.tmp.address} + call.tmp.bytes, true);
    accesses.add(plan, dst, true);
    const bool halves = op == Op::Cast && src_type == Dtype::F32 && dst_type == Dtype::F16;
    const uint8_t crowd = std::max(bank_crowd(plan, &dst, 1), bank_crowd(plan, sources.operands, sources.count));
    issue(call, halves ? Op::CastFloatHalf : op, dtype_bits(src_type) > dtype_bits(dst_type) ? src_type : dst_type,
          plan, dst.address, bank_flags(plan, dst, sources.operands, sources.count), accesses, crowd);
    if (!functional()) return;
    ElementArgs args{};
    args.scalar = call.scalar;
    args.scalar_type = static_cast<Dtype>(call.scalar_dtype);
    args.mode = call.mode;
    args.option = call.option;
    args.deq_scale = mask().deq_scale;
    args.infinities = mask().infinities;
    execute(plan, dst, sources, reads_dst(op), false, [&](void* to, const void* const* from, size_t count, size_t) {
        args.dst = to;
        args.src[0] = from[0];
        args.src[1] = from[1];
        args.count = count;
        kernel(args);
    });
}

constexpr uint8_t kEqual = 2;  // CMPMODE::EQ

void check_compare(const AscVector& call, Dtype type) {
    if (!legal_types(Op::Compare, type, type)) {
        fatal("dtype", call.api, "%s does not take %s on this chip", call.api, dtype_name(type));
    }
    if (type == Dtype::I32 && call.mode != kEqual) {
        violation("dtype", 0, call.api, "%s of int32_t only exists as EQ on this chip", call.api);
    }
}

// Comparison into local memory: whole repeats, no mask.
void run_compare(const AscVector& call, Op op) {
    const auto type = static_cast<Dtype>(call.src[0].dtype);
    check_compare(call, type);
    const uint32_t lanes = lanes_of(dtype_bits(type));
    Plan plan;
    plan.lanes = lanes;
    plan.low = ~uint64_t{0};
    plan.high = lanes > 64 ? ~uint64_t{0} : 0;
    Sources sources;
    const int tensors = op == Op::Compare ? 2 : 1;
    for (int i = 0; i < tensors; ++i) {
        sources.operands[sources.count++] = call.form == kAscCount
                                                ? contiguous(call.src[i], lanes)
                                                : operand(call.src[i], call.src_block[i], call.src_repeat[i]);
    }
    if (call.form == kAscCount) {
        const uint32_t tail = call.count % lanes;
        plan.counter = true;
        plan.total = as_meant() ? call.count : call.count - tail;
        plan.repeats = (plan.total + lanes - 1) / lanes;
        if (tail) {
            violation("doubt_compare_tail", 2, call.api,
                      "%s compares whole 256 B only: the last %u of %u elements keep the result bits that were there "
                      "before",
                      call.api, tail, call.count);
        }
    } else {
        plan.repeats = call.repeat & 255;
    }
    if (plan.empty()) return;
    const uint32_t bytes = lanes / 8;
    const uint64_t written = plan.counter ? (uint64_t{plan.total} + 7) / 8 : uint64_t{plan.repeats} * bytes;
    Operand dst = contiguous(call.dst, lanes);
    dst.bits = 1;
    dst.repeat = bytes;
    check_alignment(call, dst, "dst");
    AccessList accesses;
    for (int i = 0; i < sources.count; ++i) {
        check_alignment(call, sources.operands[i], i ? "src1" : "src0");
        accesses.add(plan, sources.operands[i], false);
    }
    accesses.add(dst.address, uint64_t{dst.address} + written, true);
    issue(call, op, type, plan, dst.address, bank_flags(plan, dst, sources.operands, sources.count), accesses);
    if (!functional()) return;
    execute(plan, dst, sources, false, true, [&](void*, const void* const* from, size_t count, size_t first) {
        // Through a copy: dst may be one of the sources.
        uint8_t packed[kMaxLanes / 8];
        compare_bits(call.mode, type, from[0], tensors == 2 ? from[1] : nullptr, call.scalar, count, packed);
        std::memcpy(dst.at(0) + first / 8, packed, (count + 7) / 8);
    });
}

// One repeat into CMPMASK, under the mask.
void run_compare_register(const AscVector& call) {
    const auto type = static_cast<Dtype>(call.src[0].dtype);
    check_compare(call, type);
    const uint32_t lanes = lanes_of(dtype_bits(type));
    Plan plan = resolve(call, lanes, lanes);
    plan.repeats = std::min(plan.repeats, 1u);
    if (plan.empty()) return;
    Sources sources;
    AccessList accesses;
    for (int i = 0; i < 2; ++i) {
        sources.operands[i] = operand(call.src[i], call.src_block[i], 0);
        check_alignment(call, sources.operands[i], i ? "src1" : "src0");
        accesses.add(plan, sources.operands[i], false);
    }
    issue(call, Op::Compare, type, plan, call.src[0].address, 0, accesses);
    if (!functional()) return;
    alignas(32) uint8_t left[kMaxLanes * 8], right[kMaxLanes * 8];
    uint8_t packed[16] = {};
    gather_lanes(sources.operands[0], 0, plan.end(0), left);
    gather_lanes(sources.operands[1], 0, plan.end(0), right);
    compare_bits(call.mode, type, left, right, 0, plan.end(0), packed);
    uint64_t words[2];
    std::memcpy(words, packed, sizeof words);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (!plan.active(0, lane)) words[lane / 64] &= ~(uint64_t{1} << (lane % 64));
    }
    mask().compare[0] = words[0];
    mask().compare[1] = words[1];
}

constexpr uint8_t kScalarInRegister = 2;  // has_scalar: CMPMASK holds it
constexpr uint8_t kSelectRegister = 0;    // SELMODE::VSEL_CMPMASK_SPR

// Modes 1 and 2 take fresh bits for each repeat, mode 0 the same 256 B worth for every one.
void run_select(const AscVector& call, Op op) {
    const auto type = static_cast<Dtype>(call.dst.dtype);
    const uint32_t size = dtype_bits(type) / 8;
    check_types(call, Op::Select, type, type, size == 2 || size == 4);
    const uint32_t lanes = lanes_of(dtype_bits(type));
    const Plan plan = resolve(call, lanes, lanes);
    if (plan.empty()) return;
    const bool from_register = op == Op::SelectRegister;
    const bool reused = from_register || call.option == kSelectRegister;
    if (!reused) use_reserved(call.api);
    const int first_source = from_register ? 0 : 1;
    Operand dst;
    dst_stride(call, lanes, dst);
    Sources sources;
    for (int i = first_source; i < call.sources; ++i) {
        const int at = i - first_source;
        sources.operands[sources.count++] = call.form == kAscCount
                                                ? contiguous(call.src[i], lanes)
                                                : operand(call.src[i], call.src_block[at], call.src_repeat[at]);
    }
    check_alignment(call, dst, "dst");
    AccessList accesses;
    for (int i = 0; i < sources.count; ++i) {
        check_alignment(call, sources.operands[i], i ? "src1" : "src0");
        check_overlap(call, plan, dst, sources.operands[i], false);
        accesses.add(plan, sources.operands[i], false);
    }
    if (!from_register) {
        const uint64_t elements = reused ? lanes : (plan.counter ? plan.total : uint64_t{plan.repeats} * lanes);
        accesses.add(call.src[0].address, call.src[0].address + (elements + 7) / 8, false);
    }
    accesses.add(plan, dst, true);
    issue(call, Op::Select, type, plan, dst.address, bank_flags(plan, dst, sources.operands, sources.count), accesses);
    if (!functional()) return;
    uint8_t chosen[16];
    const uint8_t* bits = chosen;
    if (from_register) {
        std::memcpy(chosen, mask().compare, sizeof chosen);
    } else if (reused) {
        std::memcpy(chosen, local(call.src[0].position, call.src[0].address), lanes / 8);
    } else {
        bits = local(call.src[0].position, call.src[0].address);
        if (call.has_scalar != kScalarInRegister) {
            mask().compare[0] = sources.count == 1 ? call.scalar : call.src[0].address;
            mask().compare[1] = 0;
        }
    }
    const uint64_t scalar = call.has_scalar == kScalarInRegister ? mask().compare[0] : call.scalar;
    execute(plan, dst, sources, false, reused, [&](void* to, const void* const* from, size_t count, size_t first) {
        select_elements(size, to, bits, reused ? 0 : first, from[0], sources.count > 1 ? from[1] : nullptr, scalar,
                        count);
    });
}

void run_register(const AscVector& call, Op op) {
    if (op == Op::SetDeqScale) {
        mask().deq_scale = scalar_float(call.scalar, static_cast<Dtype>(call.scalar_dtype));
        return;
    }
    AccessList accesses;
    const bool get = op == Op::GetCmpMask;
    accesses.add(call.dst.address, uint64_t{call.dst.address} + 16, get);
    Plan plan;
    plan.counter = true;
    plan.lanes = plan.total = 16;
    plan.repeats = 1;
    issue(call, op, Dtype::U8, plan, call.dst.address, 0, accesses);
    if (!functional()) return;
    uint8_t* memory = local(call.dst.position, call.dst.address);
    if (get) {
        std::memcpy(memory, mask().compare, 16);
    } else {
        std::memcpy(mask().compare, memory, 16);
    }
}

void dispatch(const AscVector& call) {
    const auto op = static_cast<Op>(call.op);
    switch (op) {
        case Op::Compare:
        case Op::CompareScalar:
            return run_compare(call, op);
        case Op::CompareRegister:
            return run_compare_register(call);
        case Op::Select:
        case Op::SelectRegister:
            return run_select(call, op);
        case Op::SetDeqScale:
        case Op::SetCmpMask:
        case Op::GetCmpMask:
            return run_register(call, op);
        case Op::Brcb:
        case Op::BroadCast:
        case Op::CreateVecIndex:
        case Op::ArithProgression:
            return run_fill(call, op);
        case Op::Gather:
        case Op::Gatherb:
        case Op::GatherMask:
            return run_gather(call, op);
        case Op::ReduceSum:
        case Op::ReduceMax:
        case Op::ReduceMin:
        case Op::ReduceSumRepeat:
        case Op::ReduceMaxRepeat:
        case Op::ReduceMinRepeat:
        case Op::WholeReduceSum:
        case Op::WholeReduceMax:
        case Op::WholeReduceMin:
        case Op::BlockReduceSum:
        case Op::BlockReduceMax:
        case Op::BlockReduceMin:
        case Op::PairReduceSum:
        case Op::RepeatReduceSum:
            return run_reduce(call, op);
        default:
            return run_elementwise(call, op);
    }
}

}  // namespace
namespace {

// Copy counts differently (documented): in counter mode the mask is the elements of every repeat, and the blocks of one
// repeat follow each other at the block stride, however many there are.
bool counts_each_repeat(const AscVector& call) {
    return static_cast<Op>(call.op) == Op::Copy && call.form != kAscCount && mask().counter;
}

void copy_each_repeat(const AscVector& call) {
    constexpr uint32_t kBlocks = kRepeatBytes / kBlockBytes, kMostStride = 0xFFFF;
    if (std::max(call.dst_block, call.src_block[0]) > kMostStride / kBlocks) {
        fatal("unsupported", call.api, "%s in counter mode with a block stride over %u is not modelled", call.api,
              kMostStride / kBlocks);
    }
    AscVector each = call;
    each.dst_repeat = static_cast<uint16_t>(kBlocks * call.dst_block);
    each.src_repeat[0] = static_cast<uint16_t>(kBlocks * call.src_block[0]);
    for (uint32_t i = 0; i < call.repeat; ++i) {
        each.dst.address = call.dst.address + i * call.dst_repeat * kBlockBytes;
        each.src[0].address = call.src[0].address + i * call.src_repeat[0] * kBlockBytes;
        dispatch(each);
    }
}

}  // namespace

}  // namespace ascendopt::rt

void asc_vector(const AscVector* call) {
    if (ascendopt::rt::repeats(__builtin_frame_address(0), *call)) return;
    ASC_ENTER_REPEATABLE(call->api);
    const ascendopt::ScratchNeed* need = ascendopt::scratch_of(static_cast<ascendopt::Op>(call->op));
    if (need && call->tmp.bytes == 0) {
        const uint32_t size = ascendopt::rt::dtype_bits(static_cast<ascendopt::Dtype>(call->src[0].dtype)) / 8;
        ascendopt::rt::take_scratch(need->least(size, false), call->api);
    }
    if (ascendopt::rt::counts_each_repeat(*call)) return ascendopt::rt::copy_each_repeat(*call);
    ascendopt::rt::dispatch(*call);
}
