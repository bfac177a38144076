// Local memory without TPipe: tensors at fixed addresses, and the state that such kernels start from.
#pragma once
#include "atomic.h"
#include "tensor.h"

namespace AscendC {

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

// What a kernel may rely on at its begin: masks of all ones, normal mode, no atomic writes.
inline void InitSocState() {
    asc_atomic(kAscAtomicOff, 255);
    asc_mask_mode(0);
    asc_mask_bits(~uint64_t{0}, ~uint64_t{0});
}

namespace asc {
constexpr TPosition position_in(Hardware memory) {
    switch (memory) {
        case Hardware::L1:
            return TPosition::A1;
        case Hardware::L0A:
            return TPosition::A2;
        case Hardware::L0B:
            return TPosition::B2;
        case Hardware::L0C:
            return TPosition::CO1;
        case Hardware::BIAS:
            return TPosition::C2;
        case Hardware::FIXBUF:
            return TPosition::C2PIPE2GM;
        default:
            return TPosition::VECCALC;
    }
}
}  // namespace asc

// Hands out one memory from its begin on, in units of 32 B. Running over its end shows when the tensor is used.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
  public:
    uint32_t GetCurAddr() const { return next_; }
    template <TPosition pos, class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc() {
        return take<DataType>(pos, tileSize);
    }
    template <class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc() {
        return take<DataType>(asc::position_in(hard), tileSize);
    }
    template <TPosition pos, class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize) {
        return take<DataType>(pos, tileSize);
    }
    template <class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize) {
        return take<DataType>(asc::position_in(hard), tileSize);
    }

  private:
    template <class DataType>
    LocalTensor<DataType> take(TPosition position, uint32_t size) {
        const LocalTensor<DataType> out(position, next_, size);
        next_ += (asc::to_bytes<DataType>(size) + 31) / 32 * 32;
        return out;
    }

    uint32_t next_ = 0;
};

}  // namespace AscendC
