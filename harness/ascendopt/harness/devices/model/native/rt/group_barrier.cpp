// GroupBarrier: vector cores that wait until all of a group have arrived, again and again.
#include "state.h"

using namespace ascendopt::rt;
using ascendopt::TraceKind;

namespace {

// Documented: 512 bytes of global memory for each core that waits, and the last 1600 of UB.
constexpr uint64_t kWaiterBytes = 512;
constexpr uint32_t kReservedUb = 1600;

const Allocation& enter(const AscGroup& group, uint32_t index, uint32_t size, const char* api) {
    if (index >= size) fatal("sync_workspace", api, "%s of number %u in a group of %u", api, index, size);
    if (group.gm % kWaiterBytes != 0) {
        violation("sync_workspace", 0, api, "the workspace of a GroupBarrier starts at a multiple of 512 bytes");
    }
    use_reserved(api, kReservedUb);
    const Allocation& place = gm_span(group.gm, kWaiterBytes * group.waiting, true, api);
    barrier_all(TraceKind::BarrierAll);
    return place;
}

// One address for each pair of cores.
uint64_t cell(const AscGroup& group, uint32_t waiter, uint32_t arrived) {
    return group.gm + waiter * kWaiterBytes + arrived;
}

}  // namespace

extern "C" {

void asc_group_arrive(const AscGroup* group, uint32_t index) {
    ASC_ENTER("GroupBarrier::Arrive");
    const Allocation& place = enter(*group, index, group->arriving, "GroupBarrier::Arrive");
    for (uint32_t waiter = 0; waiter < group->waiting; ++waiter) {
        const uint64_t at = cell(*group, waiter, index);
        send_signal(at, place.device + (at - place.host));
    }
}

void asc_group_wait(const AscGroup* group, uint32_t index) {
    ASC_ENTER("GroupBarrier::Wait");
    const Allocation& place = enter(*group, index, group->waiting, "GroupBarrier::Wait");
    for (uint32_t arrived = 0; arrived < group->arriving; ++arrived) {
        const uint64_t at = cell(*group, index, arrived);
        take_signal(at, place.device + (at - place.host));
    }
}
}
