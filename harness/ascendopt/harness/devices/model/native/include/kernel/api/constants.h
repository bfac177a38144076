// Sizes of the units that addresses and strides count in, and defaults of call parameters.
#pragma once
#include <cstdint>

namespace AscendC {

// Bytes. RESERVED_WORKSPACE is the part of a workspace in front of the user's.
constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t B8_BYTE_SIZE = 1;
constexpr int32_t B16_BYTE_SIZE = 2;
constexpr int32_t B32_BYTE_SIZE = 4;
constexpr int32_t B64_BYTE_SIZE = 8;
constexpr int32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr int32_t TOTAL_L0B_SIZE = 64 * 1024;
#if __NPU_ARCH__ == 2201
constexpr int32_t TOTAL_L0C_SIZE = 128 * 1024;
constexpr int32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr int32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr int32_t TMP_UB_OFFSET = 184 * 1024;
constexpr decltype(sizeof(0)) RESERVED_WORKSPACE = 16 * 1024 * 1024;
#elif __NPU_ARCH__ == 3510
constexpr int32_t TOTAL_L0C_SIZE = 256 * 1024;
constexpr int32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr int32_t TOTAL_UB_SIZE = 248 * 1024;
constexpr int32_t TMP_UB_OFFSET = 248 * 1024;
constexpr decltype(sizeof(0)) RESERVED_WORKSPACE = 16 * 1024 * 1024;
#else
constexpr int32_t TOTAL_L0C_SIZE = 256 * 1024;
constexpr int32_t TOTAL_L1_SIZE = 1024 * 1024;
constexpr int32_t TOTAL_UB_SIZE = 256 * 1024;
constexpr int32_t TMP_UB_OFFSET = 248 * 1024;
constexpr decltype(sizeof(0)) RESERVED_WORKSPACE = 2 * 1024 * 1024;
#endif
constexpr int32_t TMP_UB_SIZE = 8 * 1024;

// Elements.
constexpr int32_t B16_DATA_NUM_PER_BLOCK = 16;
constexpr int32_t B32_DATA_NUM_PER_BLOCK = 8;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = 64;
constexpr int32_t ONE_BLK_FLOAT_NUM = 8;
constexpr int32_t ONE_BLK_HALF_NUM = 16;
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t CUBE_MAX_SIZE = 256;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr int32_t BRCB_BROADCAST_NUMBER = 8;
constexpr int32_t PAD_SIZE = 4;
constexpr int32_t MAX_HALF_MASK_LEN = 64;

// Blocks, repeats, strides.
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t HALF_FACTOR = 2;
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint8_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr uint16_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint16_t DEFAULT_DATA_COPY_STRIDE = 0;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t MIN_REPEAT_TIMES = 0;
constexpr int32_t MAX_16BITS_STRIDE = 65535;
constexpr int32_t MIN_BLOCK_COUNT = 1;
constexpr int32_t MAX_BLOCK_COUNT = 4095;
constexpr int32_t MIN_BLOCK_LEN = 1;
constexpr int32_t MAX_BLOCK_LEN = 65535;
constexpr uint64_t FULL_MASK = 0xFFFFFFFFFFFFFFFFu;
constexpr uint64_t MASK_PLACEHOLDER = 0;

inline uint32_t AlignUp(uint32_t value, uint32_t unit) { return unit == 0 ? 0 : (value + unit - 1) / unit * unit; }
inline uint32_t DivCeil(uint32_t value, uint32_t unit) { return unit == 0 ? 0 : (value + unit - 1) / unit; }
// What the Matmul library's headers bring besides; in half words there, too, so that an operator's own of the name
// wins.
inline uint16_t CeilDiv(uint16_t value, uint16_t unit) {
    return unit == 0 ? 0 : static_cast<uint16_t>((value + unit - 1) / unit);
}

}  // namespace AscendC
