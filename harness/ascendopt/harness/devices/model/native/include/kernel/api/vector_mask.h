// The vector mask and the other registers that vector instructions read.
#pragma once
#include "vector_call.h"

namespace AscendC {

namespace asc {
// A length n as mask words: 64 fills the low word only, a whole repeat or more fills both, else the low n bits.
template <typename T>
ASC_INLINE void mask_length(uint64_t length) {
    constexpr uint64_t per_repeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
    if (length == 64) {
        asc_mask_bits(0, ~uint64_t{0});
    } else if (length == per_repeat || length >= 128) {
        asc_mask_bits(~uint64_t{0}, ~uint64_t{0});
    } else if (length > 64) {
        asc_mask_bits((uint64_t{1} << (length - 64)) - 1, ~uint64_t{0});
    } else {
        asc_mask_bits(0, (uint64_t{1} << length) - 1);
    }
}
}  // namespace asc

inline void SetMaskCount() { asc_mask_mode(1); }
inline void SetMaskNorm() { asc_mask_mode(0); }
inline void ResetMask() { asc_mask_bits(~uint64_t{0}, ~uint64_t{0}); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
    asc_mask_bits(maskHigh, maskLow);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len) {
    if constexpr (mode == MaskMode::COUNTER) {
        asc_mask_bits(0, static_cast<uint32_t>(len));
    } else {
        asc::mask_length<T>(static_cast<uint32_t>(len));
    }
}

// Used by many operators although the documentation does not list it.
class AscendCUtils {
  public:
    static constexpr int32_t GetC0Count(int32_t dtypeSize) { return dtypeSize == 0 ? 0 : ONE_BLK_SIZE / dtypeSize; }
    static constexpr int32_t GetC0Size() { return ONE_BLK_SIZE; }
    template <typename T = void>
    static void SetMaskCount() {
        asc_mask_mode(1);
    }
    template <typename T = void>
    static void SetMaskNorm() {
        asc_mask_mode(0);
    }
    // 1: overflow gives infinities; 0: it saturates. Modelled values always are the former's.
    static void SetOverflow(uint64_t) {}
    static void ResetMask() { asc_mask_bits(~uint64_t{0}, ~uint64_t{0}); }
    template <typename T>
    static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow) {
        asc_mask_bits(maskHigh, maskLow);
    }
    template <typename T>
    static void SetMask(int32_t len) {
        asc::mask_length<T>(static_cast<uint32_t>(len));
    }
};

// Scale of the int32 -> half cast.
inline void SetDeqScale(half scale) {
    AscVector call = asc::vector_call(asc::Op::SetDeqScale, "SetDeqScale", AscLocal{});
    asc::scalar(call, scale);
    asc_vector(&call);
}

// CMPMASK <-> local memory, 16 bytes.
template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src) {
    AscVector call = asc::vector_call(asc::Op::SetCmpMask, "SetCmpMask", src.where());
    asc::source(call, src.where());
    asc_vector(&call);
}
template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst) {
    AscVector call = asc::vector_call(asc::Op::GetCmpMask, "GetCmpMask", dst.where());
    asc_vector(&call);
}

}  // namespace AscendC

inline void set_mask_count() { asc_mask_mode(1); }
inline void set_mask_norm() { asc_mask_mode(0); }
inline void set_vector_mask(uint64_t high, uint64_t low) { asc_mask_bits(high, low); }
