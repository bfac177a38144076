// Values of the Matmul library: blocks of stored matrices become plain ones, are multiplied, and leave.
#include <algorithm>
#include <cstring>

#include "gemm.h"
#include "gm_store.h"
#include "matmul.h"

namespace ascendopt::rt {

namespace {

uint32_t round_up(uint32_t value, uint32_t unit) { return ceil_div(value, unit) * unit; }

template <typename T, typename Read>
std::vector<T> plain(const MatrixView& view, const uint8_t* data, uint32_t row, uint32_t column, uint32_t rows,
                     uint32_t columns, Read read) {
    std::vector<T> out(uint64_t{rows} * columns);
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) {
            out[uint64_t{r} * columns + c] = read(data, view.index(row + r, column + c));
        }
    }
    return out;
}

// Reads are resolved by type once, not for each element.
template <typename T, typename Visit>
void with_reader(const AscMatmul& object, uint8_t dtype, Visit visit) {
    if constexpr (std::is_same_v<T, int32_t>) {
        visit([dtype](const uint8_t* data, uint64_t i) { return load_int(data, i, dtype); });
    } else if (static_cast<Dtype>(dtype) == Dtype::F32 && object.hf32) {
        const bool to_zero = object.hf32_ties_to_zero != 0;
        visit([=](const uint8_t* data, uint64_t i) { return to_hf32(load_float(data, i, dtype), to_zero); });
    } else {
        visit([dtype](const uint8_t* data, uint64_t i) { return load_float(data, i, dtype); });
    }
}

template <typename T>
void start_sum(const AscMatmul& object, const TileRange& tile, std::vector<T>& sum) {
    sum.assign(uint64_t{tile.m} * tile.n, T{0});
    if (!object.use_bias) return;
    const MatrixView view(object.bias, "SetBias");
    const uint8_t* data = view.open(matmul_load_pipe(), 0, tile.n0, 1, tile.n, false);
    if (!functional()) return;
    for (uint32_t column = 0; column < tile.n; ++column) {
        const uint64_t index = view.index(0, tile.n0 + column);
        T value;
        if constexpr (std::is_same_v<T, int32_t>) {
            value = load_int(data, index, object.bias.dtype);
        } else {
            value = load_float(data, index, object.bias.dtype);
        }
        for (uint32_t row = 0; row < tile.m; ++row) sum[uint64_t{row} * tile.n + column] = value;
    }
}

// The pipe that reads an operand: UB of a vector core is sent over by MTE3.
Pipe reader_of(const AscMatrix& matrix) {
    if (matrix.place != kAscLocalPlace) return matmul_load_pipe();
    const Memory where = memory_of(matrix.at.position);
    return where == Memory::UB ? Pipe::MTE3 : Pipe::MTE1;
}

template <typename T>
void multiply_as(const AscMatmul& object, const TileRange& tile, bool accumulate, std::vector<T>& sum) {
    if (!accumulate || sum.size() != uint64_t{tile.m} * tile.n) start_sum(object, tile, sum);
    const MatrixView a(object.a, "Matmul A"), b(object.b, "Matmul B");
    const Pipe a_pipe = reader_of(object.a), b_pipe = reader_of(object.b);
    if (a_pipe == Pipe::MTE3) issue(a_pipe);
    const uint8_t* a_data = a.open(a_pipe, tile.m0, 0, tile.m, tile.k, false);
    if (b_pipe == Pipe::MTE3) issue(b_pipe);
    const uint8_t* b_data = b.open(b_pipe, 0, tile.n0, tile.k, tile.n, false);
    if (!functional()) return;
    std::vector<T> left, right;
    with_reader<T>(object, object.a.dtype,
                   [&](auto read) { left = plain<T>(a, a_data, tile.m0, 0, tile.m, tile.k, read); });
    with_reader<T>(object, object.b.dtype,
                   [&](auto read) { right = plain<T>(b, b_data, 0, tile.n0, tile.k, tile.n, read); });
    multiply(left.data(), right.data(), sum.data(), tile.m, tile.n, tile.k);
}

// How a result leaves, by the types of the sum and of the destination.
uint8_t quant_of(const AscMatmul& object, bool integer, uint8_t dtype, const char* api) {
    const bool each = object.scaling == kAscScalePerColumn;
    switch (static_cast<Dtype>(dtype)) {
        case Dtype::F32:
            if (!integer) return kAscNoQuant;
            break;
        case Dtype::I32:
            if (integer) return kAscNoQuant;
            break;
        case Dtype::F16:
            return !integer ? kAscF32ToF16 : each ? kAscVectorDequantF16 : kAscDequantF16;
        case Dtype::BF16:
            if (!integer) return kAscF32ToBf16;
            break;
        case Dtype::I8:
        case Dtype::U8:
            if (integer) return each ? kAscVectorRequant8 : kAscRequant8;
            return each ? kAscVectorQuantB8 : kAscQuantB8;
        default:
            break;
    }
    fatal("cube_types", api, "%s: the sums of this product cannot leave as elements of this type", api);
}

// The destination as it is addressed for this tile.
AscMatrix destination(const AscMatmul& object, const AscMatmulOut& out, const TileRange& tile) {
    AscMatrix c = out.c;
    const bool local = c.place == kAscLocalPlace;
    c.rows = static_cast<uint32_t>(out.sequential ? object.base_m : local ? object.single_m : object.m);
    c.columns = static_cast<uint32_t>(out.sequential ? object.base_n
                                      : local        ? object.single_n
                                      : object.kc    ? object.kc
                                                     : object.n);
    if (local && memory_of(c.at.position) == Memory::L0C) c.rows = tile.m;
    if (local && c.format == kAscNd) {
        c.columns = round_up(c.columns, std::max<uint32_t>(1, 256 / element_bits(c.dtype)));
    }
    return c;
}

class ResultWriter {
  public:
    ResultWriter(const AscMatmul& object, const AscMatmulOut& out, const MatmulState& state)
        : object_(object),
          out_(out),
          state_(state),
          how_{quant_of(object, state.integer, out.c.dtype, out.api), object.relu != 0} {
        if (object.scaling == kAscScalePerColumn && (how_.quant != kAscF32ToF16 && how_.quant != kAscNoQuant)) {
            const MatrixView view(object.scales, "SetQuantVector");
            table_ = view.open(object.scales.place == kAscLocalPlace ? Pipe::FIX : matmul_load_pipe(), 0, state.tile.n0,
                               1, state.tile.n, false);
        }
    }

    uint32_t element(uint32_t row, uint32_t column) const {
        const uint64_t at = uint64_t{row} * state_.tile.n + column;
        uint32_t raw;
        std::memcpy(&raw, state_.integer ? static_cast<const void*>(&state_.whole[at]) : &state_.real[at], 4);
        uint64_t scale = object_.scale;
        // The result's own sign; a table of the user has it already.
        if (static_cast<Dtype>(out_.c.dtype) == Dtype::I8) scale |= uint64_t{1} << 46;
        if (table_) std::memcpy(&scale, table_ + uint64_t{state_.tile.n0 + column} * 8, 8);
        return convert_result(raw, state_.integer, how_, scale, out_.c.dtype, out_.api);
    }

  private:
    const AscMatmul& object_;
    const AscMatmulOut& out_;
    const MatmulState& state_;
    Scaling how_;
    const uint8_t* table_ = nullptr;
};

void write_local(const MatrixView& view, const ResultWriter& writer, const TileRange& tile, uint32_t row,
                 uint32_t column, uint8_t* base) {
    const uint32_t size = view.bits() / 8;
    for (uint32_t r = 0; r < tile.m; ++r) {
        for (uint32_t n = 0; n < tile.n; ++n) {
            store_element(base + view.index(row + r, column + n) * size, writer.element(r, n), size);
        }
    }
}

void write_global(const AscMatrix& c, const MatrixView& view, const ResultWriter& writer, const TileRange& tile,
                  uint32_t row, uint32_t column, uint8_t atomic, const char* api) {
    const uint32_t size = view.bits() / 8;
    const Allocation& at = gm_span(c.gm + view.index(row, column) * size, size, true, api);
    const uint64_t device = at.device + (c.gm - at.host);
    const uint32_t width = c.format == kAscNz ? c.nz_width : tile.n;
    std::vector<uint8_t> line(uint64_t{width} * size);
    Core& here = core();
    const uint8_t mode = here.atomic, type = here.atomic_dtype;
    if (atomic) {
        here.atomic = 1;
        here.atomic_dtype = 255;
    }
    for (uint32_t first = 0; first < tile.n; first += width) {
        const uint32_t count = std::min(width, tile.n - first);
        for (uint32_t r = 0; r < tile.m; ++r) {
            const uint64_t offset = view.index(row + r, column + first) * size;
            const uint64_t bytes = uint64_t{count} * size;
            auto* to = reinterpret_cast<uint8_t*>(c.gm + offset);
            for (uint32_t i = 0; functional() && i < count; ++i)
                store_element(line.data() + i * size, writer.element(r, first + i), size);
            const bool same = functional() && here.atomic == 0 && std::memcmp(to, line.data(), bytes) == 0;
            // The library waits for its own stores, so loads may follow at once.
            gm_written(Pipe::MTE2, device + offset, bytes, here.atomic != 0, same);
            if (functional()) gm_store(c.dtype, to, line.data(), bytes, api);
        }
    }
    here.atomic = mode;
    here.atomic_dtype = type;
}

void record_store(const AscMatmulOut& out, const AscMatrix& c, const TileRange& tile, uint64_t gm) {
    const uint32_t size = element_bits(c.dtype) / 8;
    TraceRecord record_out{};
    record_out.kind = TraceKind::Transfer;
    record_out.pipe = Pipe::FIX;
    record_out.dtype = c.dtype;
    record_out.flags = static_cast<uint8_t>(kGmWrite | kToL1 | (out.atomic ? kAtomic : 0));
    record_out.repeats = c.format == kAscNz ? ceil_div(tile.n, c.nz_width) : tile.m;
    record_out.elements = c.format == kAscNz ? tile.m * c.nz_width * size : tile.n * size;
    record_out.gm_address = gm;
    record_out.gm_pitch = static_cast<uint32_t>(c.format == kAscNz ? 0 : (c.pitch ? c.pitch : c.columns) * size);
    record(record_out);
}

// To UB of the vector core: through GM, by its MTE2.
void store_to_ub(const AscMatmul& object, const AscMatmulOut& out, const AscMatrix& c, MatmulState& state) {
    const TileRange& tile = state.tile;
    const MatrixView view(c, out.api);
    const ResultWriter writer(object, out, state);
    const uint32_t row = out.sequential ? 0 : tile.m0, column = out.sequential ? 0 : tile.n0;
    record_store(out, c, tile, 0);
    order(Pipe::FIX, Pipe::MTE2);
    // The call comes back when the cube core has answered; what the vector core issued before is long done by then.
    order(Pipe::V, Pipe::MTE2);
    order(Pipe::MTE3, Pipe::MTE2);
    issue(Pipe::MTE2);
    uint8_t* base = view.open(Pipe::MTE2, row, column, tile.m, tile.n, true);
    if (functional()) write_local(view, writer, tile, row, column, base);
    TraceRecord load{};
    load.kind = TraceKind::Transfer;
    load.pipe = Pipe::MTE2;
    load.dtype = c.dtype;
    load.repeats = tile.m;
    load.elements = tile.n * (view.bits() / 8);
    load.ub_address = c.at.address;
    load.gm_pitch = load.elements;
    record(load);
    if (out.sync) order(Pipe::MTE2, Pipe::V);
}

void store_to_local(const AscMatmul& object, const AscMatmulOut& out, const AscMatrix& c, MatmulState& state) {
    const TileRange& tile = state.tile;
    const MatrixView view(c, out.api);
    const ResultWriter writer(object, out, state);
    const bool l0c = memory_of(c.at.position) == Memory::L0C;
    const uint32_t row = out.sequential || l0c ? 0 : tile.m0, column = out.sequential || l0c ? 0 : tile.n0;
    const Pipe pipe = l0c ? Pipe::M : Pipe::FIX;
    issue(pipe);
    uint8_t* base = view.open(pipe, row, column, tile.m, tile.n, true);
    if (functional()) write_local(view, writer, tile, row, column, base);
    if (l0c) return;
    TraceRecord leave{};
    leave.kind = TraceKind::Instr;
    leave.pipe = Pipe::FIX;
    leave.op = static_cast<uint16_t>(CubeOp::Fixpipe);
    leave.repeats = 1;
    leave.elements = tile.m * tile.n * (view.bits() / 8);
    record(leave);
}

}  // namespace

MatrixView::MatrixView(const AscMatrix& matrix, const char* api)
    : matrix_(matrix),
      api_(api),
      bits_(matrix.dtype == static_cast<uint8_t>(Dtype::U64) ? 64 : element_bits(matrix.dtype)) {
    if (bits_ == 0) fatal("cube_types", api, "%s has elements that the cube unit does not take", api);
    width_ = 256 / bits_;
}

uint64_t MatrixView::index(uint32_t row, uint32_t column) const {
    if (matrix_.transposed) std::swap(row, column);
    if (matrix_.format == kAscVectorFormat) return uint64_t{row} + column;
    if (matrix_.format != kAscNz) {
        uint64_t pitch = matrix_.pitch ? matrix_.pitch : matrix_.columns;
        if (matrix_.format == kAscNdAligned && !matrix_.pitch) {
            pitch = round_up(matrix_.columns, std::max(1u, 256 / bits_));
        }
        return row * pitch + column;
    }
    const uint32_t width = matrix_.nz_width ? matrix_.nz_width : width_;
    const uint64_t rows = round_up(matrix_.rows, 16);
    return column / width * rows * width + uint64_t{row} * width + column % width;
}

uint8_t* MatrixView::open(Pipe pipe, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns, bool write) const {
    const uint64_t first = index(row, column);
    const uint64_t last = index(row + rows - 1, column + columns - 1);
    if (matrix_.place == kAscGlobal) {
        const uint64_t begin = first * bits_ / 8, end = (last + 1) * bits_ / 8;
        gm_span(matrix_.gm + begin, std::max<uint64_t>(end - begin, 1), write, api_);
        return reinterpret_cast<uint8_t*>(matrix_.gm);
    }
    if (matrix_.place != kAscLocalPlace) fatal("matmul_order", api_, "%s was not set before the product", api_);
    const Memory which = memory_of(matrix_.at.position);
    const uint64_t begin = matrix_.at.address + first * bits_ / 8 / kBlock * kBlock;
    const uint64_t end = matrix_.at.address + (last + 1) * bits_ / 8;
    check_range(which, begin, end, api_);
    touch(pipe, which, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), write, api_);
    return memory(which).data + matrix_.at.address;
}

void multiply_tile(const AscMatmul& object, const TileRange& tile, bool accumulate, MatmulState& state) {
    state.integer = is_integer(object.a.dtype);
    if (state.integer != is_integer(object.b.dtype)) {
        fatal("cube_types", "Matmul", "a product of an integer matrix and a real one is not modelled");
    }
    state.tile = tile;
    if (state.integer) {
        multiply_as(object, tile, accumulate, state.whole);
    } else {
        multiply_as(object, tile, accumulate, state.real);
    }
}

void store_tile(const AscMatmul& object, const AscMatmulOut& out, MatmulState& state) {
    AscMatrix c = destination(object, out, state.tile);
    if (c.format == kAscNz && c.nz_width == 0) c.nz_width = element_bits(c.dtype) == 8 ? 32 : 16;
    if (c.place == kAscLocalPlace && memory_of(c.at.position) == Memory::UB) return store_to_ub(object, out, c, state);
    if (c.place == kAscLocalPlace) return store_to_local(object, out, c, state);
    const MatrixView view(c, out.api);
    const uint32_t row = out.sequential ? 0 : state.tile.m0, column = out.sequential ? 0 : state.tile.n0;
    const ResultWriter writer(object, out, state);
    view.open(Pipe::FIX, row, column, state.tile.m, state.tile.n, true);
    write_global(c, view, writer, state.tile, row, column, out.atomic, out.api);
    const Allocation& at = gm_span(c.gm + view.index(row, column) * view.bits() / 8, 1, true, out.api);
    record_store(out, c, state.tile, at.device + (c.gm + view.index(row, column) * view.bits() / 8 - at.host));
}

}  // namespace ascendopt::rt
