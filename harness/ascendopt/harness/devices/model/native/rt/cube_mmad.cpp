// Mmad: matrices in L0A (ZZ) and L0B (ZN) multiplied into L0C (NZ).
#include <cstring>
#include <vector>

#include "cube.h"
#include "gemm.h"

namespace ascendopt::rt {

namespace {

struct Shape {
    uint32_t m, n, k;
    uint32_t width;    // elements of k in a fractal
    uint32_t k_steps;  // fractals of k that a row of fractals holds
    bool vector;       // one row of A lies plainly: GEMV
};

Shape shape_of(const AscMmad& call) {
    Shape out{call.m, call.n, call.k, fractal_width(call.a.dtype, call.api), 0, call.m == 1};
    const bool pairs = call.k_aligned && out.width == 8;
    out.k_steps = pairs ? 2 * ceil_div(call.k, 16) : ceil_div(call.k, out.width);
    return out;
}

void check_types(const AscMmad& call) {
    const auto a = static_cast<Dtype>(call.a.dtype), b = static_cast<Dtype>(call.b.dtype);
    const auto c = static_cast<Dtype>(call.c.dtype);
    const bool real = (a == Dtype::F16 || a == Dtype::BF16 || a == Dtype::F32) && c == Dtype::F32;
    const bool whole = (a == Dtype::I8 || a == Dtype::I4) && c == Dtype::I32;
    if (a != b || (!real && !whole)) {
        fatal("cube_types", call.api, "%s does not multiply matrices of these element types", call.api);
    }
    if (call.m > 4095 || call.n > 4095 || call.k > 4095) {
        violation("cube_params", 0, call.api, "%s: m, n and k (%u, %u, %u) may be at most 4095", call.api, call.m,
                  call.n, call.k);
    }
}

// Copies an operand into a plain matrix, as float or int32.
template <typename T, typename Read>
std::vector<T> unpack_a(const Shape& s, Read read) {
    std::vector<T> out(uint64_t{s.m} * s.k);
    for (uint32_t row = 0; row < s.m; ++row) {
        for (uint32_t column = 0; column < s.k; ++column) {
            const uint64_t fractal = uint64_t{row / kFractalRows} * s.k_steps + column / s.width;
            const uint64_t inside = (row % kFractalRows) * s.width + column % s.width;
            const uint64_t index = s.vector ? column : fractal * kFractalRows * s.width + inside;
            out[uint64_t{row} * s.k + column] = read(index);
        }
    }
    return out;
}

template <typename T, typename Read>
std::vector<T> unpack_b(const Shape& s, Read read) {
    const uint32_t n_steps = ceil_div(s.n, kFractalRows);
    std::vector<T> out(uint64_t{s.k} * s.n);
    for (uint32_t row = 0; row < s.k; ++row) {
        for (uint32_t column = 0; column < s.n; ++column) {
            const uint64_t fractal = uint64_t{row / s.width} * n_steps + column / kFractalRows;
            const uint64_t inside = (column % kFractalRows) * s.width + row % s.width;
            out[uint64_t{row} * s.n + column] = read(fractal * kFractalRows * s.width + inside);
        }
    }
    return out;
}

// L0C holds 16 columns at a time, each over all rows.
template <typename T>
void exchange_c(const Shape& s, uint8_t* l0c, std::vector<T>& plain, bool store) {
    const uint32_t rows = ceil_div(s.m, kFractalRows) * kFractalRows;
    for (uint32_t row = 0; row < s.m; ++row) {
        for (uint32_t column = 0; column < s.n; ++column) {
            const uint64_t index = (uint64_t{column / 16} * rows + row) * 16 + column % 16;
            T& value = plain[uint64_t{row} * s.n + column];
            if (store) {
                std::memcpy(l0c + index * 4, &value, 4);
            } else {
                std::memcpy(&value, l0c + index * 4, 4);
            }
        }
    }
}

struct Operands {
    const uint8_t* a;
    const uint8_t* b;
    const uint8_t* bias;
    uint8_t* c;
};

template <typename T, typename Read>
void compute(const AscMmad& call, const Shape& s, const Operands& at, Read read) {
    std::vector<T> c(uint64_t{s.m} * s.n, T{0});
    if (call.start == kAscFromL0c) exchange_c(s, at.c, c, false);
    if (call.start == kAscFromBias) {
        for (uint64_t i = 0; i < c.size(); ++i) std::memcpy(&c[i], at.bias + i % s.n * 4, 4);
    }
    const auto a = unpack_a<T>(s, [&](uint64_t index) { return read(at.a, index); });
    const auto b = unpack_b<T>(s, [&](uint64_t index) { return read(at.b, index); });
    multiply(a.data(), b.data(), c.data(), s.m, s.n, s.k);
    exchange_c(s, at.c, c, true);
}

void compute_any(const AscMmad& call, const Shape& s, const Operands& at) {
    const uint8_t type = call.a.dtype;
    if (is_integer(type)) {
        return compute<int32_t>(call, s, at,
                                [type](const uint8_t* data, uint64_t i) { return load_int(data, i, type); });
    }
    const auto& registers = core().cube_registers;
    const bool hf32 = registers[kAscHf32] != 0 && static_cast<Dtype>(type) == Dtype::F32;
    const bool to_zero = registers[kAscHf32Rounding] != 0;
    compute<float>(call, s, at, [=](const uint8_t* data, uint64_t i) {
        const float value = load_float(data, i, type);
        return hf32 ? to_hf32(value, to_zero) : value;
    });
}

void mmad(const AscMmad& call) {
    check_types(call);
    const Shape s = shape_of(call);
    const uint32_t m_steps = ceil_div(s.m, kFractalRows), n_steps = ceil_div(s.n, 16);
    if (call.unit_flag) order(Pipe::FIX, Pipe::M);
    issue(Pipe::M);
    Operands at{};
    const uint64_t a_bytes =
        s.vector ? uint64_t{ceil_div(s.k, s.width)} * kBlock : uint64_t{m_steps} * s.k_steps * kFractal;
    at.a = operand(Pipe::M, call.a, Memory::L0A, a_bytes, kFractal, false, call.api);
    at.b = operand(Pipe::M, call.b, Memory::L0B, uint64_t{ceil_div(s.k, s.width)} * n_steps * kFractal, kFractal, false,
                   call.api);
    if (call.start == kAscFromBias) {
        at.bias = operand(Pipe::M, call.bias, Memory::Bias, uint64_t{s.n} * 4, 64, false, call.api);
    }
    at.c = operand(Pipe::M, call.c, Memory::L0C, uint64_t{m_steps} * n_steps * 1024, 1024, true, call.api);
    if (functional()) compute_any(call, s, at);
    TraceRecord out{};
    out.kind = TraceKind::Instr;
    out.pipe = Pipe::M;
    const bool hf32 = core().cube_registers[kAscHf32] != 0 && s.width == 8;
    out.op = static_cast<uint16_t>(hf32 ? CubeOp::MmadHf32 : CubeOp::Mmad);
    out.dtype = call.a.dtype;
    out.repeats = m_steps * n_steps * ceil_div(s.k, s.width);
    out.elements = s.m * s.n;
    out.ub_address = call.c.address;
    record(out);
}

}  // namespace

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_mmad(const AscMmad* call) {
    ASC_ENTER(call->api);
    if (call->m != 0 && call->n != 0 && call->k != 0) mmad(*call);
}
}
