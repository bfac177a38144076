// TransData: NCDHW against NDC1HWC0 and FRACTAL_Z_3D, whose channels (and batches) come in sixteens.
#include <cstring>

#include "composite.h"

namespace ascendopt::rt {
namespace {

constexpr uint64_t kSixteen = 16;

uint64_t sixteens(uint64_t count) { return (count + kSixteen - 1) / kSixteen; }

// value: 0..4 = n, c, d, h, w; 5 = 1: from NCDHW, else to it; 6 = 1: FRACTAL_Z_3D, else NDC1HWC0.
struct Formats {
    uint64_t n, c, d, area, plane;
    bool forward, fractals;

    explicit Formats(const AscComposite& call)
        : n(call.value[0]),
          c(call.value[1]),
          d(call.value[2]),
          area(call.value[3] * call.value[4]),
          plane(sixteens(area) * kSixteen),  // of NCDHW, made up to whole blocks as documented
          forward(call.value[5]),
          fractals(call.value[6]) {}

    uint64_t plain_elements() const { return n * c * d * plane; }
    uint64_t other_elements() const {
        return (fractals ? sixteens(n) * kSixteen : n) * d * sixteens(c) * kSixteen * area;
    }
    uint64_t plain(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const {
        return ((in * c + ic) * d + id) * plane + at;
    }
    uint64_t other(uint64_t in, uint64_t ic, uint64_t id, uint64_t at) const {
        const uint64_t c1 = sixteens(c), row = ic % kSixteen;
        if (!fractals) return (((in * d + id) * c1 + ic / kSixteen) * area + at) * kSixteen + row;
        const uint64_t n1 = sixteens(n);
        const uint64_t place = ((id * c1 + ic / kSixteen) * area + at) * n1 + in / kSixteen;
        return (place * kSixteen + in % kSixteen) * kSixteen + row;
    }
};

}  // namespace

void change_format(const AscComposite& call) {
    check_starts(call);
    const Formats at(call);
    const uint64_t read = at.forward ? at.plain_elements() : at.other_elements();
    const uint64_t written = at.forward ? at.other_elements() : at.plain_elements();
    Sequence sequence(call);
    sequence.reads(0, read);
    sequence.writes(0, written);
    sequence.step(Op::TransDataTo5HD, sequence.type(), std::max(read, written));
    sequence.step(Op::Copy, sequence.type(), written);
    if (!sequence.issue()) return;
    std::vector<uint16_t> from(read), to(written, 0);
    std::memcpy(from.data(), local(call.in[0].position, call.in[0].address), read * 2);
    for (uint64_t n = 0; n < at.n; ++n) {
        for (uint64_t c = 0; c < at.c; ++c) {
            for (uint64_t d = 0; d < at.d; ++d) {
                for (uint64_t i = 0; i < at.area; ++i) {
                    const uint64_t plain = at.plain(n, c, d, i), other = at.other(n, c, d, i);
                    to[at.forward ? other : plain] = from[at.forward ? plain : other];
                }
            }
        }
    }
    std::memcpy(local(call.out[0].position, call.out[0].address), to.data(), written * 2);
}

}  // namespace ascendopt::rt
