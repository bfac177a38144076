// Atomic writes to global memory: what DataCopy does with the values that are there.
#pragma once
#include "tensor.h"

namespace AscendC {

template <typename T>
inline void SetAtomicAdd() {
    asc_atomic(kAscAtomicAdd, asc::dtype<T>);
}
template <typename T>
inline void SetAtomicMax() {
    asc_atomic(kAscAtomicMax, asc::dtype<T>);
}
template <typename T>
inline void SetAtomicMin() {
    asc_atomic(kAscAtomicMin, asc::dtype<T>);
}
// Only the element type; the operation stays.
template <typename T>
inline void SetAtomicType() {
    asc_atomic(kAscAtomicKeep, asc::dtype<T>);
}
inline void SetAtomicNone() { asc_atomic(kAscAtomicOff, 255); }
inline void DisableDmaAtomic() { asc_atomic(kAscAtomicOff, 255); }

enum class AtomicDtype { ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM };

template <AtomicDtype type, AtomicOp op>
inline void SetStoreAtomicConfig() {
    using ascendopt::Dtype;
    constexpr Dtype dtypes[] = {Dtype::None, Dtype::F32, Dtype::F16, Dtype::I16, Dtype::I32, Dtype::I8, Dtype::BF16};
    asc_atomic(type == AtomicDtype::ATOMIC_NONE ? kAscAtomicOff : kAscAtomicAdd,
               static_cast<uint8_t>(dtypes[static_cast<int>(type)]));
}

}  // namespace AscendC
