// BilinearInterpolation: blocks gathered by offsets, weighted, and summed over the horizontal repeats.
#include <cstring>

#include "composite.h"
#include "half.h"

namespace ascendopt::rt {
namespace {

constexpr uint64_t kLanes = 128;  // half elements of a repeat

float rounded(float value) { return f16_to_f32(f32_to_f16(value)); }

}  // namespace

// in: src0, byte offsets of its blocks, weights. value: 0 = horizontal repeats; 1 = 1: a weight for each block, 0: one
// for each repeat; 2 = stride of dst's blocks; 3 = elements from row to row of dst; 4 = vertical repeats; 5, 6 = mask.
void interpolate(const AscComposite& call) {
    check_type(call, call.in[0], type_bit(Dtype::F16));
    check_starts(call);
    const uint64_t across = call.value[0], down = call.value[4], repeats = across * down;
    const uint64_t weights = call.value[1] ? repeats * 8 : repeats;
    if (repeats == 0) return;
    Sequence sequence(call);
    sequence.reads_bytes(call.in[0], call.in[0].bytes);
    sequence.reads(1, repeats * 8);
    sequence.reads(2, weights);
    for (uint64_t row = 0; row < down; ++row) {
        for (uint64_t block = 0; block < 8; ++block) {
            AscLocal part = call.out[0];
            part.address += static_cast<uint32_t>(row * call.value[3] * 2 + block * call.value[2] * kBlockBytes);
            sequence.writes_bytes(part, kBlockBytes);
        }
    }
    sequence.step(Op::Gatherb, Dtype::F16, repeats * kLanes);
    sequence.step(Op::Brcb, Dtype::F16, weights * 16);
    sequence.step(Op::Mul, Dtype::F16, repeats * kLanes);
    sequence.step(Op::Add, Dtype::F16, repeats * kLanes, static_cast<uint32_t>(down));
    if (!sequence.issue()) return;
    const uint8_t* source = local(call.in[0].position, call.in[0].address);
    const uint8_t* offsets = local(call.in[1].position, call.in[1].address);
    const std::vector<float> weight = load_values(call.in[2], weights);
    for (uint64_t row = 0; row < down; ++row) {
        std::vector<float> sum(kLanes);
        for (uint64_t step = 0; step < across; ++step) {
            const uint64_t repeat = row * across + step;
            for (uint64_t block = 0; block < 8; ++block) {
                uint32_t offset;
                std::memcpy(&offset, offsets + (repeat * 8 + block) * 4, 4);
                if (offset % kBlockBytes || uint64_t{offset} + kBlockBytes > call.in[0].bytes) {
                    violation("gather_range", 0, call.api, "%s: offset %u is not a 32 B block inside src0 (%u B)",
                              call.api, offset, call.in[0].bytes);
                    continue;
                }
                float values[16];
                load_floats(source + offset, Dtype::F16, 16, values);
                const float factor = weight[call.value[1] ? repeat * 8 + block : repeat];
                for (uint64_t i = 0; i < 16; ++i) {
                    float& total = sum[block * 16 + i];
                    const float product = rounded(values[i] * factor);
                    total = step ? rounded(total + product) : product;
                }
            }
        }
        for (uint64_t lane = 0; lane < kLanes; ++lane) {
            if (((call.value[5 + lane / 64] >> (lane % 64)) & 1) == 0) continue;
            const uint64_t at = row * call.value[3] + lane / 16 * call.value[2] * 16 + lane % 16;
            store_values(call.out[0], &sum[lane], 1, at);
        }
    }
}

}  // namespace ascendopt::rt
