// Shapes, strides and coordinates as tuples, and layouts made of them.
#pragma once
#include "std_tuple.h"

namespace AscendC {

template <typename... Ts>
using Coord = Std::tuple<Ts...>;

// Shape and Stride have no names here: operators define types of these names beside `using namespace AscendC`.
template <typename... Ts>
constexpr Std::tuple<Ts...> MakeShape(const Ts&... sizes) {
    return Std::tuple<Ts...>(sizes...);
}
template <typename... Ts>
constexpr Std::tuple<Ts...> MakeStride(const Ts&... strides) {
    return Std::tuple<Ts...>(strides...);
}
template <typename... Ts>
constexpr Std::tuple<Ts...> MakeCoord(const Ts&... positions) {
    return Std::tuple<Ts...>(positions...);
}
constexpr Std::tuple<> MakeShape() { return {}; }
constexpr Std::tuple<> MakeStride() { return {}; }

template <typename ShapeType, typename StrideType>
class Layout {
  public:
    constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {}) : shape_(shape), stride_(stride) {}
    constexpr const ShapeType& GetShape() const { return shape_; }
    constexpr const StrideType& GetStride() const { return stride_; }
    // Where a coordinate lies: the sum of its parts by their strides.
    template <typename CoordType>
    constexpr auto operator()(const CoordType& coord) const {
        return offset<0>(coord);
    }

  private:
    template <decltype(sizeof(0)) index, typename CoordType>
    constexpr auto offset(const CoordType& coord) const {
        const auto own = Std::get<index>(coord) * Std::get<index>(stride_);
        if constexpr (index + 1 < Std::tuple_size<CoordType>::value) {
            return own + offset<index + 1>(coord);
        } else {
            return own;
        }
    }

    ShapeType shape_;
    StrideType stride_;
};

template <typename ShapeType, typename StrideType>
constexpr Layout<ShapeType, StrideType> MakeLayout(const ShapeType& shape, const StrideType& stride) {
    return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};

}  // namespace AscendC
