// The Matmul library: products of many matrices in one call, in the layouts that the library documents.
#include <algorithm>

#include "matmul.h"

namespace ascendopt::rt {

namespace {

// Elements from the first matrix of a side to its matrix `number`.
uint64_t place_of(const AscMatmulSide& side, uint64_t number) {
    const uint64_t group = std::max(1u, side.group);
    return number % group * side.near + number / group * side.far;
}

AscMatrix moved(AscMatrix matrix, uint64_t elements, uint64_t pitch) {
    const uint64_t bytes = elements * element_bits(matrix.dtype) / 8;
    matrix.gm += matrix.place == kAscGlobal ? bytes : 0;
    matrix.at.address += static_cast<uint32_t>(matrix.place == kAscLocalPlace ? bytes : 0);
    matrix.pitch = pitch;
    return matrix;
}

class Batch {
  public:
    Batch(AscMatmul& object, const AscMatmulOut& out, const AscMatmulBatch& params)
        : object_(object), out_(out), params_(params), a_(object.a), b_(object.b), bias_(object.bias) {}
    ~Batch() {
        object_.a = a_;
        object_.b = b_;
        object_.bias = bias_;
    }

    void run(uint32_t call) {
        const uint32_t summed = std::max(1u, params_.c.divisor);
        for (uint32_t i = 0; i < params_.products; i += summed) {
            const uint64_t result = uint64_t{call} * params_.c.count + i / summed;
            AscMatmulOut each = out_;
            each.c = moved(out_.c, place_of(params_.c, result), params_.c.pitch);
            const uint64_t bias = uint64_t{call} * params_.c.count + (params_.bias_each ? i / summed : 0);
            object_.bias = moved(bias_, bias * params_.bias_row, 0);
            if (summed > 1) {
                sum(call, i, summed, each);
            } else {
                take_operands(call, i);
                all_tiles(object_, each);
            }
        }
    }

  private:
    uint64_t number(const AscMatmulSide& side, uint32_t call, uint32_t product) const {
        const uint64_t own = product % std::max(1u, side.mod) + product / std::max(1u, side.divisor);
        return uint64_t{call} * side.count + own;
    }
    void take_operands(uint32_t call, uint32_t product) {
        object_.a = moved(a_, place_of(params_.a, number(params_.a, call, product)), params_.a.pitch);
        object_.b = moved(b_, place_of(params_.b, number(params_.b, call, product)), params_.b.pitch);
    }
    // Products that add up stay in L0C, which holds one tile of them.
    void sum(uint32_t call, uint32_t first, uint32_t count, const AscMatmulOut& out) {
        if (object_.base_m < object_.single_m || object_.base_n < object_.single_n) {
            fatal("matmul_tiling", out.api, "%s: products that add up need the whole result in one block", out.api);
        }
        for (uint32_t i = 0; i < count; ++i) {
            take_operands(call, first + i);
            object_.next = 0;
            next_tile(object_, i > 0, out.api);
        }
        take_tile(object_, out);
        object_.next = 0;
    }

    AscMatmul& object_;
    const AscMatmulOut& out_;
    const AscMatmulBatch& params_;
    const AscMatrix a_, b_, bias_;
};

}  // namespace
}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_matmul_batch(AscMatmul* object, const AscMatmulOut* out, const AscMatmulBatch* params) {
    ASC_ENTER(out->api);
    if (params->unsupported) fatal("unsupported", out->api, "%s: %s", out->api, params->unsupported);
    for (uint32_t call = 0; call < params->calls; ++call) Batch(*object, *out, *params).run(call);
    if (out->sync) wait_for_cube();
}
}
