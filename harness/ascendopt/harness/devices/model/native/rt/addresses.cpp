// From host pointers back to local memory, and the memory that no buffer uses.
#include <algorithm>

#include "state.h"

using namespace ascendopt::rt;

namespace {

// A position of each memory, for the answer.
constexpr uint8_t kPositions[kMemories] = {11, 1, 2, 4, 7, 6, 14};

}  // namespace

uint8_t asc_local_find(const void* pointer, AscLocal* where) {
    current->repetition.leave();
    const auto* at = static_cast<const uint8_t*>(pointer);
    for (int i = 0; i < kMemories; ++i) {
        const LocalMemory& memory = (*core().memories)[static_cast<size_t>(i)];
        if (!memory.data || at < memory.data || at >= memory.data + memory.bytes) continue;
        where->address = static_cast<uint32_t>(at - memory.data);
        where->bytes = memory.bytes - where->address;
        where->position = kPositions[i];
        return 1;
    }
    return 0;
}

namespace ascendopt::rt {

void take_scratch(uint64_t bytes, const char* api) {
    const Core& here = core();
    if (!here.pipe_open) return;
    const uint64_t end = here.used[static_cast<size_t>(Memory::UB)] + bytes;
    const uint32_t room = memory(Memory::UB).bytes;
    current->result.ub_high = std::max(current->result.ub_high, static_cast<uint32_t>(std::min<uint64_t>(end, room)));
    if (end <= room) return;
    Report out{"ub_overflow", Severity::Warning, api};
    out.message = format(
        "%s is given no scratch and needs at least %llu bytes of UB behind the buffers, which leave %llu: give it a "
        "tensor, or make room",
        api, static_cast<unsigned long long>(bytes),
        static_cast<unsigned long long>(room > end - bytes ? room - (end - bytes) : 0));
    report(out);
}

void use_reserved(const char* api, uint32_t bytes) {
    constexpr uint32_t kSplitUb = 192 * 1024;
    LocalMemory& ub = memory(Memory::UB);
    if (ub.bytes != kSplitUb) return;
    const uint32_t first = ub.bytes - bytes;
    Core& here = core();
    const bool allocated = here.used[static_cast<size_t>(Memory::UB)] > first;
    bool written = false;
    ub.shadow->each(first, ub.bytes, [&](Stamp& stamp) { written = written || stamp.last_write() > here.start; });
    if (!allocated && !written) return;
    // A buffer with nothing in it loses nothing.
    Report out{"ub_reserved", written ? Severity::Error : Severity::Warning, api};
    out.buffer = place_name(Memory::UB, first, ub.bytes);
    out.message =
        format("%s uses UB [%u, %u) as its own scratch, but the kernel has a buffer there", api, first, ub.bytes);
    report(out);
}

}  // namespace ascendopt::rt

void asc_stack_buffer(AscLocal* where) {
    where->position = 11;
    if (const auto* noted = ASC_REPEATED(StackBuffer, 0)) {
        where->address = static_cast<uint32_t>(noted->result.first);
        where->bytes = static_cast<uint32_t>(noted->result.second);
        return;
    }
    const uint32_t used = core().used[static_cast<size_t>(Memory::UB)];
    const uint32_t bytes = memory(Memory::UB).bytes;
    where->address = used;
    where->bytes = used < bytes ? bytes - used : 0;
    current->repetition.gave(where->address, where->bytes);
}
