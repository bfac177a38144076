// Block conversions between the 16-bit float types and binary32.
#include "half.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ascendopt::rt {
namespace {

void f16_to_f32_plain(const uint16_t* source, float* target, size_t count) {
    for (size_t i = 0; i < count; ++i) target[i] = f16_to_f32(source[i]);
}

void f32_to_f16_plain(const float* source, uint16_t* target, size_t count) {
    for (size_t i = 0; i < count; ++i) target[i] = f32_to_f16(source[i]);
}

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) void f16_to_f32_f16c(const uint16_t* source, float* target, size_t count) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(target + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i))));
    }
    for (; i < count; ++i) target[i] = f16_to_f32(source[i]);
}

__attribute__((target("avx,f16c"))) void f32_to_f16_f16c(const float* source, uint16_t* target, size_t count) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(source + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(target + i), halves);
    }
    for (; i < count; ++i) target[i] = f32_to_f16(source[i]);
}

bool has_f16c() {
    static const bool found = __builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx");
    return found;
}
#endif

}  // namespace

void f16_to_f32_block(const uint16_t* source, float* target, size_t count) {
#if defined(__x86_64__)
    if (has_f16c()) return f16_to_f32_f16c(source, target, count);
#endif
    f16_to_f32_plain(source, target, count);
}

void f32_to_f16_block(const float* source, uint16_t* target, size_t count) {
#if defined(__x86_64__)
    if (has_f16c()) return f32_to_f16_f16c(source, target, count);
#endif
    f32_to_f16_plain(source, target, count);
}

void bf16_to_f32_block(const uint16_t* source, float* target, size_t count) {
    for (size_t i = 0; i < count; ++i) target[i] = bf16_to_f32(source[i]);
}

void f32_to_bf16_block(const float* source, uint16_t* target, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const uint32_t bits = float_bits(source[i]);
        const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
        const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
        target[i] = static_cast<uint16_t>(nan ? ((bits >> 16) | 0x40u) : rounded);
    }
}

}  // namespace ascendopt::rt
