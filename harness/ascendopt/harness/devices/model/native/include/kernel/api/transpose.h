// Changes of layout inside local memory.
#pragma once
#include "vector_call.h"

namespace AscendC {

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
    TRANSPOSE_ND2ND_021,
    TRANSPOSE_ND2ND_102,
    TRANSPOSE_ND2ND_210,
    TRANSPOSE_ND2NZ_WITH_INTLV
};

struct TransposeParamsExt {
    TransposeParamsExt() = default;
    TransposeParamsExt(const uint16_t n, const uint16_t c, const uint16_t h, const uint16_t w, const TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    constexpr TransDataTo5HDParams(const bool dst_high, const bool src_high, const uint8_t repeats,
                                   const uint16_t dst_repeat, const uint16_t src_repeat)
        : dstHighHalf(dst_high),
          srcHighHalf(src_high),
          repeatTimes(repeats),
          dstRepStride(dst_repeat),
          srcRepStride(src_repeat) {}
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

namespace asc {
// One input and one output.
template <typename D, typename S>
ASC_INLINE AscComposite composite(Composite op, const char* api, const LocalTensor<D>& dst, const LocalTensor<S>& src) {
    AscComposite call{};
    call.op = static_cast<uint16_t>(op);
    call.api = api;
    call.outputs = call.inputs = 1;
    call.out[0] = dst.where();
    call.in[0] = src.where();
    return call;
}
template <typename T>
ASC_INLINE AscComposite blocks_call(const char* api, const uint64_t* dst, const uint64_t* src,
                                    const TransDataTo5HDParams& params) {
    AscComposite call{};
    call.op = static_cast<uint16_t>(Composite::TransDataTo5HD);
    call.api = api;
    call.value[0] = reinterpret_cast<uintptr_t>(dst);
    call.value[1] = reinterpret_cast<uintptr_t>(src);
    call.value[2] = params.repeatTimes;
    call.value[3] = params.dstRepStride;
    call.value[4] = params.srcRepStride;
    call.value[5] = (params.dstHighHalf ? 1u : 0u) | (params.srcHighHalf ? 2u : 0u);
    call.value[6] = dtype<T>;
    return call;
}
}  // namespace asc

// 16 x 16 elements of 16 bits.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src) {
    const AscComposite call = asc::composite(asc::Composite::Transpose, "Transpose", dst, src);
    asc_composite(&call);
}
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const TransposeParamsExt& transposeParams) {
    AscComposite call = asc::composite(asc::Composite::Transpose, "Transpose", dst, src);
    call.tmp = sharedTmpBuffer.where();
    if (transposeParams.transposeType == TransposeType::TRANSPOSE_TYPE_NONE) return;
    call.value[0] = transposeParams.transposeType != TransposeType::TRANSPOSE_ND2ND_B16;
    call.value[1] = transposeParams.nSize;
    call.value[2] = transposeParams.cSize;
    call.value[3] = transposeParams.hSize;
    call.value[4] = transposeParams.wSize;
    call.value[5] = transposeParams.transposeType == TransposeType::TRANSPOSE_NHWC2NCHW;
    asc_composite(&call);
}

// Exchanges of axes; `Tiling` stands for ConfusionTransposeTiling, which our host side fills with the axes. Both names
// are documented.
#define ASC_TRANSPOSE_AXES(name, scratch, with_scratch)                                                         \
    template <typename T, typename Tiling>                                                                      \
    inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, scratch TransposeType transposeType, \
                     Tiling& tiling) {                                                                          \
        AscComposite call = asc::composite(asc::Composite::Transpose, #name, dst, src);                         \
        const uint32_t axes[] = {tiling.param0, tiling.param1, tiling.param2, tiling.param3};                   \
        call.value[0] = 2;                                                                                      \
        for (int32_t i = 0; i < 4; ++i) call.value[1 + i] = axes[i];                                            \
        call.value[5] = static_cast<uint64_t>(transposeType);                                                   \
        with_scratch;                                                                                           \
        asc_composite(&call);                                                                                   \
    }
#define ASC_SCRATCH const LocalTensor<uint8_t>&sharedTmpBuffer,
ASC_TRANSPOSE_AXES(Transpose, ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_TRANSPOSE_AXES(Transpose, , (void)0)
ASC_TRANSPOSE_AXES(ConfusionTranspose, ASC_SCRATCH, call.tmp = sharedTmpBuffer.where())
ASC_TRANSPOSE_AXES(ConfusionTranspose, , (void)0)
#undef ASC_SCRATCH
#undef ASC_TRANSPOSE_AXES

// Element j of source block i becomes element i of destination block j. The lists hold addresses (GetPhyAddr).
template <typename T>
inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams) {
    const AscComposite call = asc::blocks_call<T>("TransDataTo5HD", dstList, srcList, nchwconvParams);
    asc_composite(&call);
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                           const TransDataTo5HDParams& nchwconvParams) {
    const AscComposite call = asc::blocks_call<T>("TransDataTo5HD", dst.GetPhyAddr(), src.GetPhyAddr(), nchwconvParams);
    asc_composite(&call);
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams) {
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uintptr_t>(asc_local(dstList[i].where().position, dstList[i].where().address));
        src[i] = reinterpret_cast<uintptr_t>(asc_local(srcList[i].where().position, srcList[i].where().address));
    }
    const AscComposite call = asc::blocks_call<T>("TransDataTo5HD", dst, src, nchwconvParams);
    asc_composite(&call);
}
// Called by operators, though the documentation does not list it: the lists hold pointers.
template <typename T>
inline void TransDataTo5HDImpl(__ubuf__ T* dstList[NCHW_CONV_ADDR_LIST_SIZE],
                               __ubuf__ T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& nchwconvParams) {
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uintptr_t>(dstList[i]);
        src[i] = reinterpret_cast<uintptr_t>(srcList[i]);
    }
    const AscComposite call = asc::blocks_call<T>("TransDataTo5HDImpl", dst, src, nchwconvParams);
    asc_composite(&call);
}

// Rows of a matrix made longer or shorter on the right. `Tiling` stands for PadTiling and UnPadTiling.
struct PadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};
struct UnPadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
};

namespace asc {
// Rows that fill their blocks already lose as many elements on the right as are filled in.
template <typename T, typename Tiling>
ASC_INLINE AscComposite pad_call(const LocalTensor<T>& dst, const LocalTensor<T>& src, const PadParams& params,
                                 const Tiling& tiling) {
    AscComposite call = composite(Composite::Pad, "Pad", dst, src);
    const T value = static_cast<T>(params.padValue);
    const bool whole = tiling.srcWidth * sizeof(T) % ONE_BLK_SIZE == 0;
    call.value[0] = tiling.srcHeight;
    call.value[1] = tiling.srcWidth;
    call.value[2] = whole ? tiling.srcWidth : tiling.srcWidth + params.leftPad + params.rightPad;
    call.value[3] = params.leftPad;
    call.value[4] = bits(value);
    call.value[5] = whole ? tiling.srcOriWidth : tiling.srcWidth;
    return call;
}
template <typename T, typename Tiling>
ASC_INLINE AscComposite unpad_call(const LocalTensor<T>& dst, const LocalTensor<T>& src, const UnPadParams& params,
                                   const Tiling& tiling) {
    AscComposite call = composite(Composite::UnPad, "UnPad", dst, src);
    call.value[0] = tiling.srcHeight;
    call.value[1] = tiling.srcWidth;
    call.value[2] = tiling.srcWidth - params.rightPad;
    call.value[5] = tiling.srcWidth;
    return call;
}
}  // namespace asc

template <typename T, typename Tiling>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,
                const LocalTensor<uint8_t>& sharedTmpBuffer, Tiling& tiling) {
    AscComposite call = asc::pad_call(dstTensor, srcTensor, padParams, tiling);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, typename Tiling>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,
                Tiling& tiling) {
    const AscComposite call = asc::pad_call(dstTensor, srcTensor, padParams, tiling);
    asc_composite(&call);
}
template <typename T, typename Tiling>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
                  LocalTensor<uint8_t>& sharedTmpBuffer, Tiling& tiling) {
    AscComposite call = asc::unpad_call(dstTensor, srcTensor, unPadParams, tiling);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <typename T, typename Tiling>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
                  Tiling& tiling) {
    const AscComposite call = asc::unpad_call(dstTensor, srcTensor, unPadParams, tiling);
    asc_composite(&call);
}

}  // namespace AscendC
