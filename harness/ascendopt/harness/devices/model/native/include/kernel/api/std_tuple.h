// AscendC::Std: tuples, and the casts of the C++ library. <tuple> would bring names that operators define themselves.
#pragma once
#include "std_types.h"

namespace AscendC::Std {

template <typename T>
constexpr T&& forward(std::remove_reference_t<T>& value) {
    return static_cast<T&&>(value);
}
template <typename T>
constexpr T&& forward(std::remove_reference_t<T>&& value) {
    return static_cast<T&&>(value);
}
template <typename T>
constexpr std::remove_reference_t<T>&& move(T&& value) {
    return static_cast<std::remove_reference_t<T>&&>(value);
}

template <typename... Ts>
class tuple {};
template <typename First, typename... Rest>
class tuple<First, Rest...> {
  public:
    constexpr tuple() = default;
    template <typename Head, typename... Tail, typename = std::enable_if_t<sizeof...(Tail) == sizeof...(Rest)>,
              typename = std::enable_if_t<std::is_constructible_v<First, Head>>>
    constexpr tuple(Head&& head, Tail&&... tail) : asc_first(forward<Head>(head)), asc_rest(forward<Tail>(tail)...) {}

    First asc_first{};
    tuple<Rest...> asc_rest;
};

template <typename T>
struct tuple_size;
template <typename... Ts>
struct tuple_size<tuple<Ts...>> : std::integral_constant<decltype(sizeof(0)), sizeof...(Ts)> {};
template <decltype(sizeof(0)) index, typename T>
struct tuple_element;
template <decltype(sizeof(0)) index, typename First, typename... Rest>
struct tuple_element<index, tuple<First, Rest...>> : tuple_element<index - 1, tuple<Rest...>> {};
template <typename First, typename... Rest>
struct tuple_element<0, tuple<First, Rest...>> {
    using type = First;
};
template <decltype(sizeof(0)) index, typename T>
using tuple_element_t = typename tuple_element<index, T>::type;

template <decltype(sizeof(0)) index, typename... Ts>
constexpr tuple_element_t<index, tuple<Ts...>>& get(tuple<Ts...>& of) {
    if constexpr (index == 0) {
        return of.asc_first;
    } else {
        return get<index - 1>(of.asc_rest);
    }
}
template <decltype(sizeof(0)) index, typename... Ts>
constexpr const tuple_element_t<index, tuple<Ts...>>& get(const tuple<Ts...>& of) {
    if constexpr (index == 0) {
        return of.asc_first;
    } else {
        return get<index - 1>(of.asc_rest);
    }
}
template <decltype(sizeof(0)) index, typename... Ts>
constexpr tuple_element_t<index, tuple<Ts...>>&& get(tuple<Ts...>&& of) {
    return move(get<index>(of));
}
template <typename... Ts>
constexpr tuple<std::decay_t<Ts>...> make_tuple(Ts&&... values) {
    return tuple<std::decay_t<Ts>...>(forward<Ts>(values)...);
}

}  // namespace AscendC::Std
