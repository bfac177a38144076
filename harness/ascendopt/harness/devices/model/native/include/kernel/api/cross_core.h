// Synchronisation between cores.
#pragma once
#include "tensor.h"

namespace AscendC {

// Flags that the library's own SyncAll uses; some operators use them by name.
constexpr uint16_t SYNC_AIC_FLAG = 11;
constexpr uint16_t SYNC_AIV_FLAG = 12;
constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;
constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;

template <bool isAIVOnly = true>
inline void SyncAll() {
    asc_sync_all(isAIVOnly);
}
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                    const int32_t usedCores = 0) {
    const AscCoreSignal call{reinterpret_cast<uintptr_t>(gmWorkspace.GetPhyAddr()), ubWorkspace.where(), usedCores, 0};
    asc_sync_some(&call);
}

template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId) {
    static_assert(modeId <= 2, "CrossCoreSetFlag: this chip has modes 0, 1 and 2");
    asc_cross_set(modeId, static_cast<uint8_t>(pipe), flagId & 15);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId) {
    asc_cross_wait(flagId & 15);
}
// Inside one AI Core, between the cube core and its vector cores.
template <pipe_t pipe = PIPE_MTE3>
inline void NotifyEvent(uint16_t flagId) {
    asc_cross_set(2, static_cast<uint8_t>(pipe), flagId & 15);
}
template <pipe_t pipe = PIPE_S>
inline void WaitEvent(uint16_t flagId) {
    asc_cross_wait(flagId & 15);
}

template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                  int32_t eventID) {
    const AscCoreSignal call{reinterpret_cast<uintptr_t>(gmWorkspace.GetPhyAddr()), ubWorkspace.where(), blockIdx,
                             eventID};
    asc_signal_set(&call);
}
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                   int32_t eventID) {
    const AscCoreSignal call{reinterpret_cast<uintptr_t>(gmWorkspace.GetPhyAddr()), ubWorkspace.where(), blockIdx,
                             eventID};
    asc_signal_wait(&call);
}

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

// Vector cores of one group wait for those of another. The operator clears the workspace, 512 B for each that waits.
template <PipeMode mode>
class GroupBarrier {
  public:
    GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
        : group_{reinterpret_cast<uintptr_t>(groupWorkspace), arriveSizeIn, waitSizeIn} {}
    void Arrive(uint32_t arriveIndex) { asc_group_arrive(&group_, arriveIndex); }
    void Wait(uint32_t waitIndex) { asc_group_wait(&group_, waitIndex); }
    uint64_t GetWorkspaceLen() { return uint64_t{512} * group_.waiting; }

  private:
    static_assert(mode == PipeMode::MTE3_MODE, "GroupBarrier takes PipeMode::MTE3_MODE alone");
    AscGroup group_;
};

// Vector cores one after another, in the order of their indices.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
    const AscCoreSignal call{reinterpret_cast<uintptr_t>(gmWorkspace.GetPhyAddr()), ubWorkspace.where(), 0, 0};
    asc_turn(kAscTurnInit, &call);
}
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
    const AscCoreSignal call{reinterpret_cast<uintptr_t>(gmWorkspace.GetPhyAddr()), ubWorkspace.where(), 0, 0};
    asc_turn(kAscTurnWait, &call);
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
    const AscCoreSignal call{reinterpret_cast<uintptr_t>(gmWorkspace.GetPhyAddr()), ubWorkspace.where(), 0, 0};
    asc_turn(kAscTurnPass, &call);
}

}  // namespace AscendC

// `message` packs 1 | mode << 4 | flag << 8.
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t message) {
    asc_cross_set(message >> 4 & 3, static_cast<uint8_t>(pipe), message >> 8 & 15);
}
inline void wait_flag_dev(uint16_t flag) { asc_cross_wait(flag & 15); }
