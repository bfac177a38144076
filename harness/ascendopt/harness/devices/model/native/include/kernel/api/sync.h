// Flags, barriers and cache maintenance of one core.
#pragma once
#include "tensor.h"

namespace AscendC {

template <HardEvent event>
inline void SetFlag(int32_t id) {
    asc_flag_set(static_cast<uint8_t>(event) >> 4, static_cast<uint8_t>(event) & 15, id);
}
template <HardEvent event>
inline void WaitFlag(int32_t id) {
    asc_flag_wait(static_cast<uint8_t>(event) >> 4, static_cast<uint8_t>(event) & 15, id);
}
template <pipe_t source, pipe_t destination>
class TQueSync {
  public:
    void SetFlag(TEventID id) { asc_flag_set(static_cast<uint8_t>(source), static_cast<uint8_t>(destination), id); }
    void WaitFlag(TEventID id) { asc_flag_wait(static_cast<uint8_t>(source), static_cast<uint8_t>(destination), id); }
};
template <pipe_t pipe>
inline void PipeBarrier() {
    asc_barrier(static_cast<uint8_t>(pipe));
}

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class MemDsbT : uint64_t { ALL, DDR, UB, SEQ };
// Values always reach memory here; what the scalar unit's cache would hold back is for the checks.
template <typename T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor) {
    asc_cache_clean(reinterpret_cast<uintptr_t>(tensor.GetPhyAddr()), line == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine line, DcciDst destination>
inline void DataCacheCleanAndInvalid(const LocalTensor<T>&) {}
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>&, const T) {}
template <MemDsbT kind>
inline void DataSyncBarrier() {
    asc_barrier(static_cast<uint8_t>(PIPE_S));
}

// Scalar accesses to global memory that leave the cache out.
template <typename T>
inline T ReadGmByPassDCache(__gm__ T* address) {
    return *static_cast<const T*>(asc_gm_access(reinterpret_cast<uintptr_t>(address), sizeof(T), 0));
}
template <typename T>
inline void WriteGmByPassDCache(__gm__ T* address, T value) {
    *static_cast<T*>(asc_gm_access(reinterpret_cast<uintptr_t>(address), sizeof(T), 1)) = value;
}

// Between the parts of a SuperKernel; a kernel by itself has nothing to wait for.
template <bool FORCE = false>
inline void WaitPreTaskEnd() {}
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart() {}

}  // namespace AscendC

inline void set_flag(pipe_t source, pipe_t destination, int32_t id) {
    asc_flag_set(static_cast<uint8_t>(source), static_cast<uint8_t>(destination), id);
}
inline void wait_flag(pipe_t source, pipe_t destination, int32_t id) {
    asc_flag_wait(static_cast<uint8_t>(source), static_cast<uint8_t>(destination), id);
}
inline void pipe_barrier(pipe_t pipe) { asc_barrier(static_cast<uint8_t>(pipe)); }
template <typename T>
inline void dcci(T* address, uint64_t whole = 0, uint64_t = 0) {
    asc_cache_clean(reinterpret_cast<uintptr_t>(address), whole != 0);
}
