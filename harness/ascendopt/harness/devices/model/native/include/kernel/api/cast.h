// Conversion between element types. The wider type decides how many elements a repeat holds.
#pragma once
#include "vector_call.h"

namespace AscendC {

template <typename T, typename U>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                 const uint32_t count) {
    AscVector call = asc::vector_call(asc::Op::Cast, "Cast", dst.where());
    asc::source(call, src.where());
    call.mode = static_cast<uint8_t>(roundMode);
    asc::count_form(call, count);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                 const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Cast, "Cast", dst.where());
    asc::source(call, src.where());
    call.mode = static_cast<uint8_t>(roundMode);
    call.form = kAscMaskBits;
    if constexpr (isSetMask) {
        call.mask[0] = mask[0];
        call.mask[1] = sizeof(T) >= 4 || sizeof(U) >= 4 ? 0 : mask[1];
    }
    call.set_mask = isSetMask;
    call.repeat = repeatTime;
    asc::strides(call, repeatParams);
    asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
    AscVector call = asc::vector_call(asc::Op::Cast, "Cast", dst.where());
    asc::source(call, src.where());
    call.mode = static_cast<uint8_t>(roundMode);
    asc::mask_form(call, mask, isSetMask, repeatTime);
    asc::strides(call, repeatParams);
    asc_vector(&call);
}

}  // namespace AscendC
