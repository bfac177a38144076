// LoadData 3D: a window of the matrix that img2col makes of a feature map, as fractals in L0.
#include <algorithm>
#include <cstring>

#include "cube.h"

namespace ascendopt::rt {

namespace {

struct Map {
    uint32_t height, width;
    uint32_t left, right, top, bottom;
    uint64_t pad;
};

Map map_of(const AscLoadImage& call) {
    const auto& registers = core().cube_registers;
    Map out{call.height, call.width, call.pad_left, call.pad_right, call.pad_top, call.pad_bottom, call.pad_value};
    if (!call.set_shape) {
        const uint64_t size = registers[kAscMapSize], padding = registers[kAscMapPadding];
        out.height = size & 0xFFFF;
        out.width = size >> 16 & 0xFFFF;
        out.left = padding & 0xFF;
        out.right = padding >> 8 & 0xFF;
        out.top = padding >> 16 & 0xFF;
        out.bottom = padding >> 24 & 0xFF;
    }
    if (!call.set_padding) out.pad = registers[kAscPadValue];
    return out;
}

// The matrix before any layout: row m is an output position, column k runs over (c1, kh, kw, c0).
class Img2Col {
  public:
    Img2Col(const AscLoadImage& call, const Map& map)
        : call_(call), map_(map), size_(element_bits(call.dtype) / 8), width_(fractal_width(call.dtype, call.api)) {
        const int64_t reach_w = (call.filter_width - 1) * call.dilation_width + 1;
        const int64_t reach_h = (call.filter_height - 1) * call.dilation_height + 1;
        const int64_t free_w = int64_t{map.width} + map.left + map.right - reach_w;
        const int64_t free_h = int64_t{map.height} + map.top + map.bottom - reach_h;
        out_w_ = free_w < 0 || call.stride_width == 0 ? 0 : static_cast<uint32_t>(free_w / call.stride_width + 1);
        out_h_ = free_h < 0 || call.stride_height == 0 ? 0 : static_cast<uint32_t>(free_h / call.stride_height + 1);
    }

    uint32_t size() const { return size_; }
    uint32_t width() const { return width_; }
    uint64_t map_bytes() const {
        return uint64_t{ceil_div(call_.channels, width_)} * map_.height * map_.width * kBlock;
    }

    uint64_t value(const uint8_t* from, uint32_t m, uint32_t k) const {
        const uint32_t c0 = k % width_, window = k / width_;
        const uint32_t kw = window % call_.filter_width;
        const uint32_t kh = window / call_.filter_width % call_.filter_height;
        const uint32_t c1 = window / call_.filter_width / call_.filter_height;
        if (out_w_ == 0 || m >= out_w_ * out_h_ || c1 * width_ + c0 >= call_.channels) return 0;
        const int64_t h = int64_t{m / out_w_} * call_.stride_height + kh * call_.dilation_height - map_.top;
        const int64_t w = int64_t{m % out_w_} * call_.stride_width + kw * call_.dilation_width - map_.left;
        if (h < 0 || w < 0 || h >= map_.height || w >= map_.width) return map_.pad;
        const uint64_t index =
            ((c1 * uint64_t{map_.height} + static_cast<uint64_t>(h)) * map_.width + static_cast<uint64_t>(w)) * width_ +
            c0;
        uint64_t bits = 0;
        std::memcpy(&bits, from + index * size_, size_);
        return bits;
    }

  private:
    const AscLoadImage& call_;
    const Map& map_;
    uint32_t size_, width_;
    uint32_t out_w_ = 0, out_h_ = 0;
};

// Where element (row of the window, column of the window) goes, as an element index in L0.
class Target {
  public:
    Target(const AscLoadImage& call, Memory memory, uint32_t width)
        : memory_(memory), transpose_(call.transpose), width_(width) {
        rows_ = ceil_div(call.m_extent, 16) * 16;
        columns_ = ceil_div(call.k_extent, width) * width;
    }
    uint32_t rows() const { return rows_; }
    uint32_t columns() const { return columns_; }

    uint64_t elements() const {
        const uint64_t outer = uint64_t{ceil_div(columns_, 16)} * 16;
        return memory_ == Memory::L0A && !transpose_ ? uint64_t{rows_} * columns_ : rows_ * outer;
    }
    uint64_t index(uint32_t row, uint32_t column) const {
        if (memory_ == Memory::L0A) {
            return transpose_ ? fractal(column / 16, row / width_, rows_ / width_, column % 16, row % width_)
                              : fractal(row / 16, column / width_, columns_ / width_, row % 16, column % width_);
        }
        // L0B takes the window transposed: its rows are the depth of the product.
        return fractal(row / width_, column / 16, ceil_div(columns_, 16), column % 16, row % width_);
    }

  private:
    uint64_t fractal(uint32_t outer, uint32_t inner, uint32_t across, uint32_t row, uint32_t column) const {
        return (uint64_t{outer} * across + inner) * 16 * width_ + row * width_ + column;
    }

    Memory memory_;
    bool transpose_;
    uint32_t width_;
    uint32_t rows_, columns_;
};

void check_image(const AscLoadImage& call, Memory target, uint32_t width) {
    if (target != Memory::L0A && target != Memory::L0B) {
        fatal("cube_position", call.api, "%s: the destination lies in %s", call.api, memory_name(target));
    }
    const uint32_t bits = element_bits(call.dtype);
    if (bits == 4 || (bits == 8 && (target == Memory::L0B || call.transpose))) {
        fatal("cube_types", call.api, "%s does not transpose elements of %u bits", call.api, bits);
    }
    if (call.channels % width != 0) {
        fatal("unsupported", call.api, "%s with %u channels, which is no multiple of %u, is not modelled", call.api,
              call.channels, width);
    }
    const uint64_t repeat = core().cube_registers[kAscImageRepeat];
    if ((repeat >> 32 & 1) != 0 && (repeat & 0xFF) != 1) {
        fatal("unsupported", call.api, "%s repeated by SetLoadDataRepeat is not modelled", call.api);
    }
}

void load_image(const AscLoadImage& call) {
    const Memory memory_to = memory_of(call.to.position);
    const Map map = map_of(call);
    const Img2Col image(call, map);
    check_image(call, memory_to, image.width());
    const Target target(call, memory_to, image.width());
    const uint64_t bytes = target.elements() * image.size();
    issue(Pipe::MTE1);
    const uint8_t* from = operand(Pipe::MTE1, call.from, Memory::L1, image.map_bytes(), kBlock, false, call.api);
    uint8_t* to = operand(Pipe::MTE1, call.to, memory_to, bytes, kFractal, true, call.api);
    if (functional()) {
        for (uint32_t row = 0; row < target.rows(); ++row) {
            for (uint32_t column = 0; column < target.columns(); ++column) {
                const uint64_t value = image.value(from, call.m_start + row, call.k_start + column);
                std::memcpy(to + target.index(row, column) * image.size(), &value, image.size());
            }
        }
    }
    TraceRecord out{};
    out.kind = TraceKind::Instr;
    out.pipe = Pipe::MTE1;
    out.op = static_cast<uint16_t>(memory_to == Memory::L0A ? CubeOp::LoadA : CubeOp::LoadB);
    out.dtype = call.dtype;
    out.repeats = static_cast<uint32_t>(bytes / kFractal);
    out.elements = static_cast<uint32_t>(bytes);
    out.ub_address = call.to.address;
    record(out);
}

}  // namespace

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_load_image(const AscLoadImage* call) {
    ASC_ENTER(call->api);
    // Without a transpose two elements of four bits move as one of eight: channels and offsets along K are even.
    AscLoadImage pairs = *call;
    if (element_bits(call->dtype) == 4 && !call->transpose && memory_of(call->to.position) == Memory::L0A) {
        pairs.dtype = static_cast<uint8_t>(ascendopt::Dtype::I8);
        pairs.channels /= 2;
        pairs.k_extent /= 2;
        pairs.k_start /= 2;
        pairs.pad_value = (call->pad_value & 15) * 17;
    }
    const bool nothing = call->channels == 0 || call->k_extent == 0 || call->m_extent == 0 || call->filter_width == 0 ||
                         call->filter_height == 0;
    if (!nothing) load_image(pairs);
}
}
