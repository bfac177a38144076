// Arithmetic on shapes and sizes that the host library's tilings share.
#pragma once
#include <algorithm>
#include <cstdint>

#include "asc_host/graph.h"

namespace AscendC {

constexpr uint32_t kRepeat = 256;  // bytes: what one vector instruction works on
constexpr uint32_t kBlock = 32;    // bytes
constexpr uint32_t kFloat = sizeof(float);

inline uint32_t Up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }
inline uint32_t Dim(const ge::Shape& shape, size_t index) { return static_cast<uint32_t>(shape.GetDim(index)); }
inline uint32_t Elements(const ge::Shape& shape) {
    return static_cast<uint32_t>(std::max<int64_t>(shape.GetShapeSize(), 0));
}

}  // namespace AscendC
