// DataCopy and DataCopyPad between global and local memory and inside local memory.
#include <algorithm>
#include <cstring>

#include "gm_store.h"
#include "state.h"

namespace ascendopt::rt {

namespace {

uint32_t round_up(uint32_t value) { return (value + kBlock - 1) / kBlock * kBlock; }

// One call after normalisation.
struct Plan {
    const AscDma* call;
    Memory local;
    uint32_t row_bytes;
    uint32_t left;         // bytes
    uint32_t local_row;    // bytes written or read per row in local memory
    uint64_t local_pitch;  // row start to row start
    uint64_t gm_pitch;
};

// Reads that leave the allocation see poison.
void read_gm(uint8_t* to, const Allocation& at, uint64_t address, uint64_t bytes) {
    const uint64_t end = at.host + at.bytes;
    const uint64_t inside = address >= end ? 0 : std::min(bytes, end - address);
    std::memcpy(to, reinterpret_cast<const void*>(address), inside);
    std::memset(to + inside, 0xFF, bytes - inside);
}

void pad_row(const AscDma& call, const Plan& plan, uint8_t* row) {
    const uint32_t size = std::max<uint32_t>(call.size, 1);
    const uint32_t body_end = plan.left + plan.row_bytes;
    const uint32_t end = round_up(body_end + call.right * size);
    const auto fill = [&](uint32_t from, uint32_t to, const void* pattern) {
        for (uint32_t at = from; at + size <= to; at += size) std::memcpy(row + at, pattern, size);
    };
    uint8_t first[8];
    std::memcpy(first, row + plan.left, std::min<uint32_t>(size, 8));
    const bool padded = call.left != 0 || call.right != 0;
    if (call.is_pad && padded) {
        fill(0, plan.left, &call.pad_value);
        fill(body_end, end, &call.pad_value);
    } else if (!padded) {
        fill(body_end, end, first);
    } else if (core().has_pad_value) {
        fill(0, plan.left, &core().pad_value);
        fill(body_end, end, &core().pad_value);
    } else {
        std::memset(row, 0xFF, plan.left);  // unspecified on the device
        std::memset(row + body_end, 0xFF, end - body_end);
    }
}

void move(const AscDma& call, const Plan& plan, const Allocation& at) {
    uint8_t* local = memory(plan.local).data + call.local.address;
    for (uint32_t row = 0; row < call.rows; ++row) {
        uint8_t* here = local + row * plan.local_pitch;
        const uint64_t gm = call.gm + row * plan.gm_pitch;
        if (call.kind == kAscGmToLocal) {
            read_gm(here + plan.left, at, gm, plan.row_bytes);
            if (call.pad) pad_row(call, plan, here);
        } else {
            const uint64_t end = at.host + at.bytes;
            const uint64_t inside = gm >= end ? 0 : std::min<uint64_t>(plan.row_bytes, end - gm);
            gm_store(call.dtype, reinterpret_cast<uint8_t*>(gm), here, inside, call.api);
        }
    }
}

void check_call(const AscDma& call) {
    if (!call.pad && call.row_bytes % kBlock != 0) {
        violation("copy_unaligned", 0, call.api,
                  "%s moves %u bytes a row; the device moves whole 32 B blocks and drops the last %u bytes", call.api,
                  call.row_bytes, call.row_bytes % kBlock);
    }
    if (call.local.address % kBlock != 0 || (call.kind == kAscLocalToLocal && call.local_dst.address % kBlock != 0)) {
        const uint32_t address = call.local.address % kBlock != 0 ? call.local.address : call.local_dst.address;
        violation("ub_misaligned", 0, call.api, "%s uses local address %u, which is not a multiple of 32 B", call.api,
                  address);
    }
    if (call.rows > 4095) {
        violation("copy_params", 0, call.api, "%s moves %u blocks; at most 4095 are allowed", call.api, call.rows);
    }
    const uint32_t size = std::max<uint32_t>(call.size, 1);
    if (call.pad && (call.left * size > kBlock || call.right * size > kBlock)) {
        violation("copy_params", 0, call.api, "%s pads %u and %u bytes; each side may have at most 32", call.api,
                  call.left * size, call.right * size);
    }
    if (call.pad && call.is_pad && size == 8 && (call.left || call.right) && call.pad_value != 0) {
        violation("copy_params", 0, call.api, "%s pads 8-byte elements with something else than zeros", call.api);
    }
}

void touch_rows(Pipe pipe, Memory which, uint64_t begin, uint64_t row, uint64_t pitch, uint32_t rows, bool write,
                const char* api) {
    const uint64_t end = begin + (rows - 1) * pitch + row;
    check_range(which, begin, end, api);
    if (pitch == row) {
        touch(pipe, which, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), write, api);
        return;
    }
    for (uint32_t i = 0; i < rows; ++i) {
        const auto at = static_cast<uint32_t>(begin + i * pitch);
        touch(pipe, which, at, at + static_cast<uint32_t>(row), write, api);
    }
}

// The pipe between two local memories.
Pipe local_route(Memory from, Memory to, bool fractals, const char* api) {
    if (from == Memory::UB && to == Memory::UB) return Pipe::V;
    if (fractals && (from == Memory::L0C) != (to == Memory::L0C)) return Pipe::V;
    if (from == Memory::UB && to == Memory::L1) return Pipe::MTE3;
    if (from == Memory::L1 && to == Memory::Bias) return Pipe::MTE1;
    if (from == Memory::L1 && to == Memory::Fixpipe) return Pipe::FIX;
    fatal("unsupported", api, "DataCopy from %s to %s is not modelled", memory_name(from), memory_name(to));
}

void copy_local(const AscDma& call, uint32_t row_bytes) {
    const Memory from = memory_of(call.local.position);
    const Memory to = memory_of(call.local_dst.position);
    const Pipe pipe = local_route(from, to, call.fractals != 0, call.api);
    const uint64_t from_pitch = uint64_t{row_bytes} + call.local_gap;
    const uint64_t to_pitch = uint64_t{row_bytes} + call.local_gap_dst;
    issue(pipe);
    touch_rows(pipe, from, call.local.address, row_bytes, from_pitch, call.rows, false, call.api);
    touch_rows(pipe, to, call.local_dst.address, row_bytes, to_pitch, call.rows, true, call.api);
    if (functional()) {
        for (uint32_t row = 0; row < call.rows; ++row) {
            std::memmove(memory(to).data + call.local_dst.address + row * to_pitch,
                         memory(from).data + call.local.address + row * from_pitch, row_bytes);
        }
    }
    TraceRecord out{};
    out.pipe = pipe;
    out.dtype = call.dtype;
    out.ub_address = call.local_dst.address;
    if (to == Memory::UB || to == Memory::L0C) {
        out.kind = TraceKind::Instr;
        out.op = static_cast<uint16_t>(Op::Copy);
        out.repeats = static_cast<uint32_t>((uint64_t{row_bytes} * call.rows + 255) / 256);
        out.elements = static_cast<uint32_t>(uint64_t{row_bytes} * call.rows / std::max<uint32_t>(call.size, 1));
    } else if (to == Memory::L1) {
        out.kind = TraceKind::Transfer;
        out.flags = kToL1;
        out.repeats = call.rows;
        out.elements = row_bytes;
    } else {
        out.kind = TraceKind::Instr;
        out.op = static_cast<uint16_t>(CubeOp::LoadTable);
        out.repeats = call.rows;
        out.elements = row_bytes * call.rows;
    }
    record(out);
}

// Without a padding value the rest of each row's last block is not for use.
void leave_filler(const AscDma& call, const Plan& plan) {
    if (plan.local_row == plan.row_bytes || core().has_pad_value) return;
    for (uint32_t row = 0; row < call.rows; ++row) {
        const auto begin = static_cast<uint32_t>(call.local.address + row * plan.local_pitch);
        core().filler.add(begin + plan.row_bytes, begin + plan.local_row);
    }
}

// Cores may prepare one place together: stores of values that are there already are no conflict. Without values nobody
// can tell.
bool repeats(const AscDma& call, const Plan& plan, const Allocation& at) {
    if (core().atomic != 0) return false;
    const uint8_t* local = memory(plan.local).data + call.local.address;
    for (uint32_t row = 0; functional() && row < call.rows; ++row) {
        const uint64_t there = call.gm + row * plan.gm_pitch;
        const uint64_t end = std::min(there + plan.row_bytes, at.host + at.bytes);  // nothing stays in the padding
        if (end <= there) continue;
        if (std::memcmp(reinterpret_cast<const void*>(there), local + row * plan.local_pitch, end - there) != 0) {
            return false;
        }
    }
    return true;
}

// Who touches these rows of global memory, for the checks.
void use_global(const AscDma& call, const Plan& plan, const Allocation& at, uint64_t device, bool atomic,
                NotedCopy* noted) {
    const bool in = call.kind == kAscGmToLocal;
    const bool dense = plan.gm_pitch == plan.row_bytes;
    const uint32_t pieces = dense ? 1 : call.rows;
    const uint64_t bytes = dense ? uint64_t{plan.row_bytes} * call.rows : plan.row_bytes;
    const bool same = !in && repeats(call, plan, at);
    if (noted) {
        noted->pieces = pieces;
        noted->pitch = plan.gm_pitch;
        noted->piece_bytes = bytes;
        noted->repeats = same;
    }
    for (uint32_t i = 0; i < pieces; ++i) {
        if (in) {
            gm_read(Pipe::MTE2, at, device + i * plan.gm_pitch, bytes, call.api);
        } else {
            gm_written(Pipe::MTE3, device + i * plan.gm_pitch, bytes, atomic, same);
        }
    }
}

NotedCopy* note_copy(const AscDma& call, const Allocation& at, uint64_t device, uint64_t span, bool atomic) {
    NotedCopy* out = current->repetition.copied();
    if (!out) return nullptr;
    const Core& here = core();
    const Pipe pipe = call.kind == kAscGmToLocal ? Pipe::MTE2 : Pipe::MTE3;
    out->host = call.gm;
    out->device = device;
    out->span = span;
    out->allocation = static_cast<uint32_t>(&at - current->allocations.data());
    out->record = static_cast<uint32_t>(here.records.size());
    out->sequence = here.clocks[static_cast<size_t>(pipe)][static_cast<size_t>(pipe)] - here.start;
    out->site = site_now();
    out->pipe = pipe;
    out->writes = call.kind != kAscGmToLocal;
    out->atomic = atomic;
    return out;
}

void copy_global(const AscDma& call, uint32_t row_bytes) {
    const bool in = call.kind == kAscGmToLocal;
    const Pipe pipe = in ? Pipe::MTE2 : Pipe::MTE3;
    Plan plan{&call, memory_of(call.local.position), row_bytes, 0, row_bytes, 0, 0};
    if (plan.local != Memory::UB && plan.local != Memory::L1) {
        fatal("unsupported", call.api, "DataCopy between global memory and %s is not modelled",
              memory_name(plan.local));
    }
    if (call.pad) {
        const uint32_t size = std::max<uint32_t>(call.size, 1);
        plan.left = in ? call.left * size : 0;
        plan.local_row = round_up(plan.left + row_bytes + (in ? call.right * size : 0));
    }
    plan.local_pitch = uint64_t{plan.local_row} + call.local_gap;
    plan.gm_pitch = uint64_t{row_bytes} + call.gm_gap;
    const uint64_t span = (call.rows - 1) * plan.gm_pitch + row_bytes;
    const Allocation& at = gm_span(call.gm, span, !in, call.api);
    issue(pipe);
    touch_rows(pipe, plan.local, call.local.address, plan.local_row, plan.local_pitch, call.rows, in, call.api);
    const uint64_t device = at.device + (call.gm - at.host);
    const bool atomic = core().atomic != 0 && !in;
    NotedCopy* noted = note_copy(call, at, device, span, atomic);
    if (!in || !at.constant) use_global(call, plan, at, device, atomic, noted);
    if (in && call.pad && plan.local == Memory::UB && !call.is_pad && !call.left) leave_filler(call, plan);
    if (functional()) move(call, plan, at);
    TraceRecord& out = next_record();
    out.kind = TraceKind::Transfer;
    out.pipe = pipe;
    out.dtype = call.dtype;
    out.flags = static_cast<uint8_t>((call.l2_bypass ? kL2Bypass : 0) | (plan.local == Memory::L1 ? kToL1 : 0) |
                                     (call.pad ? kPad : 0) | (in ? 0 : kGmWrite) | (atomic ? kAtomic : 0));
    out.repeats = call.rows;
    out.elements = row_bytes;
    out.gm_address = device;
    out.gm_pitch = static_cast<uint32_t>(plan.gm_pitch);
    out.ub_address = call.local.address;
    if (noted) noted->bytes = uint64_t{out.repeats} * out.elements;
    bring_in(out);
}

}  // namespace

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_dma(const AscDma* call) {
    constexpr uint32_t kWords = sizeof *call / sizeof(uint64_t);
    if (current->repetition.next(__builtin_frame_address(0), CallKind::Copy, call, kWords)) return;
    ASC_ENTER_REPEATABLE(call->api);
    check_call(*call);
    const uint32_t row_bytes = call->pad ? call->row_bytes : call->row_bytes / kBlock * kBlock;
    if (row_bytes == 0 || call->rows == 0) return;  // nothing moves on the device either
    if (call->kind == kAscLocalToLocal) {
        copy_local(*call, row_bytes);
    } else {
        copy_global(*call, row_bytes);
    }
}

void asc_pad_value(uint64_t bits) {
    if (ASC_REPEATED(PadValue, bits)) return;
    ASC_ENTER_REPEATABLE("SetPadValue");
    core().has_pad_value = true;
    core().pad_value = bits;
}

void asc_atomic(uint8_t mode, uint8_t dtype) {
    if (ASC_REPEATED(Atomic, mode, dtype)) return;
    ASC_ENTER_REPEATABLE("SetAtomic");
    if (mode != kAscAtomicKeep) core().atomic = mode;
    if (core().atomic != 0) core().atomic_site = site_now();
    core().atomic_dtype = dtype;
}
}
