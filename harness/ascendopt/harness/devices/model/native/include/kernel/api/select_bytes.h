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

struct DropOutShapeInfo {
    DropOutShapeInfo() = default;
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

namespace asc {
// Mode 0 is read off the shapes: a mask as wide as src holds bytes. 1 and 2: bytes; 3 and 4: bits.
template <uint32_t mode, typename T>
ASC_INLINE AscComposite drop_out_call(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                      const LocalTensor<uint8_t>& mask, float keep, const DropOutShapeInfo& info) {
    static_assert(mode <= 4, "DropOut has the modes 0 to 4");
    AscComposite call = composite(Composite::DropOut, "DropOut", dst, src);
    call.inputs = 2;
    call.in[1] = mask.where();
    call.value[0] = info.firstAxis;
    call.value[1] = info.srcLastAxis;
    call.value[2] = info.maskLastAxis;
    call.value[3] = bits(1.0f / keep);
    call.value[4] = mode == 0 ? info.maskLastAxis < info.srcLastAxis : mode >= 3;
    return call;
}
}  // namespace asc

template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<uint8_t>& maskLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const float keepProb, const DropOutShapeInfo& info) {
    AscComposite call = asc::drop_out_call<dropOutMode>(dstLocal, srcLocal, maskLocal, keepProb, info);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<uint8_t>& maskLocal, const float keepProb, const DropOutShapeInfo& info) {
    const AscComposite call = asc::drop_out_call<dropOutMode>(dstLocal, srcLocal, maskLocal, keepProb, info);
    asc_composite(&call);
}

}  // namespace AscendC
