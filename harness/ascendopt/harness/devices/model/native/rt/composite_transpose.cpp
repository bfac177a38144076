// Transpose with a tiling: exchanges of axes between plain (ND) and fractal (NZ) layouts of a matrix of four axes.
//
// NZ of rows x columns: column blocks of sixteen, in each all rows (made up to sixteens) of sixteen elements.
#include <algorithm>
#include <cstring>

#include "composite.h"

namespace ascendopt::rt {
namespace {

// As TransposeType of the kernel's headers.
enum class Kind : uint32_t {
    Nz2Nd0213 = 1,
    Nz2Nz0213,
    Nz2NzWithN,
    Nz2NdWithN,
    Nz2NdWithoutN,
    Nz2NzWithoutN,
    Nd2NdOnly,
    Nd2Nd021 = 13,
    Nd2Nd102,
    Nd2Nd210
};

constexpr uint64_t kCube = 16;
uint64_t up(uint64_t n) { return (n + kCube - 1) / kCube * kCube; }

struct Matrix {
    uint64_t rows, columns;
    uint64_t size() const { return up(rows) * up(columns); }
    uint64_t fractal(uint64_t row, uint64_t column) const {
        return column / kCube * up(rows) * kCube + row * kCube + column % kCube;
    }
    uint64_t plain(uint64_t row, uint64_t column) const { return row * up(columns) + column; }
};

// Where element (a, b, c, d) of the four axes is read and written, in elements.
struct Move {
    uint64_t from, to;
};

struct Exchange {
    Kind kind;
    uint64_t n[4];

    // 0213: [B, A1, A2, A3] to [B, A2, A1, A3], matrices of the last two axes.
    Move of_0213(const uint64_t (&i)[4]) const {
        const Matrix before{n[2], n[3]}, after{n[1], n[3]};
        const uint64_t from = (i[0] * n[1] + i[1]) * before.size() + before.fractal(i[2], i[3]);
        if (kind == Kind::Nz2Nz0213) {
            return {from, (i[0] * n[2] + i[2]) * after.size() + after.fractal(i[1], i[3])};
        }
        return {from, ((i[0] * up(n[2]) + i[2]) * n[1] + i[1]) * up(n[3]) + i[3]};
    }
    // 012: a matrix S x H a batch against N matrices S x H / N.
    Move of_012(const uint64_t (&i)[4]) const {
        const Matrix whole{n[2], n[1] * n[3]}, part{n[2], n[3]};
        const uint64_t column = i[1] * n[3] + i[3];
        const uint64_t joined = i[0] * whole.size(), split = (i[0] * n[1] + i[1]) * part.size();
        switch (kind) {
            case Kind::Nz2NzWithN:
                return {joined + whole.fractal(i[2], column), split + part.fractal(i[2], i[3])};
            case Kind::Nz2NdWithN:
                return {joined + whole.fractal(i[2], column), split + part.plain(i[2], i[3])};
            case Kind::Nz2NdWithoutN:
                return {split + part.fractal(i[2], i[3]), joined + whole.plain(i[2], column)};
            default:
                return {split + part.fractal(i[2], i[3]), joined + whole.fractal(i[2], column)};
        }
    }
    // Axes [N, H, W] in order.
    Move of_plain(const uint64_t (&i)[4]) const {
        const uint64_t from = (i[1] * n[2] + i[2]) * n[3] + i[3];
        switch (kind) {
            case Kind::Nd2Nd102:
                return {from, (i[2] * n[1] + i[1]) * n[3] + i[3]};
            case Kind::Nd2Nd210:
                return {from, (i[3] * n[2] + i[2]) * n[1] + i[1]};
            default:
                return {from, (i[1] * n[3] + i[3]) * n[2] + i[2]};
        }
    }
    Move of(const uint64_t (&i)[4]) const {
        if (kind >= Kind::Nd2NdOnly) return of_plain(i);
        return kind <= Kind::Nz2Nz0213 ? of_0213(i) : of_012(i);
    }
    std::vector<Move> moves() const {
        std::vector<Move> all;
        all.reserve(n[0] * n[1] * n[2] * n[3]);
        uint64_t i[4];
        for (i[0] = 0; i[0] < n[0]; ++i[0]) {
            for (i[1] = 0; i[1] < n[1]; ++i[1]) {
                for (i[2] = 0; i[2] < n[2]; ++i[2]) {
                    for (i[3] = 0; i[3] < n[3]; ++i[3]) all.push_back(of(i));
                }
            }
        }
        return all;
    }
};

}  // namespace

// value: 1..4 = the axes; 5 = the kind.
void transpose_axes(const AscComposite& call) {
    check_starts(call);
    const uint32_t bits = dtype_bits(static_cast<Dtype>(call.in[0].dtype));
    if (bits != 16 && bits != 32) fatal("dtype", call.api, "%s moves elements of 16 or 32 bits", call.api);
    const Exchange exchange{static_cast<Kind>(call.value[5]),
                            {call.value[1], call.value[2], call.value[3], call.value[4]}};
    const std::vector<Move> moves = exchange.moves();
    if (moves.empty()) fatal("shape", call.api, "%s gets a tiling without elements", call.api);
    uint64_t read = 0, written = 0;
    for (const Move& move : moves) {
        read = std::max(read, move.from + 1);
        written = std::max(written, move.to + 1);
    }
    Sequence sequence(call);
    sequence.reads(0, read);
    sequence.writes(0, written);
    // Squares of 16 x 16 into scratch and from there to their places.
    sequence.step(Op::TransDataTo5HD, sequence.type(), written);
    sequence.step(Op::TransDataTo5HD, sequence.type(), written);
    if (!sequence.issue()) return;
    const size_t size = bits / 8;
    const uint8_t* source = local(call.in[0].position, call.in[0].address);
    const std::vector<uint8_t> from(source, source + read * size);
    uint8_t* to = local(call.out[0].position, call.out[0].address);
    for (const Move& move : moves) std::memcpy(to + move.to * size, from.data() + move.from * size, size);
}

}  // namespace ascendopt::rt
