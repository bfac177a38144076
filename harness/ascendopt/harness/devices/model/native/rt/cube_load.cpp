// Matrices into L1 and L0: ND to NZ, fractals with and without transposition, constants.
#include <algorithm>
#include <cstring>

#include "cube.h"

namespace ascendopt::rt {

namespace {

uint64_t block_up(uint64_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

void copy_nd_to_nz(const AscNdToNz& call, const uint8_t* from, const uint8_t* from_end, uint8_t* to) {
    const uint32_t width = kBlock / call.size;
    for (uint32_t matrix = 0; matrix < call.matrices; ++matrix) {
        for (uint32_t row = 0; row < call.rows; ++row) {
            const uint8_t* line = from + matrix * call.matrix_pitch + row * call.row_pitch;
            uint8_t* out = to + matrix * call.to_matrix_pitch + uint64_t{row} * call.row_stride * kBlock;
            for (uint32_t column = 0; column < call.columns; column += width) {
                uint8_t* block = out + uint64_t{column / width} * call.c0_stride * kBlock;
                const uint32_t bytes = std::min(width, call.columns - column) * call.size;
                const uint8_t* source = line + uint64_t{column} * call.size;
                const uint64_t inside = source >= from_end ? 0 : std::min<uint64_t>(bytes, from_end - source);
                std::memcpy(block, source, inside);
                std::memset(block + inside, 0xFF, bytes - inside);  // beyond the argument
                std::memset(block + bytes, 0, kBlock - bytes);
            }
        }
    }
}

// Touches what is written, one column of fractals at a time.
void touch_nz(const AscNdToNz& call, Pipe pipe) {
    const uint32_t columns = ceil_div(call.columns, kBlock / call.size);
    for (uint32_t matrix = 0; matrix < call.matrices; ++matrix) {
        for (uint32_t column = 0; column < columns; ++column) {
            AscLocal part = call.to;
            part.address +=
                static_cast<uint32_t>(matrix * call.to_matrix_pitch + uint64_t{column} * call.c0_stride * kBlock);
            const uint64_t bytes = (uint64_t{call.rows - 1} * call.row_stride + 1) * kBlock;
            operand(pipe, part, Memory::L1, bytes, kBlock, true, call.api);
        }
    }
}

void nd_to_nz(const AscNdToNz& call) {
    const Pipe pipe = call.from_local ? Pipe::MTE3 : Pipe::MTE2;
    const uint64_t row_bytes = uint64_t{call.columns} * call.size;
    const uint64_t span =
        uint64_t{call.matrices - 1} * call.matrix_pitch + uint64_t{call.rows - 1} * call.row_pitch + row_bytes;
    TraceRecord out{};
    out.kind = TraceKind::Transfer;
    out.pipe = pipe;
    out.dtype = call.dtype;
    out.flags = static_cast<uint8_t>(kToL1 | (call.l2_bypass ? kL2Bypass : 0));
    out.repeats = call.matrices * call.rows;
    out.elements = static_cast<uint32_t>(row_bytes);
    out.ub_address = call.to.address;
    issue(pipe);
    const uint8_t* from = nullptr;
    const uint8_t* from_end = nullptr;
    if (call.from_local) {
        from = operand(pipe, call.from, Memory::UB, block_up(span), kBlock, false, call.api);
        from_end = from + span;
    } else {
        const Allocation& at = gm_span(call.gm, span, false, call.api);
        out.gm_address = at.device + (call.gm - at.host);
        out.gm_pitch = static_cast<uint32_t>(call.row_pitch);
        for (uint64_t i = 0; !at.constant && i < uint64_t{call.matrices} * call.rows; ++i) {
            const uint64_t start = i / call.rows * call.matrix_pitch + i % call.rows * call.row_pitch;
            gm_read(pipe, at, out.gm_address + start, row_bytes, call.api);
        }
        from = reinterpret_cast<const uint8_t*>(call.gm);
        from_end = reinterpret_cast<const uint8_t*>(at.host + at.bytes);
    }
    touch_nz(call, pipe);
    if (functional()) copy_nd_to_nz(call, from, from_end, memory(Memory::L1).data + call.to.address);
    record(out);
}

// A square of `side` elements made of side / 16 fractals, transposed.
class Square {
  public:
    Square(uint8_t dtype, const char* api) : bits_(element_bits(dtype)), width_(fractal_width(dtype, api)) {
        side_ = std::max(width_, kFractalRows);
    }
    // b32: fractals of 16 x 8 stand side by side; narrower types: fractals of 16 rows stand one below the other.
    uint32_t fractals() const { return side_ * side_ * bits_ / 8 / kFractal; }

    void transpose(const uint8_t* from, uint8_t* to, uint64_t fractal_pitch) const {
        for (uint32_t row = 0; row < side_; ++row) {
            for (uint32_t column = 0; column < side_; ++column) {
                const uint64_t source = at(row, column, kFractal);
                const uint64_t target = at(column, row, fractal_pitch);
                if (bits_ == 4) {
                    const uint32_t nibble = from[source / 2] >> (source % 2 * 4) & 15u;
                    const uint32_t keep = to[target / 2] & (target % 2 ? 0x0Fu : 0xF0u);
                    to[target / 2] = static_cast<uint8_t>(keep | nibble << (target % 2 * 4));
                } else {
                    std::memcpy(to + target, from + source, bits_ / 8);
                }
            }
        }
    }

  private:
    // Byte offset, in nibbles for 4-bit elements.
    uint64_t at(uint32_t row, uint32_t column, uint64_t pitch) const {
        const uint32_t fractal = bits_ == 32 ? column / width_ : row / kFractalRows;
        const uint64_t inside = (row % kFractalRows) * width_ + column % width_;
        return bits_ == 4 ? fractal * pitch * 2 + inside : fractal * pitch + inside * (bits_ / 8);
    }

    uint32_t bits_;
    uint32_t width_;
    uint32_t side_;
};

Memory load_target(const AscLoadFractals& call) {
    const Memory to = memory_of(call.to.position);
    if (to == Memory::L0A || to == Memory::L0B || (to == Memory::L1 && call.from_gm)) return to;
    fatal("cube_position", call.api, "%s: the destination lies in %s", call.api, memory_name(to));
}

void move_fractals(const AscLoadFractals& call, const uint8_t* from, uint8_t* to, int64_t step) {
    const Square square(call.dtype, call.api);
    const uint32_t unit = call.mode == kAscSquareTranspose ? square.fractals() : 1;
    for (uint32_t i = 0; i < call.repeats; ++i) {
        const uint8_t* source = from + (static_cast<int64_t>(call.start) + step * i) * unit * kFractal;
        uint8_t* target = to + uint64_t{i} * (1 + call.dst_gap) * kFractal;
        if (call.mode == kAscFractalCopy) {
            std::memcpy(target, source, kFractal);
        } else {
            square.transpose(source, target, uint64_t{1 + call.dst_fractal_gap} * kFractal);
        }
    }
}

void check_load(const AscLoadFractals& call) {
    if (call.mode == kAscFractalTranspose && element_bits(call.dtype) != 16) {
        fatal("cube_types", call.api, "%s transposes elements of 2 bytes only", call.api);
    }
    if (call.repeats > 255) {
        violation("cube_params", 0, call.api, "%s repeats %u times; at most 255 are allowed", call.api, call.repeats);
    }
}

void load_fractals(const AscLoadFractals& call) {
    const Memory target = load_target(call);
    check_load(call);
    const Pipe pipe = call.from_gm ? Pipe::MTE2 : Pipe::MTE1;
    const Square square(call.dtype, call.api);
    const uint32_t unit = call.mode == kAscSquareTranspose ? square.fractals() : 1;
    const int64_t step = call.descending ? -static_cast<int64_t>(call.src_stride) : call.src_stride;
    const int64_t last = static_cast<int64_t>(call.start) + step * (call.repeats - 1);
    if (last < 0) fatal("cube_params", call.api, "%s reads before the start of its source", call.api);
    const uint64_t first = std::min<uint64_t>(call.start, static_cast<uint64_t>(last)) * unit * kFractal;
    const uint64_t end = (std::max<uint64_t>(call.start, static_cast<uint64_t>(last)) + 1) * unit * kFractal;
    TraceRecord out{};
    out.pipe = pipe;
    out.dtype = call.dtype;
    out.ub_address = call.to.address;
    issue(pipe);
    const uint8_t* from = nullptr;
    if (call.from_gm) {
        const Allocation& at = gm_span(call.gm + first, end - first, false, call.api);
        out.kind = TraceKind::Transfer;
        out.flags = kToL1;
        out.repeats = call.repeats;
        out.elements = unit * kFractal;
        out.gm_address = at.device + (call.gm + first - at.host);
        gm_read(pipe, at, out.gm_address, end - first, call.api);
        out.gm_pitch = call.src_stride * unit * kFractal;
        from = reinterpret_cast<const uint8_t*>(call.gm);
    } else {
        AscLocal part = call.from;
        part.address += static_cast<uint32_t>(first);
        operand(pipe, part, Memory::L1, end - first, kBlock, false, call.api);
        out.kind = TraceKind::Instr;
        out.op = static_cast<uint16_t>(target == Memory::L0A ? CubeOp::LoadA : CubeOp::LoadB);
        out.repeats = call.repeats * unit;
        out.elements = call.repeats * unit * kFractal;
        from = memory(Memory::L1).data + call.from.address;
    }
    const uint64_t iterations = uint64_t{call.repeats - 1} * (1 + call.dst_gap);
    const uint64_t inside = uint64_t{unit - 1} * (1 + call.dst_fractal_gap);
    uint8_t* to = operand(pipe, call.to, target, (iterations + inside + 1) * kFractal,
                          target == Memory::L1 ? kBlock : kFractal, true, call.api);
    if (functional()) move_fractals(call, from, to, step);
    record(out);
}

void fill_local(const AscFillLocal& call) {
    const Memory target = memory_of(call.to.position);
    const bool l1 = target == Memory::L1;
    if (!l1 && target != Memory::L0A && target != Memory::L0B) {
        fatal("cube_position", call.api, "%s fills L1, L0A or L0B, not %s", call.api, memory_name(target));
    }
    const uint32_t unit = l1 ? kBlock : kFractal;
    const Pipe pipe = l1 ? Pipe::MTE2 : Pipe::MTE1;
    const uint64_t pitch = uint64_t{call.blocks + call.gap} * unit;
    const uint64_t bytes = uint64_t{call.blocks} * unit;
    issue(pipe);
    uint8_t* to = operand(pipe, call.to, target, (call.repeats - 1) * pitch + bytes, unit, true, call.api);
    if (functional()) {
        for (uint32_t i = 0; i < call.repeats; ++i) {
            for (uint64_t at = 0; at < bytes; at += call.size) std::memcpy(to + i * pitch + at, &call.value, call.size);
        }
    }
    TraceRecord out{};
    out.kind = TraceKind::Instr;
    out.pipe = pipe;
    out.op = static_cast<uint16_t>(CubeOp::Fill);
    out.repeats = call.repeats;
    out.elements = static_cast<uint32_t>(call.repeats * bytes);
    record(out);
}

}  // namespace

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_nd_to_nz(const AscNdToNz* call) {
    ASC_ENTER(call->api);
    if (call->matrices == 0 || call->rows == 0 || call->columns == 0) return;
    nd_to_nz(*call);
}

void asc_load_fractals(const AscLoadFractals* call) {
    ASC_ENTER(call->api);
    if (call->repeats != 0) load_fractals(*call);
}

void asc_fill_local(const AscFillLocal* call) {
    ASC_ENTER(call->api);
    if (call->repeats != 0 && call->blocks != 0) fill_local(*call);
}
}
