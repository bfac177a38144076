// asc_composite, and what all composite functions share; see composite.h.
#include "composite.h"

#include <algorithm>
#include <cstring>

#include "half.h"

namespace ascendopt::rt {

void Sequence::step(Op op, Dtype type, uint64_t elements, uint32_t calls) {
    if (elements && calls) steps_.push_back({op, type, elements, calls});
}

void Sequence::add(AccessList& list, const AscLocal& where, uint64_t elements, bool write) {
    const uint64_t bytes = (elements * dtype_bits(static_cast<Dtype>(where.dtype)) + 7) / 8;
    list.add(where.address, where.address + bytes, write);
}

void Sequence::record(const Step& step, const AccessList* accesses) const {
    const uint32_t lanes = kRepeatBytes * 8 / std::max<uint32_t>(dtype_bits(step.type), 4);
    const uint64_t each = (step.elements + step.calls - 1) / step.calls;
    TraceRecord out{};
    out.op = static_cast<uint16_t>(step.op);
    out.dtype = static_cast<uint8_t>(step.type);
    out.repeats = static_cast<uint32_t>((each + lanes - 1) / lanes);
    out.elements = static_cast<uint32_t>(each);
    out.ub_address = call_.out[0].address;
    instruction(Pipe::V, out, accesses ? accesses->data() : nullptr, accesses ? accesses->size() : 0, call_.api);
}

bool Sequence::issue(bool keeps_mask) {
    if (steps_.empty()) return false;
    if (call_.tmp.bytes) reads_.add(call_.tmp.address, uint64_t{call_.tmp.address} + call_.tmp.bytes, true);
    if (!call_.tmp.bytes && scratch_) take_scratch(scratch_, call_.api);
    const size_t last = steps_.size() - 1;
    for (size_t i = 0; i <= last; ++i) {
        if (i) vector_barrier();
        for (uint32_t k = 0; k < steps_[i].calls; ++k) {
            const bool first_call = i == 0 && k == 0;
            const bool last_call = i == last && k + 1 == steps_[i].calls;
            if (first_call && last_call) {
                AccessList both = reads_;
                for (int a = 0; a < writes_.size(); ++a) {
                    both.add(writes_.data()[a].begin, writes_.data()[a].end, writes_.data()[a].write);
                }
                record(steps_[i], &both);
            } else {
                record(steps_[i], first_call ? &reads_ : (last_call ? &writes_ : nullptr));
            }
        }
    }
    if (!keeps_mask) {
        mask().counter = false;
        mask().low = mask().high = ~uint64_t{0};
    }
    return functional();
}

void check_type(const AscComposite& call, const AscLocal& operand, uint32_t allowed) {
    const auto type = static_cast<Dtype>(operand.dtype);
    if (allowed & type_bit(type)) return;
    fatal("dtype", call.api, "%s does not take %s on this chip", call.api, dtype_name(type));
}

void check_starts(const AscComposite& call) {
    const auto check = [&](const AscLocal& where, const char* what, int index) {
        if (where.address % kBlockBytes == 0) return;
        violation("ub_misaligned", 0, call.api, "%s: %s %d starts at local address %u, which is not a multiple of 32 B",
                  call.api, what, index, where.address);
    };
    for (int i = 0; i < call.outputs; ++i) check(call.out[i], "output", i);
    for (int i = 0; i < call.inputs; ++i) check(call.in[i], "input", i);
}

std::vector<float> load_values(const AscLocal& where, size_t count, size_t first) {
    const auto type = static_cast<Dtype>(where.dtype);
    const size_t size = dtype_bits(type) / 8;
    const uint8_t* from = local(where.position, where.address) + first * size;
    std::vector<float> values(count);
    if (type == Dtype::F16 || type == Dtype::BF16 || type == Dtype::F32) {
        load_floats(from, type, count, values.data());
        return values;
    }
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, from + i * size, size);
        values[i] = static_cast<float>(scalar_integer(bits, type));
    }
    return values;
}

void store_values(const AscLocal& where, const float* values, size_t count, size_t first) {
    const auto type = static_cast<Dtype>(where.dtype);
    const size_t size = dtype_bits(type) / 8;
    uint8_t* to = local(where.position, where.address) + first * size;
    if (type == Dtype::F16 || type == Dtype::BF16 || type == Dtype::F32) return store_floats(values, type, count, to);
    for (size_t i = 0; i < count; ++i) {
        const auto whole = static_cast<int64_t>(values[i]);
        std::memcpy(to + i * size, &whole, size);
    }
}

namespace {

void dispatch(const AscComposite& call) {
    const auto op = static_cast<Composite>(call.op);
    if (op < Composite::Sum) return run_layout(call, op);
    if (op < Composite::Sort32) return run_axis(call, op);
    if (op >= Composite::ProposalConcat && op <= Composite::MrgSort4) return run_proposals(call, op);
    if (op < Composite::SelectWithBytesMask) return run_sort(call, op);
    if (op < Composite::SoftMax) return run_choice(call, op);
    if (op < Composite::LayerNorm) return run_softmax(call, op);
    if (op < Composite::Quant) return run_norm(call, op);
    return run_quant(call, op);
}

// Those whose arguments point to nothing.
bool repeatable(const AscComposite& call) {
    const auto op = static_cast<Composite>(call.op);
    const bool sorts = op >= Composite::Sort32 && op <= Composite::MrgSort4;
    return !sorts && op != Composite::TransDataTo5HD && op != Composite::AdjustSoftMaxRes;
}

}  // namespace
}  // namespace ascendopt::rt

void asc_composite(const AscComposite* call) {
    if (!ascendopt::rt::repeatable(*call)) ascendopt::rt::end_repetition();
    if (ascendopt::rt::repeats(__builtin_frame_address(0), *call)) return;
    ASC_ENTER_REPEATABLE(call->api);
    ascendopt::rt::dispatch(*call);
}
