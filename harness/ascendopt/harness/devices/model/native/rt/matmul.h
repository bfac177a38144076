// What the runtime keeps for one Matmul object, and the parts of the library. Internal to rt/.
#pragma once
#include <vector>

#include "../abi/matmul.h"
#include "cube.h"

namespace ascendopt::rt {

struct TileRange {
    uint32_t m0, n0;
    uint32_t m, n, k;
};

// A matrix whose elements are addressed by row and column, wherever they lie.
class MatrixView {
  public:
    MatrixView(const AscMatrix& matrix, const char* api);

    bool integer() const { return is_integer(matrix_.dtype); }
    uint64_t index(uint32_t row, uint32_t column) const;
    // Checks the block and makes it readable; the pipe is the one that reads or writes it.
    uint8_t* open(Pipe pipe, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns, bool write) const;
    uint32_t bits() const { return bits_; }

  private:
    const AscMatrix& matrix_;
    const char* api_;
    uint32_t bits_;
    uint32_t width_;
};

// The sums of one tile, before they leave the cube unit.
struct MatmulState {
    std::vector<float> real;
    std::vector<int32_t> whole;
    TileRange tile{};
    bool integer = false;
    // What L1 holds: a matrix stays there when all of its depth fits.
    uint64_t resident_a = 0, resident_b = 0;
    uint32_t chunk = 0, step = 0, tiles = 0;  // counters of the buffers' events
    uint32_t fixpipe_pending = 0;
};

MatmulState& matmul_state(const AscMatmul& object, const char* api);
// The pipe that brings matrices to L1, and whether this core multiplies itself: a vector core's products run on the
// cube core beside it, shown on pipes that a vector core does not have.
Pipe matmul_load_pipe();
bool on_cube_core();

// The next tile of the product; false after the last one.
bool next_tile(AscMatmul& object, bool accumulate, const char* api);
void take_tile(AscMatmul& object, const AscMatmulOut& out);
void all_tiles(AscMatmul& object, const AscMatmulOut& out);
// A vector core that waits for its cube core.
void wait_for_cube();

void multiply_tile(const AscMatmul& object, const TileRange& tile, bool accumulate, MatmulState& state);
void record_tile(const AscMatmul& object, const TileRange& tile, MatmulState& state);
void store_tile(const AscMatmul& object, const AscMatmulOut& out, MatmulState& state);

}  // namespace ascendopt::rt
