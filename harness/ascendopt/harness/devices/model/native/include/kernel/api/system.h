// Block indices, workspace, tiling data, and the macros around a kernel entry.
#pragma once
#include "shape.h"
#include "tensor.h"

// Programs name it with and without the namespace.
inline GM_ADDR GetSysWorkSpacePtr() { return asc_workspace_system(); }

namespace AscendC {

inline int64_t GetBlockIdx() { return asc_block_idx(); }
inline int64_t GetBlockNum() { return asc_block_num(); }
inline int64_t GetSubBlockIdx() { return asc_sub_block(0); }
inline int64_t GetSubBlockNum() { return asc_sub_block(1); }
inline int64_t GetTaskRation() { return asc_sub_block(2); }
inline int64_t GetTaskRatio() { return asc_sub_block(2); }
inline int64_t GetSystemCycle() { return asc_cycle(); }
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return asc_workspace_user(workspace); }
using ::GetSysWorkSpacePtr;
inline void SetSysWorkspace(GM_ADDR) {}
inline void Trap() { asc_trap(); }
inline void OOMCheckAddrRange(GM_ADDR, uint64_t) {}

// The scalar unit's square root. A template, so that an operator's own <cmath> is preferred, and no function of the
// global namespace: there are kernels called sqrt.
template <typename T, typename = std::enable_if_t<std::is_floating_point<T>::value>>
inline T sqrt(T value) {
    return sizeof(T) == sizeof(float) ? static_cast<T>(__builtin_sqrtf(value)) : static_cast<T>(__builtin_sqrt(value));
}

#ifdef ASC_PROGRAM
namespace asc {
template <typename T>
auto printable(T value) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) {
        return static_cast<double>(value);
    } else {
        return value;
    }
}
}  // namespace asc
// A program's kernels write to the program's own output, core after core.
template <typename... Values>
inline void printf(const char* format, Values... values) {
    std::printf(format, asc::printable(values)...);
}
#else
template <typename... Values>
inline void printf(const char*, Values&&...) {}
#endif
inline void InitDump(bool, GM_ADDR, uint32_t) {}
inline void InitDump(bool, uint32_t) {}
// What a chip prints to the host's log for debugging changes nothing here.
template <typename Tensor>
inline void DumpTensor(const Tensor&, uint32_t, uint32_t) {}
template <typename Tensor>
inline void DumpTensor(const Tensor&, uint32_t, uint32_t, const ShapeInfo&) {}

}  // namespace AscendC

template <typename T>
inline void asc_dump(const T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_gm(const T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_ubuf(const T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_l1buf(const T*, uint32_t, uint32_t) {}
template <typename T>
inline void asc_dump_cbuf(const T*, uint32_t, uint32_t) {}

// A tiling struct from its bytes, when the kernel is compiled.
template <typename T>
constexpr T convert_from_bytes(const uint8_t* bytes) {
    struct Copy {
        uint8_t byte[sizeof(T)];
    } copy{};
    for (decltype(sizeof(0)) i = 0; i < sizeof(T); ++i) copy.byte[i] = bytes[i];
    return __builtin_bit_cast(T, copy);
}

inline int64_t get_block_idx() { return asc_block_raw(); }
inline int64_t get_block_num() { return asc_block_num(); }
inline int64_t get_subblockid() { return asc_sub_block(0); }
inline int64_t get_subblockdim() { return asc_sub_block(1); }

#ifdef ASC_PROGRAM
#define PRINTF(...) AscendC::printf(__VA_ARGS__)
#else
#define PRINTF(...) ((void)0)
#endif
#define PRELOAD(...) ((void)0)
// ASSERT is nothing on a chip, not even an expression: operators rely on it.
#define ASSERT(...)
#define ASCENDC_ASSERT(condition, ...) ((condition) ? (void)0 : asc_assert(#condition))
#define ASSERT_MSG(condition, ...) ((condition) ? (void)0 : asc_assert(#condition))
#define ascendc_assert(condition, ...) ((condition) ? (void)0 : asc_assert(#condition))
#ifndef ASC_PROGRAM
#define assert(condition, ...) ((condition) ? (void)0 : asc_assert(#condition))
#endif

#define ASCEND_IS_AIV (g_coreType == AscendC::AIV)
#define ASCEND_IS_AIC (g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIV (g_coreType != AscendC::AIV)
#define ASCEND_IS_NOT_AIC (g_coreType != AscendC::AIC)

// The struct header that is generated for each operator defines ASC_TILING_STRUCT.
#define GET_TILING_DATA(name, from) GET_TILING_DATA_WITH_STRUCT(ASC_TILING_STRUCT, name, from)
#define GET_TILING_DATA_WITH_STRUCT(type, name, from) \
    type name;                                        \
    asc_tiling(&name, reinterpret_cast<uintptr_t>(from), sizeof(name))
#define GET_TILING_DATA_MEMBER(type, member, name, from) \
    decltype(type::member) name;                         \
    asc_tiling(&name, reinterpret_cast<uintptr_t>(from) + __builtin_offsetof(type, member), sizeof(name))
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, from) const type* name = reinterpret_cast<const type*>(from)
#define REGISTER_TILING_DEFAULT(...)
#define REGISTER_TILING_FOR_TILINGKEY(...)
#define REGISTER_NONE_TILING
#define TILING_KEY_IS(key) (asc_tiling_key() == static_cast<uint64_t>(key))
#define TILING_KEY_VAR (asc_tiling_key())
// The type may be named without its namespace.
#define ASC_TASK_TYPE(type)                \
    [] {                                   \
        using namespace AscendC;           \
        return static_cast<uint8_t>(type); \
    }()
#define KERNEL_TASK_TYPE_DEFAULT(type) asc_task_type(ASC_TASK_TYPE(type), 0, 0)
#define KERNEL_TASK_TYPE(key, type) asc_task_type(ASC_TASK_TYPE(type), static_cast<uint64_t>(key), 1)
#define ENABLE_FEATURE_FOR_COMPILE(...)
