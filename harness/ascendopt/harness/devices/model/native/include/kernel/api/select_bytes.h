// Select by a mask with one element for each element of the source.
#pragma once
#include "transpose.h"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
    SelectWithBytesMaskShapeInfo() = default;
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

namespace asc {
template <typename T, typename U>
ASC_INLINE AscComposite bytes_call(const char* api, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                   const LocalTensor<U>& mask, const T& scalar, bool scalar_for_zero,
                                   const SelectWithBytesMaskShapeInfo& info) {
    AscComposite call = composite(Composite::SelectWithBytesMask, api, dst, src);
    call.inputs = 2;
    call.in[1] = mask.where();
    call.value[0] = info.firstAxis;
    call.value[1] = info.srcLastAxis;
    call.value[2] = info.maskLastAxis;
    call.value[3] = bits(scalar);
    call.value[4] = scalar_for_zero ? 1 : 0;
    return call;
}
}  // namespace asc

// A mask of zero takes src0, anything else src1. SelectWithBytesMask is the earlier name.
#define ASC_SELECT_BYTES(name)                                                                                  \
    template <typename T, typename U, bool isReuseMask = true>                                                  \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask, \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info) {   \
        AscComposite call = asc::bytes_call(#name, dst, src0, mask, src1, false, info);                         \
        call.tmp = sharedTmpBuffer.where();                                                                     \
        asc_composite(&call);                                                                                   \
    }                                                                                                           \
    template <typename T, typename U, bool isReuseMask = true>                                                  \
    inline void name(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1, const LocalTensor<U>& mask, \
                     const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info) {   \
        AscComposite call = asc::bytes_call(#name, dst, src1, mask, src0, true, info);                          \
        call.tmp = sharedTmpBuffer.where();                                                                     \
        asc_composite(&call);                                                                                   \
    }
ASC_SELECT_BYTES(Select)
ASC_SELECT_BYTES(SelectWithBytesMask)
#undef ASC_SELECT_BYTES

}  // namespace AscendC
