// Fixpipe: results leave L0C for GM or L1, converted, quantised and laid out on the way.
#include <algorithm>
#include <cstring>

#include "cube.h"
#include "gm_store.h"

namespace ascendopt::rt {

namespace {

bool per_column(uint8_t quant) {
    return quant == kAscVectorDequantF16 || quant == kAscVectorQuantB8 || quant == kAscVectorRequant8;
}

struct Layout {
    uint32_t size;   // bytes of a destination element
    uint32_t chunk;  // NZ: columns that lie side by side

    uint64_t offset(const AscFixpipe& call, uint32_t matrix, uint32_t row, uint32_t column) const {
        if (call.row_major) {
            return (uint64_t{matrix} * call.dst_matrix_stride + uint64_t{row} * call.dst_stride + column) * size;
        }
        return uint64_t{column / chunk} * call.dst_stride * kBlock + (uint64_t{row} * chunk + column % chunk) * size;
    }
};

Layout layout_of(const AscFixpipe& call) {
    const uint32_t size = element_bits(call.dtype) / 8;
    if (size == 0) fatal("cube_types", call.api, "%s writes no elements of this type", call.api);
    const bool narrow = call.channel_split && size == 4;
    return Layout{size, size == 1 ? 32u : narrow ? 8u : 16u};
}

// The quantisation parameters of the columns, in the local memory that holds them.
const uint8_t* scales_of(const AscFixpipe& call) {
    if (!per_column(call.quant)) return nullptr;
    if (call.scales.bytes != 0) {
        return operand(Pipe::FIX, call.scales, Memory::L1, uint64_t{call.n} * 8, kBlock, false, call.api);
    }
    AscLocal table{};
    table.address = static_cast<uint32_t>(core().cube_registers[kAscFixpipeScales]);
    table.position = 14;  // C2PIPE2GM
    return operand(Pipe::FIX, table, Memory::Fixpipe, uint64_t{call.n} * 8, 8, false, call.api);
}

class Writer {
  public:
    Writer(const AscFixpipe& call, const Layout& layout, const uint8_t* l0c, const uint8_t* scales)
        : call_(call), layout_(layout), l0c_(l0c), integer_(static_cast<Dtype>(call.from.dtype) == Dtype::I32) {
        if (!scales || !functional()) return;
        scales_.resize(call.n);
        std::memcpy(scales_.data(), scales, call.n * sizeof(uint64_t));
    }

    // `count` elements of one row from `column` on, converted.
    void row(uint32_t matrix, uint32_t row, uint32_t column, uint32_t count, uint8_t* to) const {
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t n = column + i;
            const uint64_t source =
                (uint64_t{matrix} * call_.src_matrix_stride * 16 + uint64_t{n / 16} * call_.src_stride + row) * 16 +
                n % 16;
            uint32_t raw;
            std::memcpy(&raw, l0c_ + source * 4, 4);
            uint64_t scale = call_.scale;
            if (!scales_.empty()) scale = scales_[n];
            const Scaling how{call_.quant, call_.relu != 0};
            store_element(to + i * layout_.size, convert_result(raw, integer_, how, scale, call_.dtype, call_.api),
                          layout_.size);
        }
    }

  private:
    const AscFixpipe& call_;
    const Layout& layout_;
    const uint8_t* l0c_;
    std::vector<uint64_t> scales_;  // read before the first result is written, which may lie where they did
    bool integer_;
};

// Calls visit(matrix, row, first column, columns) for pieces that are contiguous in the destination.
template <typename Visit>
void each_piece(const AscFixpipe& call, const Layout& layout, Visit visit) {
    const uint32_t width = call.row_major ? call.n : layout.chunk;
    for (uint32_t matrix = 0; matrix < call.matrices; ++matrix) {
        for (uint32_t column = 0; column < call.n; column += width) {
            for (uint32_t row = 0; row < call.m; ++row) {
                visit(matrix, row, column, std::min<uint32_t>(width, call.n - column));
            }
        }
    }
}

uint64_t span_of(const AscFixpipe& call, const Layout& layout) {
    const uint32_t last = call.n - 1;
    return layout.offset(call, call.matrices - 1, call.m - 1, last) + layout.size;
}

void to_gm(const AscFixpipe& call, const Layout& layout, const Writer& writer, TraceRecord& out) {
    const Allocation& at = gm_span(call.gm, span_of(call, layout), true, call.api);
    const bool atomic = core().atomic != 0;
    const uint64_t device = at.device + (call.gm - at.host);
    const uint64_t end = at.host + at.bytes;
    std::vector<uint8_t> line(uint64_t{call.n} * layout.size);
    each_piece(call, layout, [&](uint32_t matrix, uint32_t row, uint32_t column, uint32_t count) {
        const uint64_t offset = layout.offset(call, matrix, row, column);
        const uint64_t bytes = uint64_t{count} * layout.size;
        gm_written(Pipe::FIX, device + offset, bytes, atomic);
        if (!functional()) return;
        writer.row(matrix, row, column, count, line.data());
        const uint64_t address = call.gm + offset;
        const uint64_t inside = address >= end ? 0 : std::min(bytes, end - address);
        gm_store(call.dtype, reinterpret_cast<uint8_t*>(address), line.data(), inside, call.api);
    });
    out.kind = TraceKind::Transfer;
    out.flags = static_cast<uint8_t>(kGmWrite | kToL1 | (atomic ? kAtomic : 0) | (call.l2_bypass ? kL2Bypass : 0));
    out.gm_address = device;
    out.gm_pitch = call.row_major ? call.dst_stride * layout.size : 0;
    const uint32_t rows = call.row_major ? call.m * call.matrices : ceil_div(call.n, layout.chunk) * call.matrices;
    out.repeats = rows;
    out.elements = call.row_major ? call.n * layout.size : call.m * layout.chunk * layout.size;
}

void to_l1(const AscFixpipe& call, const Layout& layout, const Writer& writer, TraceRecord& out) {
    uint8_t* to = operand(Pipe::FIX, call.to, Memory::L1, span_of(call, layout), kBlock, true, call.api);
    if (functional()) {
        each_piece(call, layout, [&](uint32_t matrix, uint32_t row, uint32_t column, uint32_t count) {
            writer.row(matrix, row, column, count, to + layout.offset(call, matrix, row, column));
        });
    }
    out.kind = TraceKind::Instr;
    out.op = static_cast<uint16_t>(CubeOp::Fixpipe);
    out.elements = call.n * call.m * call.matrices * layout.size;
    out.repeats = 1;
    out.ub_address = call.to.address;
}

void check_call(const AscFixpipe& call) {
    const auto from = static_cast<Dtype>(call.from.dtype);
    const auto to = static_cast<Dtype>(call.dtype);
    if (from != Dtype::F32 && from != Dtype::I32) {
        fatal("cube_types", call.api, "%s reads L0C as float or int32 only", call.api);
    }
    const bool fits = call.quant == kAscNoQuant     ? to == from
                      : call.quant == kAscF32ToF16  ? to == Dtype::F16
                      : call.quant == kAscF32ToBf16 ? to == Dtype::BF16
                      : call.quant == kAscDequantF16 || call.quant == kAscVectorDequantF16
                          ? to == Dtype::F16
                          : to == Dtype::I8 || to == Dtype::U8;
    if (!fits) {
        violation("cube_types", 0, call.api, "%s: the quantisation mode does not give the destination's type",
                  call.api);
    }
    if (!call.row_major && call.n % (call.channel_split ? 8 : 16) != 0) {
        violation("cube_params", 0, call.api, "%s: nSize %u is not a multiple of a fractal's width", call.api, call.n);
    }
    if (call.n > 4095 || (call.row_major && call.m > 8192)) {
        violation("cube_params", 0, call.api, "%s: a result of %u x %u is larger than the unit takes", call.api, call.m,
                  call.n);
    }
}

void fixpipe(const AscFixpipe& call) {
    check_call(call);
    const Layout layout = layout_of(call);
    if (call.unit_flag) order(Pipe::M, Pipe::FIX);
    issue(Pipe::FIX);
    const uint64_t columns = ceil_div(call.n, 16) - 1;
    const uint64_t last =
        (call.matrices - uint64_t{1}) * call.src_matrix_stride * 16 + columns * call.src_stride + call.m;
    const uint8_t* l0c = operand(Pipe::FIX, call.from, Memory::L0C, last * 64, 64, false, call.api);
    const Writer writer(call, layout, l0c, scales_of(call));
    TraceRecord out{};
    out.pipe = Pipe::FIX;
    out.dtype = call.dtype;
    if (call.to_local) {
        to_l1(call, layout, writer, out);
    } else {
        to_gm(call, layout, writer, out);
    }
    record(out);
}

}  // namespace

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_fixpipe(const AscFixpipe* given) {
    ASC_ENTER(given->api);
    AscFixpipe call = *given;
    if (call.from_registers) {
        const auto& registers = core().cube_registers;
        call.scale = registers[kAscFixpipeScale];
        const uint64_t packed = registers[kAscFixpipeMatrices];
        if (call.row_major && packed != 0) {
            call.matrices = static_cast<uint16_t>(packed);
            call.src_matrix_stride = static_cast<uint16_t>(packed >> 16);
            call.dst_matrix_stride = static_cast<uint16_t>(packed >> 32);
        }
    }
    if (call.n != 0 && call.m != 0 && call.matrices != 0) fixpipe(call);
}
}
