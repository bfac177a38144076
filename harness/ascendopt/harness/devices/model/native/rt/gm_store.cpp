// Bytes that leave the chip's memories for GM, combined with what is there when atomics are on.
#include "gm_store.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "half.h"
#include "state.h"

namespace ascendopt::rt {

namespace {

template <typename T>
void combine(uint8_t mode, uint8_t* to, const uint8_t* from, uint64_t bytes) {
    for (uint64_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T a, b;
        std::memcpy(&a, to + i, sizeof(T));
        std::memcpy(&b, from + i, sizeof(T));
        // Integers wrap.
        if constexpr (std::is_integral_v<T>) {
            using U = std::make_unsigned_t<T>;
            a = mode == 1   ? static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)))
                : mode == 2 ? std::max(a, b)
                            : std::min(a, b);
        } else {
            a = mode == 1 ? a + b : mode == 2 ? std::max(a, b) : std::min(a, b);
        }
        std::memcpy(to + i, &a, sizeof(T));
    }
}

template <typename Up, typename Down>
void combine16(uint8_t mode, uint8_t* to, const uint8_t* from, uint64_t bytes, Up up, Down down) {
    for (uint64_t i = 0; i + 2 <= bytes; i += 2) {
        uint16_t a, b;
        std::memcpy(&a, to + i, 2);
        std::memcpy(&b, from + i, 2);
        const float x = up(a), y = up(b);
        a = down(mode == 1 ? x + y : mode == 2 ? std::max(x, y) : std::min(x, y));
        std::memcpy(to + i, &a, 2);
    }
}

}  // namespace

void gm_store(uint8_t dtype, uint8_t* to, const uint8_t* from, uint64_t bytes, const char* api) {
    const Core& here = core();
    if (here.atomic == 0) {
        std::memcpy(to, from, bytes);
        return;
    }
    const uint8_t type = here.atomic_dtype == 255 ? dtype : here.atomic_dtype;
    switch (static_cast<Dtype>(type)) {
        case Dtype::F32:
            return combine<float>(here.atomic, to, from, bytes);
        case Dtype::I32:
            return combine<int32_t>(here.atomic, to, from, bytes);
        case Dtype::I16:
            return combine<int16_t>(here.atomic, to, from, bytes);
        case Dtype::I8:
            return combine<int8_t>(here.atomic, to, from, bytes);
        case Dtype::F16:
            return combine16(here.atomic, to, from, bytes, f16_to_f32, [](float v) { return f32_to_f16(v); });
        case Dtype::BF16:
            return combine16(here.atomic, to, from, bytes, bf16_to_f32, [](float v) { return f32_to_bf16(v); });
        default:
            fatal("atomic_type", api, "atomic writes of this element type are not supported");
    }
}

}  // namespace ascendopt::rt
