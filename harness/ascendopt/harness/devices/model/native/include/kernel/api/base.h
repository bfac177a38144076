// Words, number types and enumerations of the kernel language. Names follow the public API documentation; everything
// behind them is ours. Only <cstdint> and <type_traits> may be included here: operators name their entries like C
// functions (sqrt, exp), so no header may declare those.
#pragma once
#include <cstdint>
#include <type_traits>

#include "../../../abi/ops.h"
#include "../../../abi/rt.h"

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __sync_alias__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __simd_vf__
#define __aiv__
#define __aic__
#define __mix__(...)
#define __vector__
#define __cube__
#define __schedmode__(...)
#define __kfc_workspace__
#define __BLOCK_LOCAL__
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#if !defined(ASCENDC_CPU_DEBUG) && !defined(ASC_PROGRAM)
#define ASCENDC_CPU_DEBUG
#endif
#define GM_ADDR uint8_t*
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

// Data types must be visible to #if, so they are macros; not beside host code, whose names they are.
#ifndef ASC_PROGRAM
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_COMPLEX64 16
#define DT_COMPLEX128 17
#define DT_BF16 27
#define DT_INT4 29
#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_DHWCN 31
#define FORMAT_NDC1HWC0 32
#define FORMAT_FRACTAL_Z_3D 33
#endif

using half = _Float16;
using float16_t = half;
using float32_t = float;
using size_t = decltype(sizeof(0));

// Truncated binary32 with 8 bits of significand; conversions round to nearest even.
struct bfloat16_t {
    uint16_t bits = 0;
    constexpr bfloat16_t() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>
    constexpr bfloat16_t(T value) : bits(round(static_cast<float>(value))) {}
    constexpr operator float() const { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }

  private:
    static constexpr uint16_t round(float value) {
        const uint32_t raw = __builtin_bit_cast(uint32_t, value);
        if ((raw & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((raw >> 16) | 0x40u);
        return static_cast<uint16_t>((raw + 0x7FFFu + ((raw >> 16) & 1u)) >> 16);
    }
};

// Two elements a byte; a tensor of int4b_t counts elements, not bytes.
struct int4b_t {
    uint8_t storage = 0;
    constexpr int4b_t() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>
    constexpr int4b_t(T value) : storage(static_cast<uint8_t>(static_cast<int>(value) & 15)) {}
};

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_MTE4, PIPE_MTE5, PIPE_ALL = 255 };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

// What KERNEL_TASK_TYPE takes, by these names without a namespace.
enum KernelMetaType : uint8_t {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE
};

namespace AscendC {

using ::bfloat16_t;
using ::half;
using ::int4b_t;

using TEventID = int8_t;

enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX
};
using QuePosition = TPosition;

// A pair of pipes: 16 * source + destination.
enum class HardEvent : uint8_t {
    S_V = 0x01,
    S_MTE1 = 0x03,
    S_MTE2 = 0x04,
    S_MTE3 = 0x05,
    S_FIX = 0x06,
    V_S = 0x10,
    V_M = 0x12,
    V_MTE1 = 0x13,
    V_MTE2 = 0x14,
    V_MTE3 = 0x15,
    V_FIX = 0x16,
    V_V = 0x11,
    M_S = 0x20,
    M_V = 0x21,
    M_MTE1 = 0x23,
    M_MTE2 = 0x24,
    M_MTE3 = 0x25,
    M_FIX = 0x26,
    MTE1_S = 0x30,
    MTE1_V = 0x31,
    MTE1_M = 0x32,
    MTE1_MTE2 = 0x34,
    MTE1_MTE3 = 0x35,
    MTE1_FIX = 0x36,
    MTE2_S = 0x40,
    MTE2_V = 0x41,
    MTE2_M = 0x42,
    MTE2_MTE1 = 0x43,
    MTE2_MTE3 = 0x45,
    MTE2_FIX = 0x46,
    MTE3_S = 0x50,
    MTE3_V = 0x51,
    MTE3_M = 0x52,
    MTE3_MTE1 = 0x53,
    MTE3_MTE2 = 0x54,
    MTE3_FIX = 0x56,
    FIX_S = 0x60,
    FIX_V = 0x61,
    FIX_M = 0x62,
    FIX_MTE1 = 0x63,
    FIX_MTE2 = 0x64,
    FIX_MTE3 = 0x65,
    MAX = 0xFF
};

enum class CacheMode : uint8_t { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };

constexpr int AIC = 1;
constexpr int AIV = 2;
constexpr int MIX = 3;
constexpr int AIC_TYPE = AIC;
constexpr int AIV_TYPE = AIV;

using TrueType = std::true_type;
using FalseType = std::false_type;
template <typename T, typename U>
struct IsSameType : std::is_same<T, U> {};

}  // namespace AscendC

#include "constants.h"

namespace AscendC {

// Names in here are ours; operators never see them.
namespace asc {

// For helpers between a public function and the runtime. A public function is an ordinary function and calls the
// runtime itself or through ASC_INLINE helpers only: the runtime takes the second return address for the user's line.
#define ASC_INLINE inline __attribute__((always_inline))

template <typename T>
struct DtypeOf {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::None;
};
template <>
struct DtypeOf<half> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::F16;
};
template <>
struct DtypeOf<float> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::F32;
};
template <>
struct DtypeOf<double> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::F64;
};
template <>
struct DtypeOf<bfloat16_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::BF16;
};
template <>
struct DtypeOf<int4b_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::I4;
};
template <>
struct DtypeOf<bool> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::B8;
};
template <>
struct DtypeOf<int8_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::I8;
};
template <>
struct DtypeOf<uint8_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::U8;
};
template <>
struct DtypeOf<int16_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::I16;
};
template <>
struct DtypeOf<uint16_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::U16;
};
template <>
struct DtypeOf<int32_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::I32;
};
template <>
struct DtypeOf<uint32_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::U32;
};
template <>
struct DtypeOf<int64_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::I64;
};
template <>
struct DtypeOf<uint64_t> {
    static constexpr ascendopt::Dtype value = ascendopt::Dtype::U64;
};

// As the ABI wants it.
template <typename T>
constexpr uint8_t dtype = static_cast<uint8_t>(DtypeOf<T>::value);

// The bit pattern of a scalar, low bytes first.
template <typename T>
ASC_INLINE uint64_t bits(const T& value) {
    uint64_t pattern = 0;
    __builtin_memcpy(&pattern, &value, sizeof(T));
    return pattern;
}

}  // namespace asc
}  // namespace AscendC

// Names that the compiler of the device knows without a header. They are objects, so that an operator may use the names
// for its own variables.
namespace AscendC::asc {
struct CoreType {
    operator int() const { return asc_core_type(); }
};
struct BlockIndex {
    operator int64_t() const { return asc_block_raw(); }
};
struct BlockCount {
    operator int64_t() const { return asc_block_num(); }
};
}  // namespace AscendC::asc
constexpr AscendC::asc::CoreType g_coreType;
constexpr AscendC::asc::BlockIndex block_idx;
constexpr AscendC::asc::BlockCount block_num;
