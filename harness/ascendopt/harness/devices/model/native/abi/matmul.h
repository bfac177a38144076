// The C ABI of the Matmul library: a kernel's object is one AscMatmul, which the runtime fills and steps through.
#pragma once
#include "rt.h"

// By the public CubeFormat.
enum AscMatrixFormat : uint8_t {
    kAscNd = 0,
    kAscNz = 1,
    kAscNdAligned = 5,
    kAscVectorFormat = 7,
};

enum AscPlace : uint8_t { kAscNowhere = 0, kAscGlobal, kAscLocalPlace };

// One matrix as it is stored. `rows` and `columns` are those of the whole stored matrix: they make its pitch.
struct AscMatrix {
    uint8_t place;  // AscPlace
    uint8_t dtype;
    uint8_t format;      // AscMatrixFormat
    uint8_t transposed;  // stored as columns x rows
    uint8_t l2_bypass;
    uint8_t nz_width;  // NZ: columns of a fractal, 0 for 32 B
    uint8_t whole;     // the kernel's own function brought the block of this product to L1, all of it
    uint8_t reserved;
    uint64_t gm;
    AscLocal at;
    uint32_t rows, columns;
    uint64_t pitch;  // elements between two stored rows of ND; 0: they lie one after another
};

enum AscScaling : uint8_t { kAscNoScale = 0, kAscOneScale, kAscScalePerColumn };

struct AscMatmul {
    uint32_t handle;  // of the runtime's part; 0 before Init
    AscMatrix a, b, bias;
    // From the tiling, and what SetOrgShape, SetSingleShape and SetTail made of it.
    int32_t m, n, ka, kb, kc;
    int32_t single_m, single_n, single_k;
    int32_t base_m, base_n, base_k;
    int32_t step_m, step_n, step_ka, step_kb, depth_a, depth_b, db_l0c;
    int32_t rows_first;  // tiles run down the rows before they move on to the next columns
    int32_t tiling_single[3];
    uint8_t has_bias;  // the tiling says so
    uint8_t use_bias;
    uint8_t hf32;
    uint8_t hf32_ties_to_zero;
    uint8_t relu;
    uint8_t scaling;   // AscScaling
    uint8_t waits;     // Iterate<false> was called: GetTensorC computes what it takes
    uint8_t computed;  // a tile waits for GetTensorC
    uint64_t scale;
    AscMatrix scales;
    uint32_t next;            // tile that Iterate computes next
    uint32_t tile_m, tile_n;  // of the tile that was computed last
};

struct AscMatmulOut {
    AscMatrix c;
    uint8_t atomic;      // 0, or 1 to add
    uint8_t sequential;  // the tile lies by itself, base_n wide
    uint8_t sync;
    uint8_t reserved;
    const char* api;
};

// Where the matrices of a batch lie: `group` of them `near` elements apart, the next group `far` elements on. Product i
// takes number i % mod + i / divisor: where one operand has fewer, its matrices are used again.
struct AscMatmulSide {
    uint32_t count;  // a call of IterateBatch
    uint32_t group;
    uint32_t mod, divisor;
    uint64_t near, far;
    uint64_t pitch;  // of AscMatrix
};

struct AscMatmulBatch {
    AscMatmulSide a, b, c;    // c.divisor products add up to one result
    uint32_t products;        // a call of IterateBatch
    uint32_t calls;           // of IterateNBatch, else 1
    uint64_t bias_row;        // elements of one bias
    uint8_t bias_each;        // each result has its own
    const char* unsupported;  // what of these layouts is not modelled, else null
};

extern "C" {
// REGIST_MATMUL_OBJ: this kernel's vector cores send their products to a cube core.
void asc_matmul_client();
void asc_matmul_init(AscMatmul* object);
void asc_matmul_restart(AscMatmul* object);
uint8_t asc_matmul_iterate(AscMatmul* object, uint8_t accumulate, uint8_t sync);
void asc_matmul_result(AscMatmul* object, const AscMatmulOut* out);
void asc_matmul_all(AscMatmul* object, const AscMatmulOut* out);
void asc_matmul_batch(AscMatmul* object, const AscMatmulOut* out, const AscMatmulBatch* batch);
void asc_matmul_wait(const char* api);
}
