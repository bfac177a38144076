// The C ABI of the cube unit: what moves matrices between GM, L1, L0 and L0C, and what multiplies them. As in rt.h, the
// kernel headers fill a struct and call one entry.
#pragma once
#include "rt.h"

// Rows of a plain matrix become fractals of L1 (ND to NZ). Pitches are bytes, row start to row start.
struct AscNdToNz {
    uint8_t size;  // bytes of an element
    uint8_t dtype;
    uint8_t l2_bypass;
    uint8_t from_local;  // the source is `from` (UB), not `gm`
    uint32_t matrices;
    uint32_t rows;
    uint32_t columns;
    uint32_t c0_stride;   // 32 B units between columns of fractals
    uint32_t row_stride;  // 32 B units between rows
    uint64_t matrix_pitch, row_pitch;
    uint64_t to_matrix_pitch;
    uint64_t gm;
    AscLocal from;
    AscLocal to;
    const char* api;
};

enum AscFractalMode : uint8_t {
    kAscFractalCopy = 0,
    kAscFractalTranspose,  // each 16 x 16 fractal of 2-byte elements
    kAscSquareTranspose,   // squares of one (b16), two (b8, b32) or four (b4) fractals
};

// Fractals of 512 B from L1 (or GM) to L0A, L0B or L1.
struct AscLoadFractals {
    uint8_t mode;  // AscFractalMode
    uint8_t dtype;
    uint8_t from_gm;
    uint8_t descending;
    uint32_t start, repeats, src_stride;  // in fractals, or squares
    uint32_t dst_gap, dst_fractal_gap;    // in fractals, end to start
    uint64_t gm;
    AscLocal from;
    AscLocal to;
    const char* api;
};

// A window of the matrix that img2col makes of a feature map in L1 (NC1HWC0).
struct AscLoadImage {
    uint8_t dtype;
    uint8_t transpose;
    uint8_t set_shape;  // height, width and padding come with the call, not from SetFmatrix
    uint8_t set_padding;
    uint8_t pad_left, pad_right, pad_top, pad_bottom;
    uint16_t height, width, channels;
    uint16_t k_extent, m_extent, k_start, m_start;
    uint16_t filter_height, filter_width;
    uint8_t stride_height, stride_width, dilation_height, dilation_width;
    uint64_t pad_value;
    AscLocal from;
    AscLocal to;
    const char* api;
};

struct AscFillLocal {
    uint32_t repeats, blocks, gap;  // blocks of 32 B in L1, 512 B in L0
    uint8_t size;
    uint64_t value;
    AscLocal to;
    const char* api;
};

enum AscAccumulate : uint8_t { kAscFromZero = 0, kAscFromL0c, kAscFromBias };

struct AscMmad {
    uint16_t m, n, k;
    uint8_t start;  // AscAccumulate
    uint8_t unit_flag;
    uint8_t k_aligned;  // b32: two fractals of k make one step
    AscLocal c, a, b, bias;
    const char* api;
};

enum AscQuant : uint8_t {
    kAscNoQuant = 0,
    kAscF32ToF16,
    kAscF32ToBf16,
    kAscDequantF16,
    kAscVectorDequantF16,
    kAscQuantB8,
    kAscVectorQuantB8,
    kAscRequant8,
    kAscVectorRequant8,
};

struct AscFixpipe {
    uint16_t n, m;
    uint16_t src_stride;  // rows of the whole L0C matrix
    uint8_t row_major;    // 1: NZ to ND, 0: NZ stays
    uint8_t quant;        // AscQuant
    uint8_t relu;
    uint8_t unit_flag;
    uint8_t channel_split;
    uint8_t dtype;  // of the destination
    uint8_t to_local;
    uint8_t l2_bypass;
    uint8_t from_registers;  // scale and number of matrices stand in registers
    uint16_t matrices;
    uint16_t src_matrix_stride;  // 16 * 16 elements
    uint32_t dst_stride;         // ND: elements of a row; NZ: 32 B units
    uint32_t dst_matrix_stride;  // elements
    uint64_t scale;              // quantisation parameter for all columns
    AscLocal scales;             // or one for each column (L1); no bytes: the one of SetFixPipeConfig
    AscLocal from, to;
    uint64_t gm;
    const char* api;
};

// Registers of the cube unit.
enum AscCubeRegister : uint8_t {
    kAscHf32 = 0,         // 0 off, 1 on
    kAscHf32Rounding,     // 0 nearest even, 1 nearest, ties to zero
    kAscMapSize,          // height | width << 16
    kAscMapPadding,       // left | right << 8 | top << 16 | bottom << 24
    kAscPadValue,         // bit pattern
    kAscImageRepeat,      // times | mode << 8 | stride << 16
    kAscFixpipeScales,    // address in the fixpipe buffer
    kAscFixpipeScale,     // scalar parameter
    kAscFixpipeMatrices,  // number | source stride << 16 | destination stride << 32
    kAscCubeRegisters
};

extern "C" {
void asc_nd_to_nz(const AscNdToNz* call);
void asc_load_fractals(const AscLoadFractals* call);
void asc_load_image(const AscLoadImage* call);
void asc_fill_local(const AscFillLocal* call);
void asc_mmad(const AscMmad* call);
void asc_fixpipe(const AscFixpipe* call);
void asc_cube_register(uint8_t which, uint64_t value, const char* api);
}
