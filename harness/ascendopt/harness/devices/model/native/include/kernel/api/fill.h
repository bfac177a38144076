// Filling global memory with a value, through the part of UB that no buffer uses.
#pragma once
#include "copy.h"
#include "pipe.h"
#include "vector_call.h"

namespace AscendC {

namespace asc {

// The value in the scratch, and stores wait for it. Returns how many elements one store takes.
template <typename T>
ASC_INLINE uint32_t fill_scratch(AscLocal& scratch, uint64_t elements, T value, const char* api) {
    constexpr uint32_t kMost = MAX_REPEAT_TIMES * ONE_BLK_SIZE;  // bytes of one burst
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "the fill has 2-, 4- and 8-byte elements");
    asc_stack_buffer(&scratch);
    uint32_t bytes = scratch.bytes < kMost ? scratch.bytes / ONE_BLK_SIZE * ONE_BLK_SIZE : kMost;
    if (elements * sizeof(T) < bytes) bytes = AlignUp(static_cast<uint32_t>(elements * sizeof(T)), ONE_BLK_SIZE);
    scratch.bytes = bytes;
    scratch.dtype = dtype<T>;
    if (bytes == 0) return 0;
    if constexpr (sizeof(T) == 8) {
        for (uint32_t at = 0; at < bytes; at += sizeof(T)) {
            *static_cast<T*>(asc_local_access(&scratch, at, sizeof(T), 1)) = value;
        }
        asc_flag_set(0, 5, 0);
        asc_flag_wait(0, 5, 0);
    } else {
        // The function is declared with its pipes, V in and MTE3 out, so that the scratch of an earlier call is free.
        const int32_t free = asc_event_fetch(5, 1);
        asc_flag_set(5, 1, free);
        asc_flag_wait(5, 1, free);
        AscVector call = vector_call(Op::Duplicate, api, scratch);
        scalar(call, value);
        call.form = kAscCount;
        call.count = bytes / sizeof(T);
        asc_vector(&call);
        const int32_t event = asc_event_fetch(1, 5);
        asc_flag_set(1, 5, event);
        asc_flag_wait(1, 5, event);
    }
    return bytes / sizeof(T);
}

template <typename T>
ASC_INLINE void fill_global(const GlobalTensor<T>& global, uint64_t elements, T value, const char* api) {
    AscLocal scratch{};
    const uint32_t each = fill_scratch(scratch, elements, value, api);
    for (uint64_t at = 0; each != 0 && at < elements; at += each) {
        AscDma call = dma(kAscLocalToGm, scratch, global[at]);
        const uint64_t rest = elements - at;
        call.pad = 1;
        call.row_bytes = static_cast<uint32_t>((rest < each ? rest : each) * sizeof(T));
        call.api = api;
        asc_dma(&call);
    }
}

}  // namespace asc

template <typename T>
inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0) {
    asc::fill_global(gmWorkspaceAddr, size, value, "InitOutput");
}
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value) {
    asc::fill_global(gmWorkspaceAddr, size, value, "InitGlobalMemory");
}
template <typename T>
inline void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value) {
    asc::fill_global(gmWorkspaceAddr, size, value, "Fill");
}

}  // namespace AscendC
