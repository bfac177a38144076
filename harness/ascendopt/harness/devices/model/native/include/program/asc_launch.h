// What `kernel<<<blocks, ub, stream>>>(arguments)` is rewritten to. Included before the program's own text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../abi/launch.h"

namespace asc_program {

struct Kernel {
    const char* name;
    uint8_t kind = kAscKernelPlain;
    uint8_t cubes = 0;
    uint8_t vectors = 0;
};

inline uint64_t ub_bytes(std::nullptr_t) { return 0; }
inline uint64_t ub_bytes(uint64_t bytes) { return bytes; }

template <typename T>
const void* pointer_of(const T& argument) {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<const void*>(argument);
    } else {
        return nullptr;
    }
}

// A launch with its parameters; `run` takes the call of the kernel as a function of the arguments.
class Launch {
  public:
    template <typename Ub = uint64_t, typename Stream = std::nullptr_t>
    Launch(Kernel kernel, uint32_t blocks, Ub ub = 0, Stream = nullptr)
        : kernel_(kernel), blocks_(blocks), ub_(ub_bytes(ub)) {}

    template <typename Call>
    auto with(Call call) const {
        // Arguments are copied when the launch is made, as the device does. Every core gets its own copy.
        return [launch = *this, call](auto... arguments) {
            std::tuple<decltype(arguments)...> kept(arguments...);
            auto once = [&] {
                std::apply([&](const auto&... each) { call(std::decay_t<decltype(each)>(each)...); }, kept);
            };
            const void* pointers[] = {pointer_of(arguments)..., nullptr};
            AscKernelLaunch out{};
            out.kernel = launch.kernel_.name;
            out.call = [](void* context) { (*static_cast<decltype(once)*>(context))(); };
            out.context = &once;
            out.blocks = launch.blocks_;
            out.kind = launch.kernel_.kind;
            out.cubes = launch.kernel_.cubes;
            out.vectors = launch.kernel_.vectors;
            out.dynamic_ub = launch.ub_;
            out.pointers = pointers;
            out.arguments = sizeof...(arguments);
            asc_launch(&out);
        };
    }

  private:
    Kernel kernel_;
    uint32_t blocks_;
    uint64_t ub_;
};

}  // namespace asc_program
