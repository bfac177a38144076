// Tilings that a kernel works out itself. The softmax family of the model reads rows and their length only.
#pragma once
#include "../kernel_tiling/kernel_tiling.h"

namespace AscendC {

inline SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(const uint32_t srcM, const uint32_t srcK, const uint32_t,
                                                  const uint32_t, const uint32_t, const bool = false,
                                                  const bool = false) {
    SoftMaxTiling out{};
    out.srcM = srcM;
    out.srcK = srcK;
    out.srcSize = srcM * srcK;
    return out;
}

}  // namespace AscendC
