// Changes of layout: 16 x 16 transposes, sixteen blocks against sixteen blocks, NCHW and NHWC, padded rows.
#include <cstring>

#include "composite.h"

namespace ascendopt::rt {
namespace {

constexpr uint32_t kAnyMove = type_bit(Dtype::I8) | type_bit(Dtype::U8) | type_bit(Dtype::I16) | type_bit(Dtype::U16) |
                              type_bit(Dtype::F16) | type_bit(Dtype::BF16) | type_bit(Dtype::I32) |
                              type_bit(Dtype::U32) | type_bit(Dtype::F32);

uint32_t size_of(const AscLocal& where) { return dtype_bits(static_cast<Dtype>(where.dtype)) / 8; }

void transpose_square(const AscComposite& call) {
    if (size_of(call.in[0]) != 2) fatal("dtype", call.api, "%s moves 16 x 16 elements of 16 bits", call.api);
    check_starts(call);
    Sequence sequence(call);
    sequence.reads(0, 256);
    sequence.writes(0, 256);
    sequence.step(Op::Transpose, sequence.type(), 256);
    if (!sequence.issue(true)) return;
    uint16_t from[256], to[256];
    std::memcpy(from, local(call.in[0].position, call.in[0].address), sizeof from);
    for (int i = 0; i < 256; ++i) to[i % 16 * 16 + i / 16] = from[i];
    std::memcpy(local(call.out[0].position, call.out[0].address), to, sizeof to);
}

// value: 1..4 = n, c, h, w; 5 = 1 for NHWC to NCHW, else NCHW to NHWC.
void transpose_channels(const AscComposite& call) {
    check_type(call, call.in[0], kAnyMove);
    check_starts(call);
    const size_t n = call.value[1], channels = call.value[2], plane = call.value[3] * call.value[4];
    const size_t size = size_of(call.in[0]);
    const size_t image = channels * plane;
    Sequence sequence(call);
    sequence.reads(0, n * image);
    sequence.writes(0, n * image);
    // Blocks of 16 x 16 into scratch and from there to their places.
    sequence.step(Op::TransDataTo5HD, sequence.type(), n * image);
    sequence.step(Op::TransDataTo5HD, sequence.type(), n * image);
    if (!sequence.issue()) return;
    const size_t rows = call.value[5] ? plane : channels;
    const size_t columns = call.value[5] ? channels : plane;
    const uint8_t* source = local(call.in[0].position, call.in[0].address);
    std::vector<uint8_t> from(source, source + n * image * size);
    uint8_t* to = local(call.out[0].position, call.out[0].address);
    for (size_t i = 0; i < n * image; ++i) {
        const size_t at = i % image, row = at / columns, column = at % columns;
        std::memcpy(to + (i - at + column * rows + row) * size, from.data() + i * size, size);
    }
}

// value: 0, 1 = host pointers to sixteen addresses each (of dst, of src); 2 = repeats; 3, 4 = strides of dst and src in
// blocks; 5 = bit 0 dst high half, bit 1 src high half; 6 = element type; 7 = 1: the lists hold local addresses.
struct Blocks {
    uint8_t* dst[16];
    uint8_t* src[16];

    explicit Blocks(const AscComposite& call, Sequence& sequence) {
        const auto* to = reinterpret_cast<const uint64_t*>(call.value[0]);
        const auto* from = reinterpret_cast<const uint64_t*>(call.value[1]);
        const uint64_t repeats = call.value[2];
        for (int i = 0; i < 16; ++i) {
            AscLocal out = place(call, to[i]), in = place(call, from[i]);
            if (out.address % kBlockBytes || in.address % kBlockBytes) {
                violation("ub_misaligned", 0, call.api, "%s: address %d is not a multiple of 32 B", call.api, i);
            }
            out.address += static_cast<uint32_t>(first(repeats, call.value[3]));
            in.address += static_cast<uint32_t>(first(repeats, call.value[4]));
            dst[i] = local(out.position, out.address);
            src[i] = local(in.position, in.address);
            for (uint64_t r = 0; r < repeats; ++r) {
                AscLocal part = in;
                part.address += static_cast<uint32_t>(r * call.value[4] * kBlockBytes);
                sequence.reads_bytes(part, kBlockBytes);
                part = out;
                part.address += static_cast<uint32_t>(r * call.value[3] * kBlockBytes);
                sequence.writes_bytes(part, kBlockBytes);
            }
        }
    }
    // With one repeat the stride is added to the start (documented), with more it is not.
    static uint64_t first(uint64_t repeats, uint64_t stride) { return repeats == 1 ? stride * kBlockBytes : 0; }

    static AscLocal place(const AscComposite& call, uint64_t address) {
        AscLocal where{};
        if (call.value[7]) {
            where.address = static_cast<uint32_t>(address);
            where.position = 11;
        } else if (!asc_local_find(reinterpret_cast<const void*>(address), &where)) {
            fatal("ub_overflow", call.api, "%s gets an address that lies in no local memory", call.api);
        }
        return where;
    }
};

void exchange_b16(const Blocks& at, uint64_t dst_offset, uint64_t src_offset) {
    uint16_t square[16][16];
    for (int i = 0; i < 16; ++i) std::memcpy(square[i], at.src[i] + src_offset, sizeof square[i]);
    for (int j = 0; j < 16; ++j) {
        uint16_t column[16];
        for (int i = 0; i < 16; ++i) column[i] = square[i][j];
        std::memcpy(at.dst[j] + dst_offset, column, sizeof column);
    }
}

// 16 rows of 8: column j fills the two blocks 2j and 2j + 1.
void exchange_b32(const Blocks& at, uint64_t dst_offset, uint64_t src_offset) {
    uint32_t rows[16][8];
    for (int i = 0; i < 16; ++i) std::memcpy(rows[i], at.src[i] + src_offset, sizeof rows[i]);
    for (int j = 0; j < 8; ++j) {
        uint32_t column[16];
        for (int i = 0; i < 16; ++i) column[i] = rows[i][j];
        std::memcpy(at.dst[2 * j] + dst_offset, column, 32);
        std::memcpy(at.dst[2 * j + 1] + dst_offset, column + 8, 32);
    }
}

// Half blocks of 16 bytes.
void exchange_b8(const Blocks& at, uint64_t dst_offset, uint64_t src_offset, uint64_t halves) {
    uint8_t square[16][16];
    const uint64_t from = src_offset + (halves & 2 ? 16 : 0), to = dst_offset + (halves & 1 ? 16 : 0);
    for (int i = 0; i < 16; ++i) std::memcpy(square[i], at.src[i] + from, sizeof square[i]);
    for (int j = 0; j < 16; ++j) {
        uint8_t column[16];
        for (int i = 0; i < 16; ++i) column[i] = square[i][j];
        std::memcpy(at.dst[j] + to, column, sizeof column);
    }
}

void exchange_blocks(const AscComposite& call) {
    const auto type = static_cast<Dtype>(call.value[6]);
    const uint64_t repeats = call.value[2];
    if (repeats > 255) violation("repeat_range", 0, call.api, "%s has more than 255 repeats", call.api);
    if (repeats == 0) return;
    Sequence sequence(call);
    const Blocks blocks(call, sequence);
    sequence.step(Op::TransDataTo5HD, type, repeats * 512 * 8 / dtype_bits(type));
    if (!sequence.issue(true)) return;
    for (uint64_t r = 0; r < repeats; ++r) {
        const uint64_t to = r * call.value[3] * kBlockBytes, from = r * call.value[4] * kBlockBytes;
        if (dtype_bits(type) == 16) {
            exchange_b16(blocks, to, from);
        } else if (dtype_bits(type) == 32) {
            exchange_b32(blocks, to, from);
        } else {
            exchange_b8(blocks, to, from, call.value[5]);
        }
    }
}

// value: 0 = rows; 1 = columns of src; 2 = columns of dst; 3 = columns before; 4 = the value that fills, as bits;
// 5 = columns of src that count.
void change_width(const AscComposite& call, Composite op) {
    check_type(call, call.in[0], kAnyMove);
    check_starts(call);
    const size_t rows = call.value[0], source = call.value[1], width = call.value[2], left = call.value[3];
    const size_t counted = call.value[5];
    const size_t size = size_of(call.in[0]);
    Sequence sequence(call);
    sequence.reads(0, rows * source);
    sequence.writes(0, rows * width);
    sequence.step(op == Composite::Pad ? Op::Copy : Op::GatherMask, sequence.type(), rows * width);
    if (op == Composite::Pad) sequence.step(Op::Duplicate, sequence.type(), rows * width);
    if (!sequence.issue()) return;
    const uint8_t* data = local(call.in[0].position, call.in[0].address);
    std::vector<uint8_t> from(data, data + rows * source * size);
    uint8_t* to = local(call.out[0].position, call.out[0].address);
    for (size_t row = 0; row < rows; ++row) {
        for (size_t column = 0; column < width; ++column) {
            const bool inside = column >= left && column - left < counted;
            const void* value = inside ? static_cast<const void*>(&from[(row * source + column - left) * size])
                                       : static_cast<const void*>(&call.value[4]);
            std::memcpy(to + (row * width + column) * size, value, size);
        }
    }
}

}  // namespace

void run_layout(const AscComposite& call, Composite op) {
    switch (op) {
        case Composite::TransDataTo5HD:
            return exchange_blocks(call);
        case Composite::TransData:
            return change_format(call);
        case Composite::Pad:
        case Composite::UnPad:
            return change_width(call, op);
        default:
            if (call.value[0] == 2) return transpose_axes(call);
            return call.value[0] ? transpose_channels(call) : transpose_square(call);
    }
}

}  // namespace ascendopt::rt
