// The Matmul library: which tile comes next, and what the cube unit does for it.
#include "matmul.h"

#include <algorithm>

namespace ascendopt::rt {

namespace {

// Event numbers of the library's own buffers, six an object; the user's and the queues' lie below.
constexpr int kFirstEvent = 64, kEventsEach = 6, kEventSets = 31;
constexpr int kL1Event = 0, kL0Event = 2, kL0cEvent = 4;
int events_of(const AscMatmul& object) {
    return kFirstEvent + static_cast<int>((object.handle - 1) % kEventSets) * kEventsEach;
}

uint32_t at_least_one(int32_t value) { return value < 1 ? 1u : static_cast<uint32_t>(value); }

// `from` gives a buffer back; `to` waits for it when its turn comes again.
void wait_buffer(Pipe from, Pipe to, int event, uint32_t turn, uint32_t buffers) {
    if (turn >= buffers) wait_flag(from, to, event + static_cast<int>(turn % buffers), false);
}
void give_buffer(Pipe from, Pipe to, int event, uint32_t turn, uint32_t buffers) {
    set_flag(from, to, event + static_cast<int>(turn % buffers), false);
}

// One block of a matrix on its way to L1.
void record_load(const AscMatrix& matrix, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns) {
    if (matrix.place != kAscGlobal) return;
    const Pipe pipe = matmul_load_pipe();
    issue(pipe);
    const MatrixView view(matrix, "Matmul");
    const uint32_t bits = view.bits();
    if (matrix.transposed) std::swap(rows, columns);
    const uint64_t byte = view.index(row, column) * bits / 8;
    const Allocation& at = gm_span(matrix.gm + byte, 1, false, "Matmul");
    TraceRecord out{};
    out.kind = TraceKind::Transfer;
    out.pipe = pipe;
    out.dtype = matrix.dtype;
    out.flags = static_cast<uint8_t>(kToL1 | (matrix.l2_bypass ? kL2Bypass : 0));
    out.gm_address = at.device + (matrix.gm + byte - at.host);
    const bool nz = matrix.format == kAscNz;
    out.repeats = nz ? ceil_div(columns * bits, 256) : rows;
    out.elements = nz ? rows * kBlock : columns * bits / 8;
    const uint64_t pitch = matrix.pitch ? matrix.pitch : matrix.columns;
    out.gm_pitch = static_cast<uint32_t>(nz ? ceil_div(matrix.rows, 16) * 16 * kBlock : pitch * bits / 8);
    record(out);
}

void record_l0(CubeOp op, uint32_t bytes) {
    issue(Pipe::MTE1);
    TraceRecord out{};
    out.kind = TraceKind::Instr;
    out.pipe = Pipe::MTE1;
    out.op = static_cast<uint16_t>(op);
    out.repeats = ceil_div(bytes, kFractal);
    out.elements = bytes;
    record(out);
}

void record_mmad(const AscMatmul& object, const TileRange& tile, uint32_t k) {
    const uint32_t width = 256 / element_bits(object.a.dtype);
    issue(Pipe::M);
    TraceRecord out{};
    out.kind = TraceKind::Instr;
    out.pipe = Pipe::M;
    out.op = static_cast<uint16_t>(object.hf32 && width == 8 ? CubeOp::MmadHf32 : CubeOp::Mmad);
    out.dtype = object.a.dtype;
    out.repeats = ceil_div(tile.m, 16) * ceil_div(tile.n, 16) * ceil_div(k, width);
    out.elements = tile.m * tile.n;
    record(out);
}

// The pipeline of one tile: loads to L1 in chunks of several steps, loads to L0 and products step by step.
class TilePipeline {
  public:
    TilePipeline(const AscMatmul& object, const TileRange& tile, MatmulState& state)
        : object_(object), tile_(tile), state_(state), cube_(on_cube_core()), load_(matmul_load_pipe()) {
        events_ = events_of(object);
        base_k_ = at_least_one(object.base_k);
        a_chunk_ = base_k_ * at_least_one(object.step_ka);
        b_chunk_ = base_k_ * at_least_one(object.step_kb);
        l1_buffers_ = std::clamp<uint32_t>(
            at_least_one(object.depth_a) / (at_least_one(object.step_ka) * at_least_one(object.step_m)), 1, 2);
    }

    void run() {
        for (uint32_t k = 0; k < tile_.k; k += base_k_) step(k, std::min(base_k_, tile_.k - k));
    }

  private:
    static uint64_t key(const AscMatrix& matrix, uint32_t first) { return (matrix.gm + first) * 2 + 1; }

    // False if the whole depth of the block is in L1 from the tile before.
    bool needs(const AscMatrix& matrix, uint32_t first, uint32_t chunk, uint64_t& resident) const {
        if (matrix.place != kAscGlobal) return false;
        const bool whole = chunk >= tile_.k;
        if (whole && resident == key(matrix, first)) return false;
        resident = whole ? key(matrix, first) : 0;
        return true;
    }

    void load_chunks(uint32_t k) {
        const bool a_due = k % a_chunk_ == 0 && needs(object_.a, tile_.m0, a_chunk_, state_.resident_a);
        const bool b_due = k % b_chunk_ == 0 && needs(object_.b, tile_.n0, b_chunk_, state_.resident_b);
        if (!a_due && !b_due) return;
        const Pipe user = cube_ ? Pipe::MTE1 : Pipe::M;
        if (state_.chunk > 0) give_buffer(user, load_, events_ + kL1Event, state_.chunk - 1, l1_buffers_);
        wait_buffer(user, load_, events_ + kL1Event, state_.chunk, l1_buffers_);
        if (a_due) record_load(object_.a, tile_.m0, k, tile_.m, std::min(a_chunk_, tile_.k - k));
        if (b_due) record_load(object_.b, k, tile_.n0, std::min(b_chunk_, tile_.k - k), tile_.n);
        ++state_.chunk;
        order(load_, user);
    }

    void step(uint32_t k, uint32_t depth) {
        load_chunks(k);
        if (cube_) {
            const uint32_t bits = element_bits(object_.a.dtype);
            const uint32_t deep = ceil_div(depth * bits, 256) * kBlock;
            wait_buffer(Pipe::M, Pipe::MTE1, events_ + kL0Event, state_.step, 2);
            record_l0(CubeOp::LoadA, ceil_div(tile_.m, 16) * 16 * deep);
            record_l0(CubeOp::LoadB, ceil_div(tile_.n, 16) * 16 * deep);
            order(Pipe::MTE1, Pipe::M);
        }
        record_mmad(object_, tile_, depth);
        if (cube_) give_buffer(Pipe::M, Pipe::MTE1, events_ + kL0Event, state_.step, 2);
        ++state_.step;
    }

    const AscMatmul& object_;
    const TileRange& tile_;
    MatmulState& state_;
    bool cube_;
    Pipe load_;
    int events_ = 0;
    uint32_t base_k_, a_chunk_, b_chunk_, l1_buffers_;
};

uint32_t tiles(const AscMatmul& object, bool columns) {
    return columns ? ceil_div(at_least_one(object.single_n), at_least_one(object.base_n))
                   : ceil_div(at_least_one(object.single_m), at_least_one(object.base_m));
}

TileRange tile_at(const AscMatmul& object, uint32_t number) {
    const uint32_t down = tiles(object, false), across = tiles(object, true);
    const uint32_t row = object.rows_first ? number % down : number / across;
    const uint32_t column = object.rows_first ? number / down : number % across;
    TileRange out{};
    out.m0 = row * at_least_one(object.base_m);
    out.n0 = column * at_least_one(object.base_n);
    out.m = std::min(at_least_one(object.base_m), static_cast<uint32_t>(object.single_m) - out.m0);
    out.n = std::min(at_least_one(object.base_n), static_cast<uint32_t>(object.single_n) - out.n0);
    out.k = static_cast<uint32_t>(object.single_k);
    return out;
}

// The stored shape of the operands follows from the original shape and the orientation.
void place_operands(AscMatmul& object) {
    const auto own = [](const AscMatrix& matrix) {
        return matrix.whole || (matrix.place == kAscLocalPlace && memory_of(matrix.at.position) == Memory::UB);
    };
    const bool a_local = own(object.a), b_local = own(object.b);
    const auto m = static_cast<uint32_t>(a_local ? object.single_m : object.m);
    const auto ka = static_cast<uint32_t>(a_local ? object.single_k : object.ka);
    const auto n = static_cast<uint32_t>(b_local ? object.single_n : object.n);
    const auto kb = static_cast<uint32_t>(b_local ? object.single_k : object.kb);
    object.a.rows = object.a.transposed ? ka : m;
    object.a.columns = object.a.transposed ? m : ka;
    object.b.rows = object.b.transposed ? n : kb;
    object.b.columns = object.b.transposed ? kb : n;
    const auto align = [](AscMatrix& matrix) {
        const uint32_t width = 256 / std::max(1u, element_bits(matrix.dtype));
        matrix.columns = ceil_div(matrix.columns, width) * width;
    };
    if (a_local && object.a.format == kAscNd) align(object.a);
    if (b_local && object.b.format == kAscNd) align(object.b);
}

}  // namespace

bool next_tile(AscMatmul& object, bool accumulate, const char* api) {
    if (object.single_m <= 0 || object.single_n <= 0 || object.single_k <= 0) return false;
    if (object.next >= tiles(object, false) * tiles(object, true)) {
        object.next = 0;
        return false;
    }
    MatmulState& state = matmul_state(object, api);
    place_operands(object);
    if (object.a.whole || object.b.whole) order(Pipe::MTE2, Pipe::MTE1);
    const TileRange tile = tile_at(object, object.next++);
    const uint32_t buffers = std::clamp<uint32_t>(at_least_one(object.db_l0c), 1, 2);
    if (!accumulate) wait_buffer(Pipe::FIX, Pipe::M, events_of(object) + kL0cEvent, state.tiles, buffers);
    TilePipeline(object, tile, state).run();
    multiply_tile(object, tile, accumulate, state);
    order(Pipe::M, Pipe::FIX);
    object.tile_m = tile.m;
    object.tile_n = tile.n;
    object.computed = 1;
    return true;
}

void take_tile(AscMatmul& object, const AscMatmulOut& out) {
    if (!object.computed && !(object.waits && next_tile(object, false, out.api))) {
        fatal("matmul_order", out.api, "%s has no result to take: Iterate was not called, or all tiles were taken",
              out.api);
    }
    MatmulState& state = matmul_state(object, out.api);
    store_tile(object, out, state);
    const uint32_t buffers = std::clamp<uint32_t>(at_least_one(object.db_l0c), 1, 2);
    give_buffer(Pipe::FIX, Pipe::M, events_of(object) + kL0cEvent, state.tiles++, buffers);
    object.computed = 0;
}

void wait_for_cube() {
    if (!on_cube_core()) order(Pipe::FIX, Pipe::S);
}

void all_tiles(AscMatmul& object, const AscMatmulOut& out) {
    object.next = 0;
    object.computed = 0;
    AscMatmulOut each = out;
    const uint64_t block = uint64_t{at_least_one(object.base_m)} * at_least_one(object.base_n);
    while (next_tile(object, false, out.api)) {
        take_tile(object, each);
        if (!out.sequential) continue;
        const uint64_t bytes = block * element_bits(out.c.dtype) / 8;
        each.c.gm += each.c.place == kAscGlobal ? bytes : 0;
        each.c.at.address += static_cast<uint32_t>(each.c.place == kAscLocalPlace ? bytes : 0);
    }
}

bool on_cube_core() { return core().kind == CoreKind::Cube; }

Pipe matmul_load_pipe() { return on_cube_core() ? Pipe::MTE2 : Pipe::MTE1; }

MatmulState& matmul_state(const AscMatmul& object, const char* api) {
    auto& states = core().matmuls;
    if (object.handle == 0 || object.handle > states.size()) {
        fatal("matmul_order", api, "%s on a Matmul object that was never given a tiling", api);
    }
    // An operator with objects for several modes may leave the tiling of those that it does not use empty.
    if (object.base_m <= 0 || object.base_n <= 0 || object.base_k <= 0) {
        fatal("matmul_tiling", api, "the tiling has a block of %d x %d x %d", object.base_m, object.base_n,
              object.base_k);
    }
    return *states[object.handle - 1];
}

}  // namespace ascendopt::rt

using namespace ascendopt::rt;

extern "C" {

void asc_matmul_client() {}

void asc_matmul_init(AscMatmul* object) {
    ASC_ENTER("Matmul::Init");
    core().matmuls.push_back(std::make_shared<MatmulState>());
    object->handle = static_cast<uint32_t>(core().matmuls.size());
    object->next = 0;
    object->computed = 0;
}

void asc_matmul_restart(AscMatmul* object) {
    object->next = 0;
    object->computed = 0;
}

uint8_t asc_matmul_iterate(AscMatmul* object, uint8_t accumulate, uint8_t sync) {
    ASC_ENTER("Iterate");
    if (!sync) {
        object->waits = 1;
        return 1;
    }
    if (accumulate) object->next = 0;
    return next_tile(*object, accumulate != 0, "Iterate");
}

void asc_matmul_result(AscMatmul* object, const AscMatmulOut* out) {
    ASC_ENTER(out->api);
    take_tile(*object, *out);
    if (out->sync) wait_for_cube();
}

void asc_matmul_all(AscMatmul* object, const AscMatmulOut* out) {
    ASC_ENTER(out->api);
    all_tiles(*object, *out);
    if (out->sync) wait_for_cube();
}

void asc_matmul_wait(const char* api) {
    ASC_ENTER(api);
    wait_for_cube();
}
}
