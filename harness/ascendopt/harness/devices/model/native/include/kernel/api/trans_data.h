// TransData: tensors of five dimensions between plain order and the cube unit's formats.
#pragma once
#include "layout.h"
#include "shape.h"
#include "transpose.h"

namespace AscendC {

struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};
template <typename T, typename U>
struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

namespace asc {

template <const TransDataConfig& config, typename T, typename U, typename S>
ASC_INLINE AscComposite trans_data_call(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                        const TransDataParams<U, S>& params) {
    static_assert(sizeof(T) == 2, "TransData moves elements of 16 bits");
    constexpr DataFormat plain = DataFormat::NCDHW, blocks = DataFormat::NDC1HWC0, fractals = DataFormat::FRACTAL_Z_3D;
    constexpr bool forward = config.srcFormat == plain;
    constexpr DataFormat other = forward ? config.dstFormat : config.srcFormat;
    static_assert((forward || config.dstFormat == plain) && (other == blocks || other == fractals),
                  "TransData goes between NCDHW and NDC1HWC0 or FRACTAL_Z_3D");
    AscComposite call = composite(Composite::TransData, "TransData", dst, src);
    const auto take = [&](const auto& shape) {
        call.value[0] = static_cast<uint64_t>(Std::get<0>(shape));
        call.value[1] = static_cast<uint64_t>(Std::get<1>(shape));
        call.value[2] = static_cast<uint64_t>(Std::get<2>(shape));
        call.value[3] = static_cast<uint64_t>(Std::get<3>(shape));
        call.value[4] = static_cast<uint64_t>(Std::get<4>(shape));
    };
    if constexpr (forward) {
        take(params.srcLayout.GetShape());
    } else {
        take(params.dstLayout.GetShape());
    }
    call.value[5] = forward;
    call.value[6] = other == fractals;
    return call;
}

}  // namespace asc

template <const TransDataConfig& config, typename T, typename U, typename S>
inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const TransDataParams<U, S>& params) {
    AscComposite call = asc::trans_data_call<config>(dstTensor, srcTensor, params);
    call.tmp = sharedTmpBuffer.where();
    asc_composite(&call);
}
template <const TransDataConfig& config, typename T, typename U, typename S>
inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                      const TransDataParams<U, S>& params) {
    const AscComposite call = asc::trans_data_call<config>(dstTensor, srcTensor, params);
    asc_composite(&call);
}

}  // namespace AscendC
