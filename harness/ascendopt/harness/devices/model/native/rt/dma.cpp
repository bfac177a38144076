// DataCopy and DataCopyPad between global and local memory and inside local memory.
#include <algorithm>
#include <cstring>

#include "half.h"
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

template <typename T>
void combine(uint8_t mode, uint8_t* to, const uint8_t* from, uint64_t bytes) {
    for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T a, b;
        std::memcpy(&a, to + i, sizeof(T));
        std::memcpy(&b, from + i, sizeof(T));
        // Integers wrap.
        if constexpr (std::is_integral_v<T>) {
            using U = std::make_unsigned_t<T>;
            a = mode == 1   ? static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)))
                : mode == 2 ? std::max(a, b)
                            : std::min(a, b);
        } else {
            a = mode == 1 ? a + b : mode == 2 ? std::max(a, b) : std::min(a, b);
        }
        std::memcpy(to + i, &a, sizeof(T));
    }
}

template <typename Up, typename Down>
void combine16(uint8_t mode, uint8_t* to, const uint8_t* from, uint64_t bytes, Up up, Down down) {
    for (uint64_t i = 0; i + 2 <= bytes; i += 2) {
        uint16_t a, b;
        std::memcpy(&a, to + i, 2);
        std::memcpy(&b, from + i, 2);
        const float x = up(a), y = up(b);
        a = down(mode == 1 ? x + y : mode == 2 ? std::max(x, y) : std::min(x, y));
        std::memcpy(to + i, &a, 2);
    }
}

void write_gm(const AscDma& call, uint8_t* to, const uint8_t* from, uint64_t bytes) {
    const Core& here = core();
    if (here.atomic == 0) {
        std::memcpy(to, from, bytes);
        return;
    }
    const uint8_t type = here.atomic_dtype == 255 ? call.dtype : here.atomic_dtype;
    switch (static_cast<Dtype>(type)) {
        case Dtype::F32:
            return combine<float>(here.atomic, to, from, bytes);
        case Dtype::I32:
            return combine<int32_t>(here.atomic, to, from, bytes);
        case Dtype::I16:
            return combine<int16_t>(here.atomic, to, from, bytes);
        case Dtype::I8:
            return combine<int8_t>(here.atomic, to, from, bytes);
        case Dtype::F16:
            return combine16(here.atomic, to, from, bytes, f16_to_f32, [](float v) { return f32_to_f16(v); });
        case Dtype::BF16:
            return combine16(here.atomic, to, from, bytes, bf16_to_f32, [](float v) { return f32_to_bf16(v); });
        default:
            fatal("atomic_type", call.api, "atomic writes of this element type are not supported");
    }
}

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
            write_gm(call, reinterpret_cast<uint8_t*>(gm), here, inside);
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
    if (call.pad && size == 8 && (call.left || call.right)) {
        violation("copy_params", 0, call.api, "%s of 8-byte elements cannot pad", call.api);
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

void copy_local(const AscDma& call, uint32_t row_bytes) {
    const Memory from = memory_of(call.local.position);
    const Memory to = memory_of(call.local_dst.position);
    if (from != Memory::UB || (to != Memory::UB && to != Memory::L1)) {
        fatal("unsupported", call.api, "DataCopy from %s to %s is not modelled", memory_name(from), memory_name(to));
    }
    const Pipe pipe = to == Memory::UB ? Pipe::V : Pipe::MTE3;
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
    if (to == Memory::UB) {
        out.kind = TraceKind::Instr;
        out.op = static_cast<uint16_t>(Op::Copy);
        out.repeats = static_cast<uint32_t>((uint64_t{row_bytes} * call.rows + 255) / 256);
        out.elements = static_cast<uint32_t>(uint64_t{row_bytes} * call.rows / std::max<uint32_t>(call.size, 1));
    } else {
        out.kind = TraceKind::Transfer;
        out.flags = kToL1;
        out.repeats = call.rows;
        out.elements = row_bytes;
    }
    record(out);
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
    if (!in) {
        if (plan.gm_pitch == row_bytes) {
            gm_written(device, span, atomic);
        } else {
            for (uint32_t row = 0; row < call.rows; ++row) gm_written(device + row * plan.gm_pitch, row_bytes, atomic);
        }
    }
    if (functional()) move(call, plan, at);
    TraceRecord out{};
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
    record(out);
}

}  // namespace

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_dma(const AscDma* call) {
    ASC_ENTER(call->api);
    check_call(*call);
    const uint32_t row_bytes = call->pad ? call->row_bytes : call->row_bytes / kBlock * kBlock;
    if (row_bytes == 0 || call->rows == 0) return;  // nothing moves on the device either
    if (call->kind == kAscLocalToLocal) {
        copy_local(*call, row_bytes);
    } else {
        copy_global(*call, row_bytes);
    }
}

void asc_atomic(uint8_t mode, uint8_t dtype) {
    ASC_ENTER("SetAtomic");
    if (mode != kAscAtomicKeep) core().atomic = mode;
    core().atomic_dtype = dtype;
}
}
